//===- ArchHierarchy.h - Rules of memories and their instances --*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_CHECK_ARCHHIERARCHY_H
#define TRANSFUSION_LIB_CORE_CHECK_ARCHHIERARCHY_H

#include "Sink.h"

namespace transfusion::core::check {

/// A10, A13, A14, A15: which memory is in which, how many there are of each,
/// what they keep, and that all of them are there for a unit.
void checkHierarchy(const Arch &a, Sink &sink);

} // namespace transfusion::core::check

#endif // TRANSFUSION_LIB_CORE_CHECK_ARCHHIERARCHY_H
