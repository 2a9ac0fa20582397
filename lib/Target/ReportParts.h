//===- ReportParts.h - Parts of the report ----------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_TARGET_REPORTPARTS_H
#define TRANSFUSION_LIB_TARGET_REPORTPARTS_H

#include "transfusion/Core/Cost/Roofline.h"
#include "transfusion/Target/ScheduleReport.h"

#include "llvm/Support/JSON.h"

namespace transfusion {

/// Energy by component and by tensor, in one unit; columns add up.
void writeEnergyText(const ScheduleView &v, const ReportNumbers &n,
                     llvm::raw_ostream &os);

/// What limits each part of each phase, each group and the layer.
void writeLimitsText(const ScheduleView &v, const ReportNumbers &n,
                     llvm::raw_ostream &os);
/// Attributes of the open object: of the layer, of a group, of a phase.
void writeLayerLimits(const ScheduleView &v, const ReportNumbers &n,
                      llvm::json::OStream &j);
void writeGroupLimits(const ScheduleView &v, const ReportNumbers &n, size_t g,
                      llvm::json::OStream &j);
void writePhaseLimits(const core::PhaseLimits &limits, llvm::json::OStream &j);

} // namespace transfusion

#endif // TRANSFUSION_LIB_TARGET_REPORTPARTS_H
