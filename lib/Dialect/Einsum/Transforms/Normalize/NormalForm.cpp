//===- NormalForm.cpp - Hash-consed nodes ---------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalForm.h"
#include "Hashing.h"
#include "Indices.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

normal::Exprs Frame::all() const {
  Exprs result;
  for (unsigned i = 0, e = dims.size(); i < e; ++i)
    result.push_back(getAffineDimExpr(i, context));
  return result;
}

SmallVector<int64_t> Frame::extents() const {
  SmallVector<int64_t> result;
  for (const Dim &dim : dims)
    result.push_back(dim.extent);
  return result;
}

//===----------------------------------------------------------------------===//
// Identity
//===----------------------------------------------------------------------===//

static uint64_t hashText(Attribute printable) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << printable;
  return mixHash(3, text);
}

static uint64_t hashType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return 100 + integer.getWidth();
  if (isa<IndexType>(type))
    return 1;
  return type.isF32() ? 2 : type.isBF16() ? 3 : type.isF16() ? 4 : 5;
}

static uint64_t hashDims(uint64_t hash, ArrayRef<Dim> dims) {
  hash = mixHash(hash, dims.size());
  for (const Dim &dim : dims)
    hash = mixHash(hash, dim.extent);
  return hash;
}

static uint64_t hashNode(const Graph &graph, const Node &node) {
  uint64_t hash =
      mixHash(static_cast<uint64_t>(node.kind), hashType(node.type));
  hash = hashDims(hashDims(hash, node.dims), node.bound);
  for (auto [i, operand] : llvm::enumerate(node.operands)) {
    hash = mixHash(hash, graph[operand].hash);
    for (AffineExpr expr : operand.at)
      hash = mixHash(hash, hashIndex(expr));
    if (node.kind == Kind::Sum)
      hash = mixHash(hash, llvm::bit_cast<uint64_t>(node.coefficients[i]));
    if (node.kind == Kind::Product)
      hash = mixHash(hash, static_cast<uint64_t>(node.powers[i]));
  }
  hash = mixHash(hash, llvm::bit_cast<uint64_t>(node.constant));
  hash = mixHash(hash, node.name);
  if (node.attributes)
    hash = mixHash(hash, hashText(node.attributes));
  hash = mixHash(hash, static_cast<uint64_t>(node.reduce));
  return mixHash(hash, node.ordinal);
}

static bool sameDims(ArrayRef<Dim> a, ArrayRef<Dim> b) {
  return llvm::equal(
      a, b, [](const Dim &l, const Dim &r) { return l.extent == r.extent; });
}

static bool isSame(const Node &a, const Node &b) {
  return a.kind == b.kind && a.type == b.type && sameDims(a.dims, b.dims) &&
         sameDims(a.bound, b.bound) && a.operands == b.operands &&
         llvm::bit_cast<uint64_t>(a.constant) ==
             llvm::bit_cast<uint64_t>(b.constant) &&
         a.coefficients == b.coefficients && a.powers == b.powers &&
         a.name == b.name && a.attributes == b.attributes &&
         a.reduce == b.reduce && a.value == b.value && a.ordinal == b.ordinal;
}

NodeId Graph::intern(Node node) {
  node.hash = hashNode(*this, node);
  auto [begin, end] = known.equal_range(node.hash);
  for (auto it = begin; it != end; ++it)
    if (isSame(nodes[it->second], node))
      return it->second;
  node.content = mixHash(static_cast<uint64_t>(node.kind), node.name);
  if (node.kind == Kind::Input) {
    node.first = node.ordinal;
    node.content = mixHash(node.content, node.ordinal);
  } else {
    for (const Ref &operand : node.operands) {
      node.level = std::max(node.level, nodes[operand.node].level);
      node.first = std::min(node.first, nodes[operand.node].first);
      node.content += nodes[operand.node].content;
    }
    // Attention that is decomposed already is as many Einsums deep.
    if (node.isPiece("attention"))
      node.level += 8;
    else
      node.level += node.kind == Kind::Reduce || node.kind == Kind::Piece;
  }
  NodeId id = nodes.size();
  known.insert({node.hash, id});
  nodes.push_back(std::move(node));
  return id;
}

normal::Exprs Graph::usedDims(const Frame &frame,
                              ArrayRef<Ref> operands) const {
  Exprs result;
  llvm::SmallBitVector seen(frame.dims.size());
  for (const Ref &operand : operands)
    for (AffineExpr expr : operand.at)
      expr.walk([&](AffineExpr e) {
        int dim = plainDim(e);
        if (dim < 0 || seen.test(dim))
          return;
        seen.set(dim);
        result.push_back(e);
      });
  return result;
}

