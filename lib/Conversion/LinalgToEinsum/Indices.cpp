//===- Indices.cpp - Mixed-radix indices ----------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseGraph.h"
#include "mlir/IR/AffineExprVisitor.h"

using namespace mlir;
using namespace transfusion::raise;

AffineExpr transfusion::raise::merge(ArrayRef<IndexPart> parts,
                                     MLIRContext *context) {
  AffineExpr result = getAffineConstantExpr(0, context);
  for (const IndexPart &part : parts)
    result = result * part.extent + part.index;
  return result;
}

/// Regroups without division; empty when the parts do not line up.
static std::optional<Exprs> regroupExactly(ArrayRef<IndexPart> parts,
                                           ArrayRef<int64_t> extents,
                                           MLIRContext *context) {
  Exprs result;
  size_t next = 0;
  for (int64_t wanted : extents) {
    size_t first = next;
    int64_t extent = 1;
    while (extent < wanted && next < parts.size())
      extent *= parts[next++].extent;
    if (extent != wanted)
      return std::nullopt;
    result.push_back(merge(parts.slice(first, next - first), context));
  }
  for (; next < parts.size(); ++next)
    if (parts[next].extent != 1)
      return std::nullopt;
  return result;
}

Exprs transfusion::raise::regroup(ArrayRef<IndexPart> parts,
                                  ArrayRef<int64_t> extents,
                                  MLIRContext *context) {
  if (auto exact = regroupExactly(parts, extents, context))
    return *exact;
  AffineExpr number = merge(parts, context);
  Exprs result(extents.size());
  int64_t stride = 1;
  for (int i = extents.size() - 1; i >= 0; --i) {
    result[i] = number.floorDiv(stride);
    if (i > 0)
      result[i] = result[i] % extents[i];
    stride *= extents[i];
  }
  return result;
}

bool transfusion::raise::isLinear(ArrayRef<AffineExpr> exprs) {
  for (AffineExpr expr : exprs) {
    bool linear = true;
    expr.walk([&](AffineExpr e) {
      linear &= e.getKind() != AffineExprKind::Mod &&
                e.getKind() != AffineExprKind::FloorDiv &&
                e.getKind() != AffineExprKind::CeilDiv;
    });
    if (!linear)
      return false;
  }
  return true;
}

AffineExpr transfusion::raise::simplify(AffineExpr expr, unsigned numRanks) {
  return isLinear(expr) ? simplifyAffineExpr(expr, numRanks, 0) : expr;
}

std::optional<Linear> transfusion::raise::getLinear(AffineExpr expr,
                                                    unsigned numDims) {
  if (!isLinear(expr) || !expr.isPureAffine())
    return std::nullopt;
  SimpleAffineExprFlattener flattener(numDims, 0);
  if (failed(flattener.walkPostOrder(expr)))
    return std::nullopt;
  ArrayRef<int64_t> flat = flattener.operandExprStack.back();
  Linear result;
  result.coefficients.assign(flat.begin(), flat.begin() + numDims);
  result.constant = flat.back();
  return result;
}

Exprs transfusion::raise::substitute(ArrayRef<AffineExpr> exprs,
                                     ArrayRef<Digits> digits,
                                     ArrayRef<IndexParts> index,
                                     unsigned numRanks, MLIRContext *context) {
  // Digit by digit.
  SmallVector<AffineExpr> replacements;
  SmallVector<std::pair<unsigned, unsigned>> inexact; // dim, its first digit
  for (auto [dim, wanted] : llvm::enumerate(digits)) {
    SmallVector<int64_t> extents;
    for (const Digit &digit : wanted)
      extents.push_back(digit.extent);
    Exprs parts = regroup(index[dim], extents, context);
    if (!isLinear(parts))
      inexact.push_back({dim, replacements.size()});
    llvm::append_range(replacements, parts);
  }
  unsigned numDigits = replacements.size();

  Exprs result;
  for (AffineExpr expr : exprs) {
    // A dimension that cannot be taken apart may be read as a whole.
    SmallVector<AffineExpr> own(replacements);
    AffineExpr whole = getAffineConstantExpr(0, context);
    if (auto linear = getLinear(expr, numDigits)) {
      for (auto [dim, first] : inexact) {
        ArrayRef<Digit> of = digits[dim];
        int64_t scale = linear->coefficients[first + of.size() - 1];
        int64_t stride = scale;
        bool merged = true;
        for (int i = of.size() - 1; i >= 0; --i) {
          merged &= linear->coefficients[first + i] == stride;
          stride *= of[i].extent;
        }
        if (!merged)
          continue;
        for (unsigned i = 0; i < of.size(); ++i)
          own[first + i] = getAffineConstantExpr(0, context);
        whole = whole + merge(index[dim], context) * scale;
      }
    }
    result.push_back(simplify(expr.replaceDims(own) + whole, numRanks));
  }
  return result;
}
