//===- QueryBlocks.cpp - Attention within blocks of queries ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueryBlocks.h"
#include "Indices.h"
#include "transfusion/Dialect/Einsum/IR/LinearForm.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

AffineExpr QueryBlocks::back(AffineExpr expr) const {
  SmallVector<AffineExpr> places;
  for (unsigned i = 0, e = plainDim(within) + 1; i < e; ++i)
    places.push_back(getAffineDimExpr(i, expr.getContext()));
  AffineExpr query = queries.dim + queries.offset;
  places[plainDim(block)] = query.floorDiv(queries.size);
  places[plainDim(within)] = query % queries.size;
  return expr.replaceDims(places);
}

std::string QueryBlocks::describe(const Frame &frame) const {
  int64_t count = frame.dims[plainDim(block)].extent;
  std::string text = "a mask compares blocks: " + std::to_string(count) +
                     " blocks of " + std::to_string(queries.size) + " queries ";
  if (!keys)
    return text + "are walked apart";
  text += "see " + std::to_string(keys) + " keys each";
  // What is cut off is a constraint on the place in the sequence.
  bool isCutOff = llvm::any_of(visible.constraints, [&](AffineExpr expr) {
    return expr.isFunctionOfDim(plainDim(block));
  });
  return isCutOff ? text + ", or what the sequence has of them" : text;
}

/// Drops what holds everywhere and what is said twice.
static void tidy(normal::Exprs &constraints, const Frame &frame) {
  normal::Exprs result;
  for (AffineExpr expr : constraints) {
    expr = simplifyIndex(expr, frame.extents());
    if (rangeOf(expr, frame.extents())->min < 0 &&
        !llvm::is_contained(result, expr))
      result.push_back(expr);
  }
  constraints = result;
}

/// Where the range of `expr` leaves [0, extent), it must not.
static void addBounds(AffineExpr expr, int64_t extent, const Frame &frame,
                      normal::Exprs &constraints) {
  Interval range = *rangeOf(expr, frame.extents());
  if (range.min < 0)
    constraints.push_back(expr);
  if (range.max >= extent)
    constraints.push_back(extent - 1 - expr);
}

/// Constraints `first <= key < first + size`, with a first key that depends on
/// the block alone: keys are walked from there. Not where a block of queries
/// has no such key: its rows exist.
static void joinKeys(Graph &graph, Frame &frame, QueryBlocks &split) {
  unsigned key = plainDim(split.key), block = plainDim(split.block);
  normal::Exprs &constraints = split.visible.constraints;
  for (AffineExpr lower : constraints) {
    std::optional<LinearForm> form = getLinearForm(lower, frame.dims.size());
    if (!form || form->coefficients[key] != 1 || form->coefficients[block] >= 0)
      continue;
    AffineExpr first = split.key - lower;
    first = simplifyIndex(first, frame.extents());
    std::optional<LinearForm> start = getLinearForm(first, frame.dims.size());
    int64_t size = start->coefficients[block];
    start->coefficients[block] = 0;
    if (llvm::any_of(start->coefficients, [](int64_t c) { return c != 0; }))
      continue;
    AffineExpr upper =
        simplifyIndex(first + (size - 1) - split.key, frame.extents());
    int64_t extent = frame.dims[key].extent;
    Interval range = *rangeOf(first, frame.extents());
    if (!llvm::is_contained(constraints, upper) || range.min + size <= 0 ||
        range.max >= extent)
      continue;
    llvm::erase(constraints, upper);
    llvm::erase(constraints, lower);
    AffineExpr old = split.key;
    split.keys = size;
    split.key = frame.add({size, frame.dims[key].hint});
    AffineExpr at = first + split.key;
    SmallVector<AffineExpr> places = frame.all();
    places[key] = at;
    for (normal::Exprs *some : {&constraints, &split.visible.implied})
      for (AffineExpr &expr : *some)
        expr = expr.replaceDims(places);
    addBounds(at, extent, frame, constraints);
    split.at[plainDim(old)] = at;
    split.visible.score = graph.compose(split.visible.score, places, frame);
    return;
  }
}

std::optional<QueryBlocks> normal::splitQueries(Graph &graph, Frame &frame,
                                                const Ref &score,
                                                AffineExpr key,
                                                const VisibleKeys &visible) {
  if (!visible.blocks)
    return std::nullopt;
  unsigned numDims = frame.dims.size();
  QueryBlocks split;
  split.queries = *visible.blocks;
  split.key = key;
  auto [dim, size, offset] = split.queries;
  Dim query = frame.dims[plainDim(dim)];
  int64_t blocks = (query.extent + offset + size - 1) / size;
  split.block = frame.add({blocks, query.hint});
  split.within = frame.add({size, query.hint});
  split.at = frame.all();
  split.at.truncate(numDims);
  AffineExpr row = split.block * size + split.within - offset;
  split.at[plainDim(dim)] = row;
  split.visible = splitVisibleKeys(graph, frame,
                                   graph.compose(score, split.at, frame), key);
  if (split.visible.numNotLinear >= visible.numNotLinear) {
    frame.dims.truncate(numDims);
    return std::nullopt;
  }
  // What the first look took is in the score no more.
  for (AffineExpr expr : visible.constraints)
    split.visible.constraints.push_back(expr.replaceDims(split.at));
  tidy(split.visible.constraints, frame);
  joinKeys(graph, frame, split);
  addBounds(row, query.extent, frame, split.visible.constraints);
  tidy(split.visible.constraints, frame);
  tidy(split.visible.implied, frame);
  if (split.keys)
    frame.dims[plainDim(split.block)].hint = "b";
  return split;
}
