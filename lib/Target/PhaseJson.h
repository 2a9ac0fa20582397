//===- PhaseJson.h - One phase of the schedule file -------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_TARGET_PHASEJSON_H
#define TRANSFUSION_LIB_TARGET_PHASEJSON_H

#include "transfusion/Target/ScheduleView.h"

#include "llvm/Support/JSON.h"

namespace transfusion {

/// `claimedCycles`: of the phase over all outer tiles, as the cost model has
/// it.
void writePhase(const ScheduleView &v, llvm::json::OStream &j, int32_t group,
                int32_t phase, double claimedCycles);

/// The transfer that fills an Input buffer.
void writeLoad(const ScheduleView &v, llvm::json::OStream &j, int32_t buffer);

/// "residents", where there are any.
void writeResidents(const ScheduleView &v, llvm::json::OStream &j);

/// Sums of ranks, as attribute `key` of the object that is open.
void writeExpressions(const ScheduleView &v, llvm::json::OStream &j,
                      llvm::StringRef key,
                      llvm::ArrayRef<core::LinearExpr> exprs);
/// "access": one expression per tensor dimension.
void writeAccess(const ScheduleView &v, llvm::json::OStream &j,
                 const core::Access &access);

/// One port where reads and writes share the bandwidth, else one for each.
std::string portName(const core::Memory &m, bool write);

} // namespace transfusion

#endif // TRANSFUSION_LIB_TARGET_PHASEJSON_H
