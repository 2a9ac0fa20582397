//===- EpochCount.h - Which epochs meet in a pipeline step ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. The *class* of an epoch says which ranks are at their ragged last
// piece. A pipeline of S stages takes as long in a step as the classes of the S
// epochs in it demand, so the cost of a phase is: for every window of S
// consecutive classes, how often it occurs. The sequence of classes is a loop
// nest's odometer; it is counted as the text it is, by powers and
// concatenations, without walking it.
//
// Toy example: 3 outer turns of (full, full, ragged), S = 2: windows ff 3,
// fr 3, rf 2.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_EPOCHCOUNT_H
#define TRANSFUSION_LIB_CORE_COST_EPOCHCOUNT_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace transfusion::core {

/// One loop of the nest, outermost first in a vector of them.
struct EpochLoop {
  int64_t trips = 1;
  /// The last, or first, turn is unlike the others (and trips > 1).
  bool lastApart = false, firstApart = false;
};

/// Where loops are that have turns apart: bit i is that of loop i.
struct EpochEnds {
  uint64_t last = 0, first = 0;
};

/// Classes of S consecutive epochs, oldest first; a class is the number of an
/// EpochEnds. kIdle: the stage has no epoch.
using EpochWindow = std::u16string;
inline constexpr char16_t kIdle = static_cast<char16_t>(-1);

struct EpochCounts {
  int64_t epochs = 0;
  std::vector<EpochEnds> classes;
  /// Steps of the pipeline by what is in them, fill and drain included.
  std::vector<std::pair<EpochWindow, int64_t>> windows;
  bool overflow = false; ///< too many epochs (2^62) or classes (65535)
};

/// `wrap`: a modulo pipeline, whose stages are never idle while it fills (the
/// first epoch stands in) and which drains by itself.
EpochCounts countEpochs(const std::vector<EpochLoop> &loops, int32_t stages,
                        bool wrap);

/// Steps of a pipeline of one or two stages that are alike: where the epoch of
/// the last stage is, and that of the first.
struct StepKind {
  EpochEnds older, newer;
  bool hasOlder = true, hasNewer = true; ///< else the stage has no epoch
  int64_t count = 0;
};

/// As countEpochs, for one or two stages in closed form: what a search mostly
/// asks for. Returns the number of epochs, -1 when there are too many.
int64_t countShort(const std::vector<EpochLoop> &loops, int32_t stages,
                   bool wrap, std::vector<StepKind> &kinds);

/// The same for loops whose turns are of several kinds, one after another:
/// `runs` has, per loop, how many turns there are of each. Classes are numbered
/// row-major.
EpochCounts countWindows(const std::vector<std::vector<int64_t>> &runs,
                         int32_t width);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_EPOCHCOUNT_H
