//===- DecomposeNorm.cpp - Residual, layer norm and softmax ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

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
  Equation eq;
  eq.inputs = {*lhs, *rhs};
  eq.map = [](BodyBuilder &b, ValueRange in) { return b.add(in[0], in[1]); };
  run.define(op, op.getResult(), "IAV", eq, index);
  return success();
}

LogicalResult transfusion::einsum::decompose(Run &run, LayerNormOp op) {
  View x = run.view(op.getX());
  Exprs rows = ranksOf(ArrayRef<DimIndex>(x.digits).drop_back());
  Exprs columns = flatten(x.digits.back());
  Exprs all = rows;
  llvm::append_range(all, columns);
  double perColumn = 1.0 / static_cast<double>(extentOf(x.digits.back()));
  Type type = run.computeType(op.getResult());
  FailureOr<Read> input = run.cascade.read(op, x, x.digits);
  if (failed(input))
    return failure();

  auto sum = [&](StringRef name, const Read &read) {
    Equation eq;
    eq.inputs = {read};
    eq.reduce = ReduceKind::Add;
    eq.reduced = columns;
    return Read{run.inner(op, name, eq, rows, type), rows};
  };
  auto map = [&](StringRef name, ArrayRef<Read> reads,
                 ArrayRef<AffineExpr> result, Body body) {
    Equation eq;
    eq.inputs.assign(reads.begin(), reads.end());
    eq.map = std::move(body);
    return Read{run.inner(op, name, eq, result, type), Exprs(result)};
  };
  // The width is a constant: its reciprocal turns a division into a mac.
  auto mean = [perColumn](BodyBuilder &b, ValueRange in) {
    return b.mul(in[0], b.constant(perColumn));
  };

  Read sav = sum("SAV", *input);
  Read mav = map("MAV", sav, rows, mean);
  Read dav = map("DAV", {*input, mav}, all, [](BodyBuilder &b, ValueRange in) {
    return b.sub(in[0], in[1]);
  });
  Read qav = map("QAV", dav, all, [](BodyBuilder &b, ValueRange in) {
    return b.mul(in[0], in[0]);
  });
  Read sqav = sum("SQAV", qav);
  Read mqav = map("MQAV", sqav, rows, mean);
  double eps = op.getEps().convertToDouble();
  Read sr = map("SR", mqav, rows, [eps](BodyBuilder &b, ValueRange in) {
    return b.rsqrt(b.add(in[0], b.constant(eps)));
  });

  Equation nr;
  nr.inputs = {dav, sr};
  for (Value v : {op.getGamma(), op.getBeta()}) {
    if (!v)
      continue;
    FailureOr<Read> read =
        run.cascade.isKnown(v)
            ? run.cascade.read(op, run.view(v), {x.digits.back()})
            : FailureOr<Read>(Read{v, {merge(x.digits.back())}});
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

LogicalResult transfusion::einsum::decompose(Run &run, RmsNormOp op) {
  View x = run.view(op.getX());
  const DimIndex &width = x.digits.back();
  Exprs rows = ranksOf(ArrayRef<DimIndex>(x.digits).drop_back());
  Exprs all = ranksOf(x.digits);
  Type type = run.computeType(op.getResult());
  FailureOr<Read> input = run.cascade.read(op, x, x.digits);
  if (failed(input))
    return failure();
  auto define = [&](StringRef name, const Read &read, const Exprs &result,
                    Body body) {
    Equation eq;
    eq.inputs = {read};
    eq.map = std::move(body);
    if (!eq.map) {
      eq.reduce = ReduceKind::Add;
      eq.reduced = flatten(width);
    }
    return Read{run.inner(op, name, eq, result, type), result};
  };
  Read qav = define("QAV", *input, all, [](BodyBuilder &b, ValueRange in) {
    return b.mul(in[0], in[0]);
  });
  Read sqav = define("SQAV", qav, rows, {});
  double perColumn = 1.0 / static_cast<double>(extentOf(width));
  Read mqav =
      define("MQAV", sqav, rows, [perColumn](BodyBuilder &b, ValueRange in) {
        return b.mul(in[0], b.constant(perColumn));
      });
  double eps = op.getEps().convertToDouble();
  Read sr = define("SR", mqav, rows, [eps](BodyBuilder &b, ValueRange in) {
    return b.rsqrt(b.add(in[0], b.constant(eps)));
  });

  Equation nr;
  nr.inputs = {*input, sr};
  if (Value gamma = op.getGamma()) {
    FailureOr<Read> read = run.cascade.isKnown(gamma)
                               ? run.cascade.read(op, run.view(gamma), {width})
                               : FailureOr<Read>(Read{gamma, {merge(width)}});
    if (failed(read))
      return failure();
    nr.inputs.push_back(*read);
  }
  nr.map = [](BodyBuilder &b, ValueRange in) {
    Value value = b.mul(in[0], in[1]);
    return in.size() > 2 ? b.mul(value, in[2]) : value;
  };
  run.define(op, op.getResult(), "NR", nr, x.digits);
  return success();
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
