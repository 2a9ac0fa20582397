//===- TosaToLinalg.h - TOSA as linalg on tensors ---------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_PIPELINES_TOSATOLINALG_H
#define TRANSFUSION_LIB_PIPELINES_TOSATOLINALG_H

#include "mlir/Pass/Pass.h"

namespace transfusion {

/// Lowers TOSA by upstream's patterns, in functions that have any. An op for
/// which upstream has none stays, and is the raising's to refuse.
std::unique_ptr<mlir::Pass> createTosaToLinalgPass();

} // namespace transfusion

#endif // TRANSFUSION_LIB_PIPELINES_TOSATOLINALG_H
