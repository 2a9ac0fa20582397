//===- Rebuild.cpp - Nodes over other operands ----------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "NormalForm.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

Ref Graph::rebuild(const Frame &frame, const Node &from,
                   ArrayRef<Ref> operands) {
  Exprs all = frame.all();
  switch (from.kind) {
  case Kind::Sum: {
    Terms terms{from.constant, {}};
    for (auto [operand, coefficient] : llvm::zip(operands, from.coefficients))
      terms.list.push_back({coefficient, operand});
    return sum(frame, terms, from.type);
  }
  case Kind::Product: {
    Factors factors{from.constant, {}};
    for (auto [operand, power] : llvm::zip(operands, from.powers))
      factors.list.push_back({operand, power});
    return product(frame, factors, from.type);
  }
  case Kind::Reduce:
    return reduce(frame, from.reduce, operands[0],
                  ArrayRef(all).take_back(from.bound.size()));
  case Kind::Piece:
    return piece(frame, from.name, from.attributes, operands,
                 ArrayRef(all).drop_back(from.bound.size()),
                 ArrayRef(all).take_back(from.bound.size()), from.type);
  default:
    return op(frame, from.name, from.attributes, operands, from.type);
  }
}

Ref Graph::instantiate(const Ref &ref, const Frame &frame) {
  const Node &node = nodes[ref.node];
  // Pieces are not taken apart.
  if (node.operands.empty() || node.kind == Kind::Piece)
    return ref;
  bool isWhole = true;
  for (auto [expr, dim] : llvm::zip(ref.at, node.dims)) {
    int position = plainDim(expr);
    isWhole &= position >= 0 && frame.dims[position].extent == dim.extent;
  }
  if (isWhole)
    return ref;
  Frame inner = frame;
  Exprs bound = bind(inner, ref);
  SmallVector<Ref> operands;
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
    Ref operand = this->operand(ref, i, bound);
    for (AffineExpr &expr : operand.at)
      expr = simplifyIndex(expr, inner.extents());
    operands.push_back(instantiate(operand, inner));
  }
  return rebuild(inner, node, operands);
}
