//===- ChooseResidents.h - Which tensors stay in between --------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Search. A machine with memories between the outermost one
// and that of the units keeps there what crosses groups, and inputs that are
// loaded more than once. Greedy by the bytes that the outermost memory is
// spared for a byte and group; each choice is evaluated.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SEARCH_CHOOSERESIDENTS_H
#define TRANSFUSION_LIB_CORE_SEARCH_CHOOSERESIDENTS_H

#include "transfusion/Core/Cost/Evaluate.h"
#include "transfusion/Core/Search/TileSeek.h"

#include <functional>

namespace transfusion::core {

/// Chooses the residents of `s` anew. What is prefetched or deferred of a
/// resident is moved in its own phase again.
void chooseResidents(const Cascade &c, const Arch &a, Schedule &s,
                     Evaluator &evaluator, Objective objective);

/// Adds pieces to the residents of `groups`, as long as `costOf` falls below
/// `cost`; false when none helps. At most a few are tried.
bool choosePieces(const Cascade &c, const Arch &a, Schedule &s,
                  const std::vector<int32_t> &groups, Evaluator &evaluator,
                  const std::function<double(const CostReport &)> &costOf,
                  double cost);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_SEARCH_CHOOSERESIDENTS_H
