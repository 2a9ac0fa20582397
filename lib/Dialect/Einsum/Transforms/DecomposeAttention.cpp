//===- DecomposeAttention.cpp - One attention into equations --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks, scores, values and result, whatever the number of passes: those are in
// AttentionCascade.cpp.
//
//===----------------------------------------------------------------------===//

#include "DecomposeAttention.h"

using namespace mlir;
using namespace transfusion::einsum;

static Value product(BodyBuilder &b, ValueRange in) {
  return b.mul(in[0], in[1]);
}

Attention::Attention(Run &run, MhaOp op) : run(run), op(op) {
  q = run.view(op.getQ(), {"b", "h", "p", "e"});
  bool hasPast = !op.getPast().empty();
  Value k = hasPast ? op.getPast()[0] : op.getK();
  Value v = hasPast ? op.getPast()[1] : op.getV();
  tiled.k = run.view(k, {"b", "h", "m", "e"});
  tiled.v = run.view(v, {"b", "h", "m", "f"});
  tiled.first = 0;
  keys = cast<RankedTensorType>(k.getType()).getDimSize(2);
  total = keys;
  tile = run.options.keyTile ? std::min(run.options.keyTile, keys) : keys;
  space.tiles = (keys + tile - 1) / tile;
  groupHeads();
  space.heads = flatten(q.digits[0]);
  llvm::append_range(space.heads, flatten(queryHeads));
  space.rows = flatten(q.digits[2]);
  KeyRanks ranks = run.keyRanks.get(run.cascade, keys, tile,
                                    run.options.attentionPasses == 1);
  space.m1 = ranks.m1;
  space.m0 = ranks.m0;
  tiled.key = {Digit{space.m1 * tile + space.m0, keys}};
  tiled.ranks = {space.m1, space.m0};
  // The finer split of the features: pairs, where one was rotated.
  width = q.digits[3];
  auto refine = [&](const View &view) {
    if (view.digits[3].size() > width.size())
      width = view.digits[3];
  };
  refine(tiled.k);
  if (hasPast) {
    now.emplace();
    now->k = run.view(op.getK(), {"b", "h", "m", "e"});
    now->v = run.view(op.getV(), {"b", "h", "m", "f"});
    refine(now->k);
    now->first = keys;
    int64_t count = cast<RankedTensorType>(op.getK().getType()).getDimSize(2);
    total += count;
    Exprs taken = space.heads;
    llvm::append_range(taken, space.rows);
    now->key = {Digit{run.cascade.rank("n", count, false, taken), count}};
    now->ranks = flatten(now->key);
  }
  chooseFeatures();
  space.compute = run.computeType(op.getResult());
  space.storage = run.storageType(op.getResult());
  // Where a row has seen no key yet, its maximum is -inf, and exp(-inf - -inf)
  // is NaN though softmax is finite. A mask can do that to any tile. `causal`
  // and a ragged tile cannot: a row that sees any key sees key 0, so after the
  // first tile its maximum is finite, and tiles that are empty leave it so.
  space.guardMaximum = op.getMask() != nullptr;
  space.zeroEmptyRows = op.getGuarded();
}

/// Heads of queries, and those of them by which keys and values are read.
void Attention::groupHeads() {
  queryHeads = q.digits[1];
  int64_t all = extentOf(queryHeads), count = extentOf(tiled.k.digits[1]);
  if (all == count) {
    keyHeads = queryHeads;
    return;
  }
  // What made q may have split its heads as needed: see QkvOp.
  keyHeads.clear();
  for (const Digit &digit : queryHeads) {
    keyHeads.push_back(digit);
    if (extentOf(keyHeads) == count && keyHeads.size() < queryHeads.size())
      return;
  }
  Exprs taken = flatten(q.digits[0]);
  for (int dim : {2, 3})
    llvm::append_range(taken, flatten(q.digits[dim]));
  keyHeads = {Digit{run.cascade.rank("kv", count, false, taken), count}};
  queryHeads = keyHeads;
  queryHeads.push_back(
      {run.cascade.rank("g", all / count, false, taken), all / count});
}

/// QK, with scale and mask in its finish, causality and a ragged last tile in
/// its domain: all that reads it inherits the domain.
FailureOr<Read> Attention::score(StringRef name, const Piece &piece) {
  FailureOr<Read> readQ =
      run.cascade.read(op, q, {q.digits[0], queryHeads, q.digits[2], width});
  if (failed(readQ))
    return failure();
  FailureOr<Read> readK =
      run.cascade.read(op, piece.k, {q.digits[0], keyHeads, piece.key, width});
  if (failed(readK))
    return failure();
  Equation eq;
  eq.inputs = {*readQ, *readK};
  eq.map = product;
  eq.reduce = ReduceKind::Add;
  eq.reduced = flatten(width);

  AffineExpr position = piece.key[0].index + piece.first;
  Index scores = {
      q.digits[0], queryHeads, q.digits[2], {Digit{position, total}}};
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

  int64_t last = extentOf(piece.key) - 1;
  if (piece.first == 0 && space.tiles * tile != keys)
    eq.domain.push_back(last - piece.key[0].index);
  // The last query is aligned with the last key.
  int64_t shift = total - extentOf(q.digits[2]);
  if (op.getCausal() && piece.first + last > shift)
    eq.domain.push_back(merge(q.digits[2]) + shift - position);
  // In the order in which all that reads them has its ranks.
  Exprs result = space.heads;
  llvm::append_range(result, piece.ranks);
  llvm::append_range(result, space.rows);
  Value tensor = run.inner(op, name, eq, result, space.compute);
  note(tensor);
  return Read{tensor, result};
}

