//===- JoinDims.cpp - Dimensions that are read as one ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JoinDims.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;

/// Remainders as quotients, quotients of quotients as one.
static AffineExpr quotientsOnly(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr l = quotientsOnly(binary.getLHS());
  AffineExpr r = quotientsOnly(binary.getRHS());
  auto by = dyn_cast<AffineConstantExpr>(r);
  auto quotient = [&] {
    int64_t divisor = by.getValue(), product;
    if (auto inner = dyn_cast<AffineBinaryOpExpr>(l);
        inner && inner.getKind() == AffineExprKind::FloorDiv)
      if (auto first = dyn_cast<AffineConstantExpr>(inner.getRHS());
          first && first.getValue() > 0 &&
          !__builtin_mul_overflow(first.getValue(), divisor, &product))
        return inner.getLHS().floorDiv(product);
    return l.floorDiv(divisor);
  };
  bool divides = by && by.getValue() > 0;
  switch (binary.getKind()) {
  case AffineExprKind::FloorDiv:
    return divides ? quotient() : l.floorDiv(r);
  case AffineExprKind::Mod:
    return divides ? l - quotient() * by.getValue() : l % r;
  case AffineExprKind::CeilDiv:
    return l.ceilDiv(r);
  case AffineExprKind::Mul:
    return l * r;
  default:
    return l + r;
  }
}

std::optional<std::vector<int64_t>> transfusion::linearForm(AffineExpr expr,
                                                            unsigned numDims) {
  SmallVector<int64_t> flat;
  if (failed(getFlattenedAffineExpr(quotientsOnly(expr), numDims, 0, &flat)))
    return std::nullopt;
  ArrayRef<int64_t> locals = ArrayRef(flat).slice(numDims).drop_back();
  if (llvm::any_of(locals, [](int64_t c) { return c != 0; }))
    return std::nullopt;
  std::vector<int64_t> result(flat.begin(), flat.begin() + numDims);
  result.push_back(flat.back());
  return result;
}

/// Row-major index in dimensions [first, last).
static AffineExpr indexIn(AffineMap access, ArrayRef<int64_t> shape,
                          unsigned first, unsigned last) {
  AffineExpr index = access.getResult(first);
  for (unsigned d = first + 1; d < last; ++d)
    index = index * shape[d] + access.getResult(d);
  return index;
}

std::vector<int64_t> transfusion::joinShape(ArrayRef<int64_t> shape,
                                            ArrayRef<unsigned> joined) {
  std::vector<int64_t> result;
  unsigned d = 0;
  for (unsigned count : joined) {
    int64_t extent = 1;
    for (unsigned end = d + count; d < end; ++d)
      if (extent >= 0 && __builtin_mul_overflow(extent, shape[d], &extent))
        extent = -1;
    result.push_back(extent);
  }
  return result;
}

std::vector<AffineExpr> transfusion::joinAccess(AffineMap access,
                                                ArrayRef<int64_t> shape,
                                                ArrayRef<unsigned> joined) {
  std::vector<AffineExpr> result;
  unsigned d = 0;
  for (unsigned count : joined) {
    result.push_back(indexIn(access, shape, d, d + count));
    d += count;
  }
  return result;
}

std::vector<unsigned> transfusion::joinDims(ArrayRef<int64_t> shape,
                                            ArrayRef<AffineMap> accesses) {
  const unsigned rank = shape.size();
  std::vector<bool> startsHere(rank, true); // a joined dimension
  for (AffineMap access : accesses)
    for (unsigned d = 0; d < rank; ++d) {
      if (linearForm(access.getResult(d), access.getNumDims()))
        continue;
      // The fewest neighbours with which it is linear; none: left as it is.
      bool found = false;
      for (unsigned length = 2; length <= rank && !found; ++length)
        for (unsigned first = d + 1 < length ? 0 : d + 1 - length;
             first <= d && first + length <= rank && !found; ++first) {
          found = linearForm(indexIn(access, shape, first, first + length),
                             access.getNumDims())
                      .has_value();
          for (unsigned k = first + 1; found && k < first + length; ++k)
            startsHere[k] = false;
        }
    }
  std::vector<unsigned> joined;
  for (unsigned d = 0; d < rank; ++d) {
    if (startsHere[d])
      joined.push_back(0);
    ++joined.back();
  }
  return joined;
}
