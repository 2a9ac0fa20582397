//===- DecomposeAttention.cpp - Attention in one, two or three passes -----===//
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

#include "Decompose.h"

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

namespace {
/// One attention on its way into equations. A tensor's access is its ranks, in
/// the order [b, h, (f,) m1, m0, p] of the papers.
class Attention {
public:
  Attention(Run &run, MhaOp op);
  LogicalResult decompose();

private:
  std::pair<AffineExpr, AffineExpr> keyRanks();
  LogicalResult score();
  LogicalResult onePass();
  LogicalResult twoPasses();
  LogicalResult threePasses();

  /// Ranks: heads (b, h), then those given, then rows.
  Exprs at(ArrayRef<AffineExpr> middle) const {
    Exprs result = heads;
    llvm::append_range(result, middle);
    llvm::append_range(result, rows);
    return result;
  }
  Exprs withFeatures(ArrayRef<AffineExpr> middle) const {
    Exprs result = features;
    llvm::append_range(result, middle);
    return at(result);
  }
  Read map(StringRef name, ArrayRef<Read> reads, const Exprs &result, Body body,
           Type element = {});
  Read reduce(StringRef name, ReduceKind kind, ArrayRef<Read> reads,
              const Exprs &result, ArrayRef<AffineExpr> over, Body body = {});
  FailureOr<Read> values();
  void defineResult(Equation eq);
  void note(Value tensor) {
    einsums.push_back(tensor.getDefiningOp<MapReduceOp>());
  }

  Run &run;
  MhaOp op;
  View q, k, v;
  int64_t keys, tile, tiles;
  AffineExpr m1, m0;
  Exprs heads, rows, features;
  DimIndex key;
  Type compute, storage;
  bool needsGuard;
  Read qk;
  SmallVector<MapReduceOp> einsums;
};
} // namespace

Attention::Attention(Run &run, MhaOp op) : run(run), op(op) {
  q = run.view(op.getQ(), {"b", "h", "p", "e"});
  k = run.view(op.getK(), {"b", "h", "m", "e"});
  v = run.view(op.getV(), {"b", "h", "m", "f"});
  keys = cast<RankedTensorType>(op.getK().getType()).getDimSize(2);
  tile = run.options.keyTile ? std::min(run.options.keyTile, keys) : keys;
  tiles = (keys + tile - 1) / tile;
  heads = flatten(q.digits[0]);
  llvm::append_range(heads, flatten(q.digits[1]));
  rows = flatten(q.digits[2]);
  std::tie(m1, m0) = keyRanks();
  key = {Digit{m1 * tile + m0, keys}};
  compute = run.computeType(op.getResult());
  storage = run.storageType(op.getResult());
  // Where a row has seen no key yet, its maximum is -inf, and exp(-inf - -inf)
  // is NaN though softmax is finite. A mask can do that to any tile. `causal`
  // and a ragged tile cannot: a row that sees any key sees key 0, so after the
  // first tile its maximum is finite, and tiles that are empty leave it so.
  needsGuard = op.getMask() != nullptr;
}

