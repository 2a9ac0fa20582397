//===- EinsumNamedOpsTypes.cpp - Result types of the ops of a layer -------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builders infer before any verifier has run, so nothing is taken for granted.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

using namespace mlir;
using namespace transfusion::einsum;

/// Out features of a weight; fails where it is no matrix.
static FailureOr<int64_t> outWidth(std::optional<Location> loc, Value weight,
                                   bool outIn) {
  auto type = dyn_cast<RankedTensorType>(weight.getType());
  if (!type || type.getRank() != 2)
    return emitOptionalError(loc, "weight ", weight.getType(),
                             " has not 2 dimensions");
  return type.getDimSize(outIn ? 0 : 1);
}

/// The type of x with another last extent.
static FailureOr<Type> withLastDim(std::optional<Location> loc, Value x,
                                   int64_t extent) {
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (!type || type.getRank() < 1)
    return emitOptionalError(loc, "input ", x.getType(), " has no dimension");
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = extent;
  return Type(RankedTensorType::get(shape, type.getElementType()));
}

LogicalResult QkvOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  auto keySource = x;
  if (Value memory = adaptor.getMemory())
    keySource = dyn_cast<RankedTensorType>(memory.getType());
  size_t count = adaptor.getWeights().size();
  auto heads = static_cast<int64_t>(adaptor.getHeads());
  int64_t keyHeads = adaptor.getKvHeads().value_or(heads);
  if (!x || x.getRank() != 3 || !keySource || keySource.getRank() != 3 ||
      (count != 1 && count != 3) || heads < 1 || keyHeads < 1)
    return emitOptionalError(loc, "needs x [b, p, d], 1 or 3 weights and at "
                                  "least 1 head");
  for (int i = 0; i < 3; ++i) {
    FailureOr<int64_t> width = outWidth(
        loc, adaptor.getWeights()[count == 1 ? 0 : i], adaptor.getOutIn());
    if (failed(width))
      return failure();
    int64_t mine = i == 0 ? heads : keyHeads;
    RankedTensorType source = i == 0 ? x : keySource;
    int64_t perHead = *width / (count == 1 ? heads + 2 * keyHeads : mine);
    types.push_back(RankedTensorType::get(
        {source.getDimSize(0), mine, source.getDimSize(1), perHead},
        x.getElementType()));
  }
  return success();
}

LogicalResult RopeOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult LinearOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  FailureOr<int64_t> width =
      outWidth(loc, adaptor.getWeight(), adaptor.getOutIn());
  if (failed(width))
    return failure();
  FailureOr<Type> type = withLastDim(loc, adaptor.getX(), *width);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult FfnOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  FailureOr<int64_t> width = outWidth(loc, adaptor.getW2(), adaptor.getOutIn());
  if (failed(width))
    return failure();
  FailureOr<Type> type = withLastDim(loc, adaptor.getX(), *width);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}
