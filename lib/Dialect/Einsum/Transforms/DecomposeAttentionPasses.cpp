//===- DecomposeAttentionPasses.cpp - One, two or three passes ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cascades of FuseMax (MICRO 2024), under the names used there. The keys
// are split into m1 tiles of m0 keys. One pass keeps a running maximum (RM),
// denominator (RD) and numerator (RNV) over m1. Two passes correct local
// softmaxes by the global maximum; three take that maximum first.
//
//===----------------------------------------------------------------------===//

#include "DecomposeAttention.h"

#include <limits>

using namespace mlir;
using namespace transfusion::einsum;

static constexpr double kMinusInf = -std::numeric_limits<double>::infinity();

static Value product(BodyBuilder &b, ValueRange in) {
  return b.mul(in[0], in[1]);
}
static Value sum(BodyBuilder &b, ValueRange in) { return b.add(in[0], in[1]); }
static Value quotient(BodyBuilder &b, ValueRange in) {
  return b.div(in[0], in[1]);
}
static Value greater(BodyBuilder &b, ValueRange in) {
  return b.max(in[0], in[1]);
}
static Value expOfDifference(BodyBuilder &b, ValueRange in) {
  return b.exp(b.sub(in[0], in[1]));
}
static Value guard(BodyBuilder &b, ValueRange in) {
  return b.zeroIfMinusInf(in[0]);
}

Read Attention::map(StringRef name, ArrayRef<Read> reads, const Exprs &result,
                    Body body, Type element) {
  Equation eq;
  eq.inputs.assign(reads.begin(), reads.end());
  eq.map = std::move(body);
  Value tensor = run.inner(op, name, eq, result, element ? element : compute);
  note(tensor);
  return {tensor, result};
}

Read Attention::reduce(StringRef name, ReduceKind kind, ArrayRef<Read> reads,
                       const Exprs &result, ArrayRef<AffineExpr> over,
                       Body body) {
  Equation eq;
  eq.inputs.assign(reads.begin(), reads.end());
  eq.map = std::move(body);
  eq.reduce = kind;
  eq.reduced.assign(over.begin(), over.end());
  Value tensor = run.inner(op, name, eq, result, compute);
  note(tensor);
  return {tensor, result};
}

LogicalResult Attention::onePass() {
  AffineExpr last = getAffineConstantExpr(tiles, op.getContext());
  AffineExpr next = m1 + 1;
  FailureOr<Read> bv = values(tiled);
  if (failed(bv))
    return failure();
  CascadeBuilder &c = run.cascade;
  auto recur = [&](StringRef name, ArrayRef<Read> reads, const Exprs &result,
                   Body body, double init) {
    Equation eq;
    eq.inputs.assign(reads.begin(), reads.end());
    eq.map = std::move(body);
    eq.init = init;
    Value tensor = run.inner(op, name, eq, result, compute);
    note(tensor);
    return tensor;
  };

  Read lm = reduce("LM", ReduceKind::Max, {qk}, at({m1}), m0);
  Value rm = c.placeholder(at({next}), compute);
  Value rmDefined =
      recur("RM", {{rm, at({m1})}, lm}, at({next}), greater, kMinusInf);
  c.resolve(rm, rmDefined);
  rm = rmDefined;
  Read maximum = {rm, at({next})};
  if (needsGuard)
    maximum = map("RMG", {maximum}, at({m1}), guard);

  Read sln = map("SLN", {qk, maximum}, at({m1, m0}), expOfDifference, storage);
  Read sld = reduce("SLD", ReduceKind::Add, {sln}, at({m1}), m0);
  Read slnv = reduce("SLNV", ReduceKind::Add, {sln, *bv}, withFeatures({m1}),
                     m0, product);
  Read prm = map("PRM", {{rm, at({m1})}, maximum}, at({m1}), expOfDifference);

  Value rd = c.placeholder(at({next}), compute);
  Read spd = map("SPD", {{rd, at({m1})}, prm}, at({m1}), product);
  Value rdDefined = recur("RD", {sld, spd}, at({next}), sum, 0.0);
  c.resolve(rd, rdDefined);

  Value rnv = c.placeholder(withFeatures({next}), compute);
  Read spnv = map("SPNV", {{rnv, withFeatures({m1})}, prm}, withFeatures({m1}),
                  product);
  Value rnvDefined = recur("RNV", {slnv, spnv}, withFeatures({next}), sum, 0.0);
  c.resolve(rnv, rnvDefined);

  if (now)
    return mergeNew({rm, at({last})}, {rdDefined, at({last})},
                    {rnvDefined, withFeatures({last})});
  Equation av;
  av.inputs = {{rnvDefined, withFeatures({last})}, {rdDefined, at({last})}};
  av.map = quotient;
  defineResult(std::move(av));
  return success();
}