/// Attentions over the same number of keys share their ranks. Others are mb1
/// and mb0, mc1 and mc0, ...: --einsum-partition takes `mb` for such a pair.
std::pair<AffineExpr, AffineExpr> Attention::keyRanks() {
  bool iterative = run.options.attentionPasses == 1;
  Exprs taken;
  std::string base = "m";
  for (const Run::KeyRanks &other : run.keyRanks) {
    if (other.keys == keys)
      return {other.m1, other.m0};
    taken.append({other.m1, other.m0});
    base = std::string("m") + static_cast<char>('a' + run.keyRanks.size() % 26);
  }
  AffineExpr outer = run.cascade.rank(base + "1", tiles, iterative, taken);
  AffineExpr inner = run.cascade.rank(base + "0", tile, false, taken);
  run.keyRanks.push_back({keys, outer, inner});
  return {outer, inner};
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

/// QK, with scale and mask in its finish, causality and a ragged last tile in
/// its domain: all that reads it inherits the domain.
LogicalResult Attention::score() {
  Index keyIndex = {q.digits[0], q.digits[1], key, q.digits[3]};
  FailureOr<Read> readQ = run.cascade.read(op, q, q.digits);
  if (failed(readQ))
    return failure();
  FailureOr<Read> readK = run.cascade.read(op, k, keyIndex);
  if (failed(readK))
    return failure();
  Equation eq;
  eq.inputs = {*readQ, *readK};
  eq.map = product;
  eq.reduce = ReduceKind::Add;
  eq.reduced = flatten(q.digits[3]);

  Index scores = {q.digits[0], q.digits[1], q.digits[2], key};
  if (Value mask = op.getMask()) {
    Read read{mask, {}};
    auto shape = cast<RankedTensorType>(mask.getType()).getShape();
    if (run.cascade.isKnown(mask)) { // computed by the run: follow its view
      View view = run.view(mask);
      Index index;
      for (auto [i, extent] : llvm::enumerate(shape)) {
        const DimIndex &full = scores[4 - shape.size() + i];
        index.push_back(
            extent == 1 && extentOf(full) != 1
                ? DimIndex{Digit{getAffineConstantExpr(0, op.getContext()), 1}}
                : full);
      }
      FailureOr<Read> found = run.cascade.read(op, view, index);
      if (failed(found))
        return failure();
      read = *found;
    } else {
      for (auto [i, extent] : llvm::enumerate(shape))
        read.access.push_back(extent == 1
                                  ? getAffineConstantExpr(0, op.getContext())
                                  : merge(scores[4 - shape.size() + i]));
    }
    eq.finishInputs.push_back(read);
  }
  std::optional<APFloat> scale = op.getScale();
  bool hasMask = op.getMask() != nullptr;
  if (scale || hasMask)
    eq.finish = [scale, hasMask](BodyBuilder &b, ValueRange in) {
      Value value = in[0];
      if (scale)
        value = b.mul(value, b.constant(scale->convertToDouble()));
      return hasMask ? b.add(value, in[1]) : value;
    };

  if (tiles * tile != keys)
    eq.domain.push_back(keys - 1 - key[0].index);
  if (op.getCausal()) {
    // The last query is aligned with the last key.
    int64_t shift = keys - extentOf(q.digits[2]);
    eq.domain.push_back(merge(q.digits[2]) + shift - key[0].index);
  }
  Value tensor = run.inner(op, "QK", eq, at({m1, m0}), compute);
  note(tensor);
  qk = {tensor, at({m1, m0})};
  return success();
}

/// The values, at [b, h, key, f].
FailureOr<Read> Attention::values() {
  DimIndex f = v.digits[3];
  // Were f a rank that is used otherwise (q, k and v one tensor), rename it.
  Exprs taken = heads;
  llvm::append_range(taken, rows);
  if (f.size() == 1)
    f[0].index = run.cascade.rank(run.cascade.rankName(f[0].index), f[0].extent,
                                  false, taken);
  features = flatten(f);
  v.digits[3] = f;
  return run.cascade.read(op, v, {q.digits[0], q.digits[1], key, f});
}

void Attention::defineResult(Equation eq) {
  Index index;
  SmallVector<DigitRef> order;
  auto list = [&](unsigned dim, unsigned from, unsigned count) {
    for (unsigned j = 0; j < count; ++j)
      order.push_back({dim, from + j});
  };
  unsigned b = q.digits[0].size(), h = q.digits[1].size(),
           p = q.digits[2].size(), f = v.digits[3].size();
  if (op.getType().getRank() == 4) {
    index = {q.digits[0], q.digits[1], q.digits[2], v.digits[3]};
  } else {
    DimIndex merged = q.digits[1];
    merged.append(v.digits[3]);
    index = {q.digits[0], q.digits[2], merged};
    list(0, 0, b);
    list(2, 0, h);
    list(1, 0, p);
    list(2, h, f);
  }
  note(run.define(op, op.getResult(), "AV", std::move(eq), index, order)
           .getResult());
}

LogicalResult Attention::onePass() {
  AffineExpr last = getAffineConstantExpr(tiles, op.getContext());
  AffineExpr next = m1 + 1;
  FailureOr<Read> bv = values();
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

  Equation av;
  av.inputs = {{rnvDefined, withFeatures({last})}, {rdDefined, at({last})}};
  av.map = quotient;
  defineResult(std::move(av));
  return success();
}

LogicalResult Attention::twoPasses() {
  FailureOr<Read> bv = values();
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
  FailureOr<Read> bv = values();
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

LogicalResult Attention::decompose() {
  int64_t passes = run.options.attentionPasses;
  int64_t queries = extentOf(q.digits[2]);
  if (passes > 1 && op.getCausal() && queries > keys) {
    InFlightDiagnostic error = op.emitOpError()
                               << "attention of " << passes
                               << " passes is not supported for causal "
                               << queries << " queries of " << keys << " keys";
    error.attachNote() << "the first " << queries - keys
                       << " queries see no key; their sum over no key would be "
                          "0 where softmax is NaN";
    error.attachNote() << "use attention-passes=1";
    return error;
  }
  if (failed(score()))
    return failure();
  LogicalResult result = passes == 1   ? onePass()
                         : passes == 2 ? twoPasses()
                                       : threePasses();
  if (failed(result))
    return failure();
  if (run.options.reportPasses) {
    int count = countPasses(einsums, run.cascade.rankName(m1),
                            run.cascade.rankName(m0));
    op.emitRemark() << "attention walks its " << keys << " keys in " << count
                    << (count == 1 ? " pass" : " passes") << ", " << tiles
                    << (tiles == 1 ? " tile" : " tiles") << " of " << tile;
  }
  return success();
}

LogicalResult transfusion::einsum::decompose(Run &run, MhaOp op) {
  return Attention(run, op).decompose();
}
