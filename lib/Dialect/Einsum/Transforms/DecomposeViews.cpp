//===- DecomposeViews.cpp - Reshapes and transposes as accesses -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view op changes the digits of a value, not the tensor that holds it. Only
// where something outside the run reads its result is it a copy.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace transfusion::einsum;

Value transfusion::einsum::getViewSource(Operation *op) {
  auto isLayer = [](Value v) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    return type && type.hasStaticShape() && type.getRank() > 0 &&
           type.getNumElements() > 0 && isa<FloatType>(type.getElementType()) &&
           type.getElementTypeBitWidth() <= 32;
  };
  Value source;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    source = collapse.getSrc();
  else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    source = expand.getSrc();
  else if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    source = transpose.getInput();
  if (!source || op->getNumResults() != 1 || !isLayer(source) ||
      !isLayer(op->getResult(0)))
    return {};
  return source;
}

/// Dimension i of the result is dimension `order[i]` of `view`.
static View permute(const View &view, ArrayRef<int64_t> order) {
  View result;
  result.tensor = view.tensor;
  SmallVector<unsigned> place(order.size());
  for (auto [i, from] : llvm::enumerate(order)) {
    result.digits.push_back(view.digits[from]);
    place[from] = i;
  }
  for (const auto &refs : view.layout) {
    result.layout.emplace_back();
    for (auto [dim, digit] : refs)
      result.layout.back().push_back({place[dim], digit});
  }
  return result;
}

/// Joins the dimensions of each group.
static View collapse(const View &view, ArrayRef<ReassociationIndices> groups) {
  View result;
  result.tensor = view.tensor;
  SmallVector<DigitRef> start(view.digits.size()); // of each old dimension
  for (auto [i, group] : llvm::enumerate(groups)) {
    DimIndex digits;
    for (int64_t dim : group) {
      start[dim] = {i, digits.size()};
      llvm::append_range(digits, view.digits[dim]);
    }
    result.digits.push_back(digits);
  }
  for (const auto &refs : view.layout) {
    result.layout.emplace_back();
    for (auto [dim, digit] : refs)
      result.layout.back().push_back(
          {start[dim].first, start[dim].second + digit});
  }
  return result;
}

/// Splits dimensions into `shape`. A digit that a new dimension cuts becomes
/// two, with ranks of their own; fails where the cut does not divide it.
static FailureOr<View> expand(Run &run, const View &view,
                              ArrayRef<ReassociationIndices> groups,
                              ArrayRef<int64_t> shape) {
  static constexpr const char *kOuter[] = {"b", "h"};
  View result;
  result.tensor = view.tensor;
  result.digits.resize(shape.size());
  // Per old digit, the new ones that it became, outermost first.
  SmallVector<SmallVector<SmallVector<DigitRef, 2>>> became;
  for (auto [old, group] : llvm::enumerate(groups)) {
    auto &pieces = became.emplace_back(view.digits[old].size());
    size_t next = 0; // digit of the old dimension
    Digit rest{{}, 1};
    for (auto [position, dim] : llvm::enumerate(group)) {
      int64_t wanted = shape[dim];
      while (wanted > 1) {
        if (rest.extent == 1) {
          if (next == view.digits[old].size())
            return failure();
          rest = view.digits[old][next++];
          if (rest.extent == 1)
            continue;
        }
        DimIndex &digits = result.digits[dim];
        if (wanted % rest.extent == 0) {
          pieces[next - 1].push_back({dim, digits.size()});
          digits.push_back(rest);
          wanted /= rest.extent;
          rest.extent = 1;
        } else if (rest.extent % wanted == 0) {
          bool last = position + 1 == group.size();
          Digit outer{
              run.cascade.rank(last ? "e" : kOuter[position == 0], wanted),
              wanted};
          pieces[next - 1].push_back({dim, digits.size()});
          digits.push_back(outer);
          rest.extent /= wanted;
          rest.index = run.cascade.rank("e", rest.extent);
          wanted = 1;
        } else {
          return failure();
        }
      }
      // A dimension of extent 1 still has a digit.
      if (result.digits[dim].empty())
        result.digits[dim].push_back({run.cascade.rank("one", 1), 1});
    }
  }
  for (const auto &refs : view.layout) {
    result.layout.emplace_back();
    for (auto [dim, digit] : refs)
      llvm::append_range(result.layout.back(), became[dim][digit]);
  }
  return result;
}

LogicalResult transfusion::einsum::decomposeView(Run &run, Operation *op) {
  // A matrix from outside is as likely a weight: p and d are not its ranks.
  Value of = getViewSource(op);
  View source = cast<RankedTensorType>(of.getType()).getRank() == 2
                    ? run.view(of, {"x0", "x1"})
                    : run.view(of);
  Value value = op->getResult(0);
  View view;
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
    view = permute(source, transpose.getPermutation());
  } else if (auto reshape = dyn_cast<tensor::CollapseShapeOp>(op)) {
    view = collapse(source, reshape.getReassociationIndices());
  } else {
    auto split = cast<tensor::ExpandShapeOp>(op);
    FailureOr<View> expanded =
        expand(run, source, split.getReassociationIndices(),
               cast<RankedTensorType>(value.getType()).getShape());
    if (failed(expanded))
      return op->emitOpError()
             << "splits a dimension in pieces that its producer does not make; "
                "run --convert-linalg-to-einsum first, which copies what no "
                "access can say";
    view = *expanded;
  }
  if (!run.escapes(value)) {
    run.cascade.setView(value, view);
    return success();
  }
  FailureOr<Read> read = run.cascade.read(op, view, view.digits);
  if (failed(read))
    return failure();
  Equation copy;
  copy.inputs = {*read};
  run.define(op, value, "COPY", copy, view.digits);
  return success();
}