/// The keys behind a cache are one more tile, of their own length: their local
/// softmax and that of the cache are corrected by the maximum of both. A row
/// that sees no key at all has -inf - -inf = NaN here, as in a plain softmax.
LogicalResult Attention::mergeNew(const Read &rm, const Read &rd,
                                  const Read &rnv) {
  FailureOr<Read> scores = score("QKN", *now);
  if (failed(scores))
    return failure();
  FailureOr<Read> bv = values(*now);
  if (failed(bv))
    return failure();
  const Exprs &n = now->ranks;
  Read lm = reduce("LMN", ReduceKind::Max, {*scores}, at({}), n);
  Read gm = map("GM", {rm, lm}, at({}), greater);
  Read sln = map("SLNN", {*scores, gm}, at(n), expOfDifference, storage);
  Read sld = reduce("SLDN", ReduceKind::Add, {sln}, at({}), n);
  Read slnv = reduce("SLNVN", ReduceKind::Add, {sln, *bv}, withFeatures({}), n,
                     product);
  Read prm = map("PRMN", {rm, gm}, at({}), expOfDifference);
  Read spd = map("SPDN", {rd, prm}, at({}), product);
  Read sd = map("SD", {sld, spd}, at({}), sum);
  Read spnv = map("SPNVN", {rnv, prm}, withFeatures({}), product);
  Read snv = map("SNV", {slnv, spnv}, withFeatures({}), sum);

  Equation av;
  av.inputs = {snv, sd};
  av.map = quotient;
  defineResult(std::move(av));
  return success();
}

LogicalResult Attention::twoPasses() {
  FailureOr<Read> bv = values(tiled);
  if (failed(bv))
    return failure();
  Read lm = reduce("LM", ReduceKind::Max, {qk}, at({m1}), m0);
  Read local = needsGuard ? map("LMG", {lm}, at({m1}), guard) : lm;
  Read sln = map("SLN", {qk, local}, at({m1, m0}), expOfDifference);
  Read sld = reduce("SLD", ReduceKind::Add, {sln}, at({m1}), m0);
  Read gm = reduce("GM", ReduceKind::Max, {lm}, at({}), m1);
  Read global = needsGuard ? map("GMG", {gm}, at({}), guard) : gm;
  Read prm = map("PRM", {lm, global}, at({m1}), expOfDifference);
  Read spd = map("SPD", {sld, prm}, at({m1}), product);
  Read sd = reduce("SD", ReduceKind::Add, {spd}, at({}), m1);

  Read sn = map("SN", {sln, prm}, at({m1, m0}), product);
  Read a = map("A", {sn, sd}, at({m1, m0}), quotient, storage);
  Equation av;
  av.inputs = {a, *bv};
  av.map = product;
  av.reduce = ReduceKind::Add;
  av.reduced = {m1, m0};
  defineResult(std::move(av));
  return success();
}

LogicalResult Attention::threePasses() {
  FailureOr<Read> bv = values(tiled);
  if (failed(bv))
    return failure();
  Read gm = reduce("GM", ReduceKind::Max, {qk}, at({}), {m1, m0});
  Read sn = map("SN", {qk, gm}, at({m1, m0}), expOfDifference);
  Read sd = reduce("SD", ReduceKind::Add, {sn}, at({}), {m1, m0});
  Read a = map("A", {sn, sd}, at({m1, m0}), quotient, storage);
  Equation av;
  av.inputs = {a, *bv};
  av.map = product;
  av.reduce = ReduceKind::Add;
  av.reduced = {m1, m0};
  defineResult(std::move(av));
  return success();
}
