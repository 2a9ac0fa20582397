//===- LayerToSchedule.h - A layer on its way to a schedule -----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Transforms. A function is prepared and solved beside its
// module, so that the module changes only when all of them have succeeded.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_TRANSFORMS_LAYERTOSCHEDULE_H
#define TRANSFUSION_LIB_TRANSFORMS_LAYERTOSCHEDULE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transfusion/Bridge/ImportSchedule.h"

namespace transfusion {

struct LayerToSchedule {
  mlir::func::FuncOp original;
  mlir::OwningOpRef<mlir::func::FuncOp> prepared;
  ImportedCascade source;
  core::Schedule schedule;
};

/// Functions of `module` that hold einsum ops; an error when there is none,
/// with `pass` in its note.
mlir::FailureOr<std::vector<LayerToSchedule>>
layersToSchedule(mlir::ModuleOp module, llvm::StringRef pass);

/// Clones the function, decomposes named ops, makes key tiles as wide as the
/// columns of the machine, and imports and checks the cascade. Attention makes
/// `attentionPasses` passes over its keys.
mlir::LogicalResult prepareLayer(LayerToSchedule &layer, const core::Arch &arch,
                                 int attentionPasses);

/// Replaces the function by the prepared one and its schedule by the solved.
void materializeLayer(mlir::ModuleOp module, LayerToSchedule &layer,
                      sched::ArchOp arch, sched::SearchAttr search);

} // namespace transfusion

#endif // TRANSFUSION_LIB_TRANSFORMS_LAYERTOSCHEDULE_H
