//===- CheckSchedule.cpp - A schedule against all its rules ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRules.h"

using namespace transfusion::core;
using namespace transfusion::core::check;

std::vector<Violation> transfusion::core::checkSchedule(const Cascade &c,
                                                        const Arch &a,
                                                        const Schedule &s) {
  if (auto found = checkArch(a); !found.empty())
    return found;
  if (auto found = checkSchedulable(a); !found.empty())
    return found;
  if (auto found = checkCascade(c); !found.empty())
    return found;
  Sink sink;
  checkIds(c, a, s, sink);
  if (!sink.empty())
    return std::move(sink.found);
  checkPlaces(c, a, s, sink);
  checkSizes(c, s, sink);
  if (!sink.empty())
    return std::move(sink.found);

  View view(c, s);
  checkLoops(view, sink);
  checkFinishes(view, sink);
  checkUnits(view, a, sink);
  checkOrder(view, sink);
  checkCoverage(view, sink);
  checkRetention(view, sink);
  checkMoves(view, sink);
  checkSkips(view, sink);
  checkResidents(view, a, sink);
  checkPieces(view, a, sink);
  // Footprints of a schedule that is wrong otherwise would only confuse.
  if (sink.empty())
    checkMoveSpans(view, sink);
  if (sink.empty()) {
    checkCapacity(view, a, sink);
    checkResidentCapacity(view, a, sink);
  }
  return std::move(sink.found);
}
