//===- DecomposeLinear.cpp - Projections and the feed-forward network -----===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

using namespace mlir;
using namespace transfusion::einsum;

static Value multiply(BodyBuilder &b, ValueRange in) {
  return b.mul(in[0], in[1]);
}
static Value addBias(BodyBuilder &b, ValueRange in) {
  return b.add(in[0], in[1]);
}

/// `x[at] * weight`, summed over the last dimension of `at`, plus bias. The
/// weight's features begin at `offset`: several projections share a tensor.
static FailureOr<Equation> project(Run &run, Operation *op, const View &x,
                                   const Index &at, Value weight, bool outIn,
                                   Value bias, const DimIndex &out,
                                   int64_t offset = 0) {
  const DimIndex &in = at.back();
  AffineExpr column = merge(out) + offset;
  // A fused weight is wider than `out`, so its access is made here.
  Digit row{merge(in), extentOf(in)};
  Equation eq;
  FailureOr<Read> input = run.cascade.read(op, x, at);
  if (failed(input))
    return failure();
  eq.inputs.push_back(*input);
  auto width =
      cast<RankedTensorType>(weight.getType()).getDimSize(outIn ? 0 : 1);
  if (run.cascade.isKnown(weight)) {
    Index index = {{row}, {Digit{column, width}}};
    if (outIn)
      std::swap(index[0], index[1]);
    FailureOr<Read> read = run.cascade.read(op, run.view(weight), index);
    if (failed(read))
      return failure();
    eq.inputs.push_back(*read);
  } else {
    eq.inputs.push_back(outIn ? Read{weight, {column, row.index}}
                              : Read{weight, {row.index, column}});
  }
  eq.map = multiply;
  eq.reduce = ReduceKind::Add;
  eq.reduced = flatten(in);
  if (bias) {
    if (run.cascade.isKnown(bias)) {
      FailureOr<Read> read =
          run.cascade.read(op, run.view(bias), {{Digit{column, width}}});
      if (failed(read))
        return failure();
      eq.finishInputs.push_back(*read);
    } else {
      eq.finishInputs.push_back(Read{bias, {column}});
    }
    eq.finish = addBias;
  }
  return eq;
}

/// All ranks of an index.
static Exprs ranksOf(const Index &index) {
  Exprs result;
  for (const DimIndex &dim : index)
    llvm::append_range(result, flatten(dim));
  return result;
}

/// Heads: h; where keys have fewer, kv for those and [kv, g] for queries.
static DimIndex headDigits(Run &run, QkvOp op, bool isQuery,
                           ArrayRef<AffineExpr> taken) {
  auto heads = static_cast<int64_t>(op.getHeads());
  int64_t keyHeads = op.getKeyHeads();
  if (heads == keyHeads)
    return {Digit{run.cascade.rank("h", heads, false, taken), heads}};
  Digit kv{run.cascade.rank("kv", keyHeads, false, taken), keyHeads};
  if (!isQuery)
    return {kv};
  int64_t group = heads / keyHeads;
  return {kv, Digit{run.cascade.rank("g", group, false, taken), group}};
}

LogicalResult transfusion::einsum::decompose(Run &run, QkvOp op) {
  struct Part {
    StringRef name, feature;
    bool isQuery;
  };
  static constexpr Part kParts[] = {
      {"Q", "e", true}, {"BK", "e", false}, {"BV", "f", false}};
  int64_t offset = 0;
  for (auto [i, part] : llvm::enumerate(kParts)) {
    Value result = op->getResult(i);
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(result.getType()).getShape();
    int64_t begin = offset; // of its features in a fused weight
    offset += shape[1] * shape[3];
    if (result.use_empty())
      continue;
    // Keys and values walk the sequence on their own: attention reads all of
    // them for each query.
    View x =
        run.view(!part.isQuery && op.getMemory() ? op.getMemory() : op.getX());
    Index at = x.digits;
    if (!part.isQuery)
      at[1] = {
          Digit{run.cascade.rank("m", shape[2], false, ranksOf(at)), shape[2]}};
    Exprs taken = ranksOf(at);
    DimIndex heads = headDigits(run, op, part.isQuery, taken);
    llvm::append_range(taken, flatten(heads));
    DimIndex features;
    if (RopeOp rope = run.fedRope(result))
      features =
          pairDigits(run, part.feature, shape[3], rope.getInterleaved(), taken);
    else
      features = {Digit{run.cascade.rank(part.feature, shape[3], false, taken),
                        shape[3]}};
    DimIndex out = heads;
    out.append(features);
    bool fused = op.isFused();
    FailureOr<Equation> eq = project(
        run, op, x, at, op.getWeights()[fused ? 0 : i], op.getOutIn(),
        op.getBiases().empty() ? Value() : op.getBiases()[fused ? 0 : i], out,
        fused ? begin : 0);
    if (failed(eq))
      return failure();
    run.define(op, result, part.name, *eq, {at[0], heads, at[1], features});
  }
  return success();
}