/// The ranks of a value's features. Were they ranks that are used otherwise (q,
/// k and v one tensor), rename them.
void Attention::chooseFeatures() {
  valueWidth = tiled.v.digits[3];
  Exprs taken = space.heads;
  llvm::append_range(taken, space.rows);
  if (valueWidth.size() == 1)
    valueWidth[0].index =
        run.cascade.rank(run.cascade.rankName(valueWidth[0].index),
                         valueWidth[0].extent, false, taken);
  space.features = flatten(valueWidth);
}

/// The values, at [b, h, key, f].
FailureOr<Read> Attention::values(const Piece &piece) {
  return run.cascade.read(op, piece.v,
                          {q.digits[0], keyHeads, piece.key, valueWidth});
}

void Attention::defineResult(Equation eq) {
  Index index;
  SmallVector<DigitRef> order;
  auto list = [&](unsigned dim, unsigned from, unsigned count) {
    for (unsigned j = 0; j < count; ++j)
      order.push_back({dim, from + j});
  };
  unsigned b = q.digits[0].size(), h = queryHeads.size(),
           p = q.digits[2].size(), f = valueWidth.size();
  if (op.getType().getRank() == 4) {
    index = {q.digits[0], queryHeads, q.digits[2], valueWidth};
  } else {
    DimIndex merged = queryHeads;
    merged.append(valueWidth);
    index = {q.digits[0], q.digits[2], merged};
    list(0, 0, b);
    list(2, 0, h);
    list(1, 0, p);
    list(2, h, f);
  }
  note(run.define(op, op.getResult(), "AV", std::move(eq), index, order)
           .getResult());
}

LogicalResult Attention::checkPasses() {
  int64_t passes = run.options.attentionPasses;
  int64_t queries = extentOf(q.digits[2]);
  if (passes > 1 && op.getCausal() && queries > total && !op.getGuarded()) {
    InFlightDiagnostic error = op.emitOpError()
                               << "attention of " << passes
                               << " passes is not supported for causal "
                               << queries << " queries of " << total << " keys";
    error.attachNote() << "the first " << queries - total
                       << " queries see no key; their sum over no key would be "
                          "0 where softmax is NaN";
    error.attachNote() << "use attention-passes=1, or `guarded` if 0 is wanted";
    return error;
  }
  if (passes > 1 && now) {
    InFlightDiagnostic error = op.emitOpError()
                               << "attention of " << passes
                               << " passes is not supported with past keys";
    error.attachNote() << "use attention-passes=1";
    return error;
  }
  return success();
}

/// AV, from the scores of all keys or of those in the cache.
FailureOr<Equation> Attention::result(AttentionCascade &cascade,
                                      const Read &qk) {
  FailureOr<Read> bv = values(tiled);
  if (failed(bv))
    return failure();
  if (run.options.attentionPasses == 2)
    return cascade.twoPasses(qk, *bv);
  if (run.options.attentionPasses == 3)
    return cascade.threePasses(qk, *bv);
  AttentionCascade::Running running = cascade.onePass(qk, *bv);
  if (now) {
    FailureOr<Read> scores = score("QKN", *now);
    if (failed(scores))
      return failure();
    FailureOr<Read> newValues = values(*now);
    if (failed(newValues))
      return failure();
    running = cascade.mergeNew(running, *scores, *newValues, now->ranks);
  }
  return cascade.quotient(running);
}

LogicalResult Attention::decompose() {
  if (failed(checkPasses()))
    return failure();
  FailureOr<Read> qk = score("QK", tiled);
  if (failed(qk))
    return failure();
  AttentionCascade cascade(run.cascade, space,
                           [&](StringRef name, Equation eq,
                               ArrayRef<AffineExpr> ranks, Type element) {
                             Value tensor = run.inner(op, name, std::move(eq),
                                                      ranks, element);
                             note(tensor);
                             return tensor;
                           });
  FailureOr<Equation> av = result(cascade, *qk);
  if (failed(av))
    return failure();
  defineResult(std::move(*av));
  if (run.options.reportPasses) {
    int count = countPasses(einsums, run.cascade.rankName(space.m1),
                            run.cascade.rankName(space.m0));
    emitRemark(op.getLoc())
        << "attention walks its " << total << " keys in " << count
        << (count == 1 ? " pass" : " passes") << ", " << space.tiles
        << (space.tiles == 1 ? " tile" : " tiles") << " of " << tile;
  }
  return success();
}

LogicalResult transfusion::einsum::decompose(Run &run, MhaOp op) {
  return Attention(run, op).decompose();
}
