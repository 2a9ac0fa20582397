//===- AttentionCascade.cpp - One, two or three passes --------------------===//
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
// Two guards are ours: RMG, GMG and LMG replace a maximum of -inf by 0, so that
// exponentials of -inf are 0; RDG and SDG replace the denominator of a row
// without a key, which is 0 then, by 1.
//
//===----------------------------------------------------------------------===//

#include "AttentionCascade.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace transfusion::einsum;

static constexpr double kMinusInf = -std::numeric_limits<double>::infinity();

static Value product(BodyBuilder &b, ValueRange in) {
  return b.mul(in[0], in[1]);
}
static Value sum(BodyBuilder &b, ValueRange in) { return b.add(in[0], in[1]); }
static Value quotientOf(BodyBuilder &b, ValueRange in) {
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
/// (maximum, denominator)
static Value guardDenominator(BodyBuilder &b, ValueRange in) {
  return b.select(b.isMinusInf(in[0]), b.constant(1.0), in[1]);
}

KeyRanks KeyRankList::get(CascadeBuilder &cascade, int64_t keys, int64_t tile,
                          bool iterative) {
  Exprs taken;
  std::string base = "m";
  for (const auto &[others, ranks] : known) {
    if (others == keys)
      return ranks;
    taken.append({ranks.m1, ranks.m0});
    base = std::string("m") + static_cast<char>('a' + known.size() % 26);
  }
  KeyRanks ranks;
  ranks.m1 =
      cascade.rank(base + "1", llvm::divideCeil(keys, tile), iterative, taken);
  ranks.m0 = cascade.rank(base + "0", tile, false, taken);
  known.push_back({keys, ranks});
  return ranks;
}

Exprs AttentionCascade::at(ArrayRef<AffineExpr> middle) const {
  Exprs result = space.heads;
  llvm::append_range(result, middle);
  llvm::append_range(result, space.rows);
  return result;
}

Exprs AttentionCascade::withFeatures(ArrayRef<AffineExpr> middle) const {
  Exprs result = space.features;
  llvm::append_range(result, middle);
  return at(result);
}

Read AttentionCascade::map(StringRef name, ArrayRef<Read> reads,
                           const Exprs &result, Body body, Type element) {
  Equation eq;
  eq.inputs.assign(reads.begin(), reads.end());
  eq.map = std::move(body);
  return {emit(name, std::move(eq), result, element ? element : space.compute),
          result};
}

Read AttentionCascade::reduce(StringRef name, ReduceKind kind,
                              ArrayRef<Read> reads, const Exprs &result,
                              ArrayRef<AffineExpr> over, Body body) {
  Equation eq;
  eq.inputs.assign(reads.begin(), reads.end());
  eq.map = std::move(body);
  eq.reduce = kind;
  eq.reduced.assign(over.begin(), over.end());
  return {emit(name, std::move(eq), result, space.compute), result};
}

/// An equation of slice m1+1; the caller resolves its placeholder.
Value AttentionCascade::recur(StringRef name, ArrayRef<Read> reads,
                              const Exprs &result, Body body, double init) {
  Equation eq;
  eq.inputs.assign(reads.begin(), reads.end());
  eq.map = std::move(body);
  eq.init = init;
  return emit(name, std::move(eq), result, space.compute);
}

Read AttentionCascade::guardedDenominator(StringRef name, const Read &maximum,
                                          const Read &denominator) {
  return map(name, {maximum, denominator}, at({}), guardDenominator);
}

AttentionCascade::Running AttentionCascade::onePass(const Read &qk,
                                                    const Read &values) {
  AffineExpr m1 = space.m1, m0 = space.m0, next = m1 + 1;
  AffineExpr last = getAffineConstantExpr(space.tiles, m1.getContext());

  Read lm = reduce("LM", ReduceKind::Max, {qk}, at({m1}), m0);
  Value rm = cascade.placeholder(at({next}), space.compute);
  Value rmDefined =
      recur("RM", {{rm, at({m1})}, lm}, at({next}), greater, kMinusInf);
  cascade.resolve(rm, rmDefined);
  rm = rmDefined;
  Read maximum = {rm, at({next})};
  if (space.guardMaximum || space.zeroEmptyRows)
    maximum = map("RMG", {maximum}, at({m1}), guard);

  Read sln =
      map("SLN", {qk, maximum}, at({m1, m0}), expOfDifference, space.storage);
  Read sld = reduce("SLD", ReduceKind::Add, {sln}, at({m1}), m0);
  Read slnv = reduce("SLNV", ReduceKind::Add, {sln, values}, withFeatures({m1}),
                     m0, product);
  Read prm = map("PRM", {{rm, at({m1})}, maximum}, at({m1}), expOfDifference);

  Value rd = cascade.placeholder(at({next}), space.compute);
  Read spd = map("SPD", {{rd, at({m1})}, prm}, at({m1}), product);
  Value rdDefined = recur("RD", {sld, spd}, at({next}), sum, 0.0);
  cascade.resolve(rd, rdDefined);

  Value rnv = cascade.placeholder(withFeatures({next}), space.compute);
  Read spnv = map("SPNV", {{rnv, withFeatures({m1})}, prm}, withFeatures({m1}),
                  product);
  Value rnvDefined = recur("RNV", {slnv, spnv}, withFeatures({next}), sum, 0.0);
  cascade.resolve(rnv, rnvDefined);

  return {{rm, at({last})},
          {rdDefined, at({last})},
          {rnvDefined, withFeatures({last})}};
}

/// The keys behind a cache are one more tile, of their own length: their local
/// softmax and that of the cache are corrected by the maximum of both. Without
/// `zeroEmptyRows`, a row that sees no key at all has -inf - -inf = NaN here,
/// as in a plain softmax.
AttentionCascade::Running AttentionCascade::mergeNew(const Running &cached,
                                                     const Read &qk,
                                                     const Read &values,
                                                     ArrayRef<AffineExpr> n) {
  Read lm = reduce("LMN", ReduceKind::Max, {qk}, at({}), n);
  Read gm = map("GM", {cached.maximum, lm}, at({}), greater);
  Read maximum = gm;
  if (space.zeroEmptyRows)
    maximum = map("GMG", {gm}, at({}), guard);
  Read sln = map("SLNN", {qk, maximum}, at(n), expOfDifference, space.storage);
  Read sld = reduce("SLDN", ReduceKind::Add, {sln}, at({}), n);
  Read slnv = reduce("SLNVN", ReduceKind::Add, {sln, values}, withFeatures({}),
                     n, product);
  Read prm = map("PRMN", {cached.maximum, maximum}, at({}), expOfDifference);
  Read spd = map("SPDN", {cached.denominator, prm}, at({}), product);
  Read sd = map("SD", {sld, spd}, at({}), sum);
  Read spnv = map("SPNVN", {cached.numerator, prm}, withFeatures({}), product);
  Read snv = map("SNV", {slnv, spnv}, withFeatures({}), sum);
  return {gm, sd, snv};
}

Equation AttentionCascade::quotient(const Running &running) {
  Read denominator = running.denominator;
  if (space.zeroEmptyRows)
    denominator = guardedDenominator("RDG", running.maximum, denominator);
  Equation av;
  av.inputs = {running.numerator, denominator};
  av.map = quotientOf;
  return av;
}

/// AV: values weighted by a softmax that is complete.
static Equation weighted(const Read &weights, const Read &values,
                         ArrayRef<AffineExpr> keys) {
  Equation av;
  av.inputs = {weights, values};
  av.map = product;
  av.reduce = ReduceKind::Add;
  av.reduced.assign(keys.begin(), keys.end());
  return av;
}

Equation AttentionCascade::twoPasses(const Read &qk, const Read &values) {
  AffineExpr m1 = space.m1, m0 = space.m0;
  bool guards = space.guardMaximum || space.zeroEmptyRows;
  Read lm = reduce("LM", ReduceKind::Max, {qk}, at({m1}), m0);
  Read local = guards ? map("LMG", {lm}, at({m1}), guard) : lm;
  Read sln = map("SLN", {qk, local}, at({m1, m0}), expOfDifference);
  Read sld = reduce("SLD", ReduceKind::Add, {sln}, at({m1}), m0);
  Read gm = reduce("GM", ReduceKind::Max, {lm}, at({}), m1);
  Read global = guards ? map("GMG", {gm}, at({}), guard) : gm;
  Read prm = map("PRM", {lm, global}, at({m1}), expOfDifference);
  Read spd = map("SPD", {sld, prm}, at({m1}), product);
  Read sd = reduce("SD", ReduceKind::Add, {spd}, at({}), m1);
  if (space.zeroEmptyRows)
    sd = guardedDenominator("SDG", gm, sd);

  Read sn = map("SN", {sln, prm}, at({m1, m0}), product);
  Read a = map("A", {sn, sd}, at({m1, m0}), quotientOf, space.storage);
  return weighted(a, values, {m1, m0});
}

Equation AttentionCascade::threePasses(const Read &qk, const Read &values) {
  AffineExpr m1 = space.m1, m0 = space.m0;
  Read gm = reduce("GM", ReduceKind::Max, {qk}, at({}), {m1, m0});
  Read maximum = space.zeroEmptyRows ? map("GMG", {gm}, at({}), guard) : gm;
  Read sn = map("SN", {qk, maximum}, at({m1, m0}), expOfDifference);
  Read sd = reduce("SD", ReduceKind::Add, {sn}, at({}), {m1, m0});
  if (space.zeroEmptyRows)
    sd = guardedDenominator("SDG", gm, sd);
  Read a = map("A", {sn, sd}, at({m1, m0}), quotientOf, space.storage);
  return weighted(a, values, {m1, m0});
}
