//===- MergedKeys.h - Keys of several dims as one ---------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window of an image has rows and columns of keys: a softmax over two dims.
// Walked as one key, of which those are digits, it is attention like any other,
// provided that no access is left with a quotient: keys and values are tensors
// of the cascade, laid out as the key counts them, and what else the score
// reads (a bias, a mask) is read at the key.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_MERGEDKEYS_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_MERGEDKEYS_H

#include "Import.h"
#include "RecognizeSoftmax.h"
#include "llvm/ADT/DenseMap.h"

namespace transfusion::einsum::normal {

/// Keys and values of merged keys, as mergeDigits lays them out.
using MergedLayouts = llvm::DenseMap<NodeId, Exprs>; // looked up only

/// Makes one key of several; adds it to the frame. False, and nothing changed
/// but the frame, where that leaves a quotient in an access, or a tensor would
/// need two layouts: this one, and that which another attention has given it.
bool mergeKeys(const Imported &imported, Graph &graph, Frame &frame,
               SoftmaxContraction &found, MergedLayouts &layouts);

/// The layout of a tensor that is read at `at`: dims at digits of `key` are one
/// dimension, in the place of the first. Null exprs are the others.
Exprs mergeDigits(llvm::ArrayRef<mlir::AffineExpr> at, mlir::AffineExpr key);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_MERGEDKEYS_H