Ref Graph::make(const Frame &frame, Node node, ArrayRef<AffineExpr> dims,
                ArrayRef<AffineExpr> bound) {
  SmallVector<AffineExpr> local(frame.dims.size(),
                                getAffineConstantExpr(0, context));
  SmallVector<int64_t> extents;
  auto declare = [&](ArrayRef<AffineExpr> exprs, SmallVector<Dim> &into) {
    for (AffineExpr expr : exprs) {
      local[plainDim(expr)] = getAffineDimExpr(extents.size(), context);
      into.push_back(frame.dims[plainDim(expr)]);
      extents.push_back(into.back().extent);
    }
  };
  declare(dims, node.dims);
  declare(bound, node.bound);
  // Terms of equal coefficients are ordered by position, which has changed.
  for (Ref &operand : node.operands)
    for (AffineExpr &expr : operand.at)
      expr = simplifyIndex(expr.replaceDims(local), extents);
  return {intern(std::move(node)), Exprs(dims)};
}

//===----------------------------------------------------------------------===//
// Leaves and reductions
//===----------------------------------------------------------------------===//

Ref Graph::input(const Frame &frame, Value tensor, ArrayRef<AffineExpr> at,
                 unsigned level) {
  Node node;
  node.kind = Kind::Input;
  auto type = cast<RankedTensorType>(tensor.getType());
  node.type = type.getElementType();
  node.value = tensor;
  node.level = level;
  SmallVector<int64_t> extents = frame.extents();
  Ref result;
  for (auto [extent, expr] : llvm::zip(type.getShape(), at)) {
    result.at.push_back(simplifyIndex(expr, extents));
    int dim = plainDim(result.at.back());
    node.dims.push_back(
        {extent, dim >= 0 ? frame.dims[dim].hint : std::string()});
  }
  // Arguments come first, whatever is read first.
  constexpr unsigned arguments = 1u << 20;
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    node.ordinal = std::min(argument.getArgNumber(), arguments - 1);
  else
    node.ordinal =
        arguments + ordinals.try_emplace(tensor, ordinals.size()).first->second;
  result.node = intern(std::move(node));
  return result;
}

Ref Graph::constant(double value, Type type) {
  Node node;
  node.kind = Kind::Constant;
  node.type = type;
  node.constant = value;
  return {intern(std::move(node)), {}};
}

Ref Graph::constant(TypedAttr value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return constant(number.getValueAsDouble(), number.getType());
  Node node;
  node.kind = Kind::Constant;
  node.type = value.getType();
  node.attributes = value;
  return {intern(std::move(node)), {}};
}

Ref Graph::index(const Frame &frame, AffineExpr value, Type type) {
  Node node;
  node.kind = Kind::Index;
  node.type = type;
  node.dims.push_back({0, {}});
  return {intern(std::move(node)), {simplifyIndex(value, frame.extents())}};
}

Ref Graph::reduce(const Frame &frame, ReduceKind kind, const Ref &body,
                  ArrayRef<AffineExpr> reduced) {
  Exprs dims, bound;
  for (AffineExpr dim : usedDims(frame, body))
    (llvm::is_contained(reduced, dim) ? bound : dims).push_back(dim);
  // A rank that the body does not depend on only repeats it.
  double repeats = 1;
  for (AffineExpr dim : reduced)
    if (!llvm::is_contained(bound, dim))
      repeats *= frame.dims[plainDim(dim)].extent;
  if (kind == ReduceKind::Add && repeats != 1)
    return product(frame, {repeats, {{reduce(frame, kind, body, bound), 1}}},
                   nodes[body.node].type);
  if (bound.empty())
    return body;
  const Node &inner = nodes[body.node];
  if (kind == ReduceKind::Add && inner.kind == Kind::Product &&
      inner.constant != 1) {
    double factor = inner.constant;
    Factors rest;
    for (auto [i, power] : llvm::enumerate(inner.powers))
      rest.list.push_back({operand(body, i), power});
    Type type = inner.type;
    Ref sum = reduce(frame, kind, product(frame, rest, type), reduced);
    return product(frame, {factor, {{sum, 1}}}, type);
  }
  Node node;
  node.kind = Kind::Reduce;
  node.type = inner.type;
  node.reduce = kind;
  node.operands.push_back(body);
  return make(frame, std::move(node), dims, bound);
}

Ref Graph::piece(const Frame &frame, StringRef name, Attribute attributes,
                 ArrayRef<Ref> operands, ArrayRef<AffineExpr> dims,
                 ArrayRef<AffineExpr> bound, Type type) {
  Node node;
  node.kind = Kind::Piece;
  node.type = type;
  node.name = name.str();
  node.attributes = attributes;
  node.operands.assign(operands.begin(), operands.end());
  return make(frame, std::move(node), dims, bound);
}
