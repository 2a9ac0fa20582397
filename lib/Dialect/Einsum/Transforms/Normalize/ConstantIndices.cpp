//===- ConstantIndices.cpp - Constants that list indices ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantIndices.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace transfusion::einsum;

AffineExpr normal::indicesOf(Value tensor) {
  DenseIntElementsAttr elements;
  if (!matchPattern(tensor, m_Constant(&elements)) ||
      elements.getNumElements() == 0)
    return {};
  ShapedType type = elements.getType();
  Type element = type.getElementType();
  if (!element.isIndex() && !element.isInteger(32) && !element.isInteger(64))
    return {};
  MLIRContext *context = type.getContext();
  auto values = elements.getValues<APInt>();
  auto at = [&](int64_t i) { return values[i].getSExtValue(); };
  // Small enough that no index is near overflow.
  constexpr int64_t most = int64_t(1) << 31;
  int64_t base = at(0), stride = elements.getNumElements();
  SmallVector<int64_t> strides, steps;
  AffineExpr result = getAffineConstantExpr(base, context);
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    stride /= extent;
    strides.push_back(stride);
    if (extent > 1 && (std::abs(at(stride)) > most || std::abs(base) > most))
      return {};
    steps.push_back(extent > 1 ? at(stride) - base : 0);
    result = result + getAffineDimExpr(i, context) * steps.back();
  }
  for (int64_t i = 0, e = elements.getNumElements(); i < e; ++i) {
    int64_t rest = i, wanted = base;
    for (auto [length, step] : llvm::zip(strides, steps)) {
      wanted += rest / length * step;
      rest %= length;
    }
    if (at(i) != wanted)
      return {};
  }
  return result;
}