/// Ranks for the features that a layer makes: those of the input where the
/// width is the same and `reuse`, else a rank of that name.
static DimIndex outFeatures(Run &run, const View &x, StringRef name,
                            int64_t width, bool reuse) {
  const DimIndex &in = x.digits.back();
  if (reuse && extentOf(in) == width)
    return in;
  return {
      Digit{run.cascade.rank(name, width, false, ranksOf(x.digits)), width}};
}

LogicalResult transfusion::einsum::decompose(Run &run, LinearOp op) {
  View x = run.view(op.getX());
  int64_t width = cast<RankedTensorType>(op.getType()).getShape().back();
  // d is the model's width; a projection that already reads it makes n.
  bool readsModel = x.digits.back().size() == 1;
  DimIndex out = outFeatures(run, x, readsModel ? "n" : "d", width, false);
  FailureOr<Equation> eq = project(run, op, x, x.digits, op.getWeight(),
                                   op.getOutIn(), op.getBias(), out);
  if (failed(eq))
    return failure();
  Index index = x.digits;
  index.back() = out;
  run.define(op, op.getResult(), "L", *eq, index);
  return success();
}

Body transfusion::einsum::activationBody(Activation kind) {
  switch (kind) {
  case Activation::Relu:
    return [](BodyBuilder &b, ValueRange in) {
      return b.max(in[0], b.constant(0.0));
    };
  case Activation::Gelu:
    // (x * 0.5) * (1 + erf(x / sqrt 2)): 3 mac, 1 add, 1 erf.
    return [](BodyBuilder &b, ValueRange in) {
      Value erf = b.erf(b.mul(in[0], b.constant(0.70710678118654752440)));
      return b.mul(b.mul(in[0], b.constant(0.5)), b.add(erf, b.constant(1.0)));
    };
  case Activation::GeluTanh:
    // (x * 0.5) * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
    return [](BodyBuilder &b, ValueRange in) {
      Value cubic =
          b.mul(b.mul(b.mul(in[0], in[0]), in[0]), b.constant(0.044715));
      Value tanh = b.tanh(
          b.mul(b.add(in[0], cubic), b.constant(0.79788456080286535588)));
      return b.mul(b.mul(in[0], b.constant(0.5)), b.add(tanh, b.constant(1.0)));
    };
  case Activation::Silu:
    // x * (1 / (1 + exp(-x))): 1 mac, 2 add, 1 exp, 1 div.
    return [](BodyBuilder &b, ValueRange in) {
      Value below = b.add(b.exp(b.negate(in[0])), b.constant(1.0));
      return b.mul(in[0], b.div(b.constant(1.0), below));
    };
  }
  return {};
}

LogicalResult transfusion::einsum::decompose(Run &run, FfnOp op) {
  View x = run.view(op.getX());
  bool hasBias = !op.getBiases().empty();
  int64_t hidden = cast<RankedTensorType>(op.getW1().getType())
                       .getDimSize(op.getOutIn() ? 0 : 1);
  DimIndex s = outFeatures(run, x, "s", hidden, false);
  Type compute = run.computeType(op.getResult());
  Type storage = run.storageType(op.getResult());

  FailureOr<Equation> first =
      project(run, op, x, x.digits, op.getW1(), op.getOutIn(),
              hasBias ? op.getBiases()[0] : Value(), s);
  if (failed(first))
    return failure();
  Index index = x.digits;
  index.back() = s;
  Exprs rows = ranksOf(index);
  Value ffn1 = run.inner(op, "FFN1", *first, rows, compute);

  Equation act;
  act.inputs = {{ffn1, rows}};
  act.map = activationBody(op.getActivation());
  if (op.getGate()) {
    FailureOr<Equation> gate =
        project(run, op, x, x.digits, op.getGate(), op.getOutIn(),
                hasBias ? op.getBiases()[2] : Value(), s);
    if (failed(gate))
      return failure();
    Value ffg = run.inner(op, "FFG", *gate, rows, compute);
    act.inputs = {{ffg, rows}, {ffn1, rows}};
    act.map = [inner = act.map](BodyBuilder &b, ValueRange in) {
      return b.mul(inner(b, in.take_front()), in[1]);
    };
  }
  Value ar = run.inner(op, "AR", act, rows, storage);

  View hiddenView;
  hiddenView.tensor = ar;
  hiddenView.digits = index;
  for (auto [i, digits] : llvm::enumerate(index))
    for (unsigned j = 0, e = digits.size(); j < e; ++j)
      hiddenView.layout.push_back({DigitRef(i, j)});
  DimIndex out =
      outFeatures(run, x, "d",
                  cast<RankedTensorType>(op.getType()).getShape().back(), true);
  FailureOr<Equation> second =
      project(run, op, hiddenView, index, op.getW2(), op.getOutIn(),
              hasBias ? op.getBiases()[1] : Value(), out);
  if (failed(second))
    return failure();
  index.back() = out;
  run.define(op, op.getResult(), "FFN2", *second, index);
  return success();
}
