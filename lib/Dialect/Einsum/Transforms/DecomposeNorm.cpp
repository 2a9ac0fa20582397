//===- DecomposeNorm.cpp - Residual, layer norm and softmax ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "NormCascade.h"

using namespace mlir;
using namespace transfusion::einsum;

static Exprs ranksOf(ArrayRef<DimIndex> index) {
  Exprs result;
  for (const DimIndex &dim : index)
    llvm::append_range(result, flatten(dim));
  return result;
}

LogicalResult transfusion::einsum::decompose(Run &run, AddOp op) {
  // The ranks of an operand that an Einsum made, if there is one; per dimension
  // the finer split, so that the other one is read at h*F + f.
  Value first = op.getLhs(), second = op.getRhs();
  if (!run.cascade.isKnown(first) && run.cascade.isKnown(second))
    std::swap(first, second);
  View a = run.view(first);
  View b = run.view(second);
  Index index = a.digits;
  for (auto [mine, other] : llvm::zip(index, b.digits))
    if (other.size() > mine.size())
      mine = other;
  FailureOr<Read> lhs = run.cascade.read(op, run.view(op.getLhs()), index);
  if (failed(lhs))
    return failure();
  FailureOr<Read> rhs = run.cascade.read(op, run.view(op.getRhs()), index);
  if (failed(rhs))
    return failure();
  // What is nearer to the arguments first: x + f(x), whoever wrote it how.
  Operation *made = lhs->tensor.getDefiningOp<MapReduceOp>();
  Operation *other = rhs->tensor.getDefiningOp<MapReduceOp>();
  if (made && (!other || other->isBeforeInBlock(made)))
    std::swap(*lhs, *rhs);
  Equation eq;
  eq.inputs = {*lhs, *rhs};
  eq.map = [](BodyBuilder &b, ValueRange in) { return b.add(in[0], in[1]); };
  run.define(op, op.getResult(), "IAV", eq, index);
  return success();
}

/// The norm of x: its statistics, then NR with gamma and beta, where there are.
template <typename Op>
static LogicalResult
decomposeNorm(Run &run, Op op, ArrayRef<Value> parameters,
              Normalizer (*statistics)(const NormSpace &, const Read &,
                                       const EmitEinsum &)) {
  View x = run.view(op.getX());
  const DimIndex &width = x.digits.back();
  NormSpace space;
  space.rows = ranksOf(ArrayRef<DimIndex>(x.digits).drop_back());
  space.columns = flatten(width);
  space.width = extentOf(width);
  space.eps = op.getEps().convertToDouble();
  space.compute = run.computeType(op.getResult());
  FailureOr<Read> input = run.cascade.read(op, x, x.digits);
  if (failed(input))
    return failure();
  Normalizer norm = statistics(
      space, *input,
      [&](StringRef name, Equation eq, ArrayRef<AffineExpr> result, Type type) {
        return run.inner(op, name, std::move(eq), result, type);
      });

  Equation nr;
  nr.inputs = {norm.value, norm.inverse};
  for (Value v : parameters) {
    if (!v)
      continue;
    FailureOr<Read> read = run.cascade.isKnown(v)
                               ? run.cascade.read(op, run.view(v), {width})
                               : FailureOr<Read>(Read{v, {merge(width)}});
    if (failed(read))
      return failure();
    nr.inputs.push_back(*read);
  }
  nr.map = [](BodyBuilder &b, ValueRange in) {
    Value value = b.mul(in[0], in[1]);
    if (in.size() > 2)
      value = b.mul(value, in[2]);
    return in.size() > 3 ? b.add(value, in[3]) : value;
  };
  run.define(op, op.getResult(), "NR", nr, x.digits);
  return success();
}

LogicalResult transfusion::einsum::decompose(Run &run, LayerNormOp op) {
  return decomposeNorm(run, op, {op.getGamma(), op.getBeta()}, emitLayerNorm);
}

LogicalResult transfusion::einsum::decompose(Run &run, RmsNormOp op) {
  return decomposeNorm(run, op, {op.getGamma()}, emitRmsNorm);
}

LogicalResult transfusion::einsum::decompose(Run &run, SoftmaxOp op) {
  View x = run.view(op.getX());
  Exprs rows, all = ranksOf(x.digits);
  for (auto [i, dim] : llvm::enumerate(x.digits))
    if (i != op.getAxis())
      llvm::append_range(rows, flatten(dim));
  Exprs axis = flatten(x.digits[op.getAxis()]);
  Type type = run.computeType(op.getResult());
  FailureOr<Read> input = run.cascade.read(op, x, x.digits);
  if (failed(input))
    return failure();

  auto reduce = [&](StringRef name, const Read &read, ReduceKind kind) {
    Equation eq;
    eq.inputs = {read};
    eq.reduce = kind;
    eq.reduced = axis;
    return Read{run.inner(op, name, eq, rows, type), rows};
  };
  Read gm = reduce("GM", *input, ReduceKind::Max);
  Equation exp;
  exp.inputs = {*input, gm};
  exp.map = [](BodyBuilder &b, ValueRange in) {
    return b.exp(b.sub(in[0], in[1]));
  };
  Read sn{run.inner(op, "SN", exp, all, type), all};
  Read sd = reduce("SD", sn, ReduceKind::Add);
  Equation div;
  div.inputs = {sn, sd};
  div.map = [](BodyBuilder &b, ValueRange in) { return b.div(in[0], in[1]); };
  run.define(op, op.getResult(), "A", div, x.digits);
  return success();
}
