//===- ImportCascade.h - A function's Einsums as Core sees them -*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. Core *factors* the dimensions of tensors: where every user of a
// dimension reads it as the same mixed-radix number (h*12 + e of 48), Core has
// one dimension per digit (h of 4, e of 12), so that what is cut along h is a
// piece of the tensor. A dimension whose users disagree stays one.
//
// Ids: ranks as the cascade declares them, Einsums as they stand in it, tensors
// first those from outside in the order of first use, then one per Einsum.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_BRIDGE_IMPORTCASCADE_H
#define TRANSFUSION_BRIDGE_IMPORTCASCADE_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "transfusion/Core/Model/Cascade.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

namespace transfusion {

/// A dimension of a Core tensor is a digit of a dimension of the IR's tensor:
/// (index / stride) % extent.
struct TensorDigit {
  int32_t dim = 0;
  int64_t stride = 1;
};

struct ImportedCascade {
  core::Cascade cascade;
  std::vector<einsum::MapReduceOp> einsums;     ///< by EinsumId
  std::vector<mlir::Value> tensors;             ///< by TensorId
  std::vector<std::vector<TensorDigit>> digits; ///< by TensorId and dimension

  core::EinsumId einsumId(llvm::StringRef name) const;
  core::TensorId tensorId(llvm::StringRef name) const;
  core::RankId rankId(llvm::StringRef name) const;
};

/// The cascades of `function` as one, each a part of it (Core's Einsum::part).
/// Fails, with an error at the op, where there is none, where one stands in a
/// region of another op (nobody knows how often that runs), where a name has
/// two meanings, where an access is not linear, or where a body holds an op
/// that has no class.
mlir::FailureOr<ImportedCascade>
importCascade(mlir::FunctionOpInterface function);

} // namespace transfusion

#endif // TRANSFUSION_BRIDGE_IMPORTCASCADE_H
