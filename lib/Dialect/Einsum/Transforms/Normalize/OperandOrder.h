//===- OperandOrder.h - Order of commutative operands -----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_OPERANDORDER_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_OPERANDORDER_H

#include "NormalForm.h"

namespace transfusion::einsum::normal {

/// Order in which a commutative node has its operands: it depends on what they
/// are, not on how the program writes them. Contractions name the tensor that
/// is furthest from the arguments first: activations, then weights. Sums name
/// the nearest first, the residual, but a bias after what it is added to.
/// `extra` tells apart operands that are otherwise alike.
llvm::SmallVector<unsigned> orderOf(const Graph &graph,
                                    llvm::ArrayRef<Ref> operands,
                                    bool isProduct,
                                    llvm::ArrayRef<uint64_t> extra = {});

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_OPERANDORDER_H
