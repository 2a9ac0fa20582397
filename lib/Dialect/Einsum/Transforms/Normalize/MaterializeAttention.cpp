//===- MaterializeAttention.cpp - The one-pass cascade of a piece ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaterializeAttention.h"
#include "../AttentionCascade.h"
#include "AttentionDims.h"
#include "MergedKeys.h"
#include "Plan.h"
#include "RecognizeAttention.h"
#include "mlir/IR/BuiltinTypes.h"
#include "transfusion/Dialect/Einsum/IR/LinearForm.h"

#include <cmath>
#include <memory>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;
using namespace transfusion::einsum::normal::attention;

namespace {
class Emitter {
public:
  Emitter(Materializer &m, NodeId id, KeyRankList &keyRanks)
      : m(m), graph(m.graph), id(id), node(graph[id]),
        traits(AttentionTraits::unpack(node.attributes)),
        numDims(node.dims.size()), keyRanks(keyRanks) {}
  void emit();

private:
  bool hasDot() const { return node.operands.size() > Queries; }
  void choosePlace();
  void splitDims();
  bool mayBeMinusInf(const Ref &ref) const;
  bool mayHideFirstKey() const;
  Read emitScore();
  normal::Exprs ownLayout() const;
  int64_t extentOf(AffineExpr layout) const;

  Materializer &m;
  const Graph &graph;
  NodeId id;
  const Node &node;
  AttentionTraits traits;
  unsigned numDims;
  KeyRankList &keyRanks;
  SmallVector<AffineExpr> place; ///< of dims, the key, contracted dims
  AttentionSpace space;
};
} // namespace

/// The key is walked as m1 and m0.
void Emitter::choosePlace() {
  place = m.ranksOf(id, /*withBound=*/true);
  int64_t keys = node.bound.front().extent;
  KeyRanks ranks =
      keyRanks.get(m.cascade, keys, /*tile=*/keys, /*iterative=*/true);
  space.m1 = ranks.m1;
  space.m0 = ranks.m0;
  place[numDims] = ranks.m1 * keys + ranks.m0;
}

/// It is a question of layout only.
void Emitter::splitDims() {
  AttentionDims dims = classifyDims(graph, node);
  auto add = [&](normal::Exprs &to, ArrayRef<unsigned> from) {
    for (unsigned i : from)
      to.push_back(place[i]);
  };
  add(space.features, dims.features);
  add(space.heads, dims.shared);
  add(space.heads, dims.groups);
  add(space.rows, dims.rows);
}

/// Whether data, or a computed mask, can make a score -inf.
bool Emitter::mayBeMinusInf(const Ref &ref) const {
  const Node &at = graph[ref];
  switch (at.kind) {
  case Kind::Input:
  case Kind::Index:
  case Kind::Reduce:
  case Kind::Piece:
    return true;
  case Kind::Constant:
    return at.type.isFloat() && !std::isfinite(at.constant);
  default:
    break;
  }
  for (const Ref &operand : at.operands)
    if (mayBeMinusInf(operand))
      return true;
  return false;
}

/// Whether a row may see a key but not key 0. Constraints that hold less and
/// less along the keys hold for key 0 if for any.
bool Emitter::mayHideFirstKey() const {
  for (AffineExpr constraint : traits.constraints()) {
    std::optional<LinearForm> form = getLinearForm(constraint, numDims + 1);
    if (!form || form->coefficients[numDims] > 0)
      return true;
  }
  return false;
}

static const Node *findDot(const Graph &graph, const Ref &ref, NodeId &id) {
  const Node &node = graph[ref];
  if (node.isOp(AttentionTraits::kDot)) {
    id = ref.node;
    return &node;
  }
  if (node.kind == Kind::Reduce || node.kind == Kind::Piece)
    return nullptr;
  for (const Ref &operand : node.operands)
    if (const Node *found = findDot(graph, operand, id))
      return found;
  return nullptr;
}

/// QK: the contraction with everything else of the score in its finish. Its
/// domain holds for all that reads it.
Read Emitter::emitScore() {
  const Ref &score = node.operands[Score];
  Equation eq;
  eq.exact = true;
  eq.element = space.compute;
  for (AffineExpr constraint : traits.constraints())
    eq.domain.push_back(constraint.replaceDims(place));

  NodeId dot = 0;
  const Node *contraction = hasDot() ? findDot(graph, score, dot) : nullptr;
  Scalar scalar =
      contraction ? m.scalar(score, place, dot) : m.scalar(score, place);
  if (!contraction && !scalar.body && eq.domain.empty())
    return scalar.reads.front(); // a tensor as it is
  // The scalars, in their own types; what the Einsum holds.
  Body whole = [scalar, element = space.compute](BodyBuilder &b,
                                                 ValueRange in) {
    Value value =
        scalar.body ? scalar.body(b.getBuilder(), b.getLoc(), in) : in.front();
    return b.cast(value, element);
  };
  bool isPlain = !scalar.body && scalar.type == space.compute;
  if (contraction) {
    eq.inputs = {m.read(node.operands[Queries], place),
                 m.read(node.operands[Keys], place)};
    eq.accumulator = contraction->type;
    eq.map = [type = contraction->type](BodyBuilder &b, ValueRange in) {
      BodyBuilder inType(b.getBuilder(), b.getLoc(), type);
      return inType.mul(b.cast(in[0], type), b.cast(in[1], type));
    };
    eq.reduce = ReduceKind::Add;
    eq.reduced.assign(place.begin() + numDims + 1, place.end());
    eq.finishInputs = scalar.reads;
    if (!isPlain)
      eq.finish = whole;
  } else {
    eq.inputs = scalar.reads;
    if (!isPlain)
      eq.map = whole;
  }
  eq.result = space.heads;
  eq.result.append({space.m1, space.m0});
  llvm::append_range(eq.result, space.rows);
  eq.name = m.nameFor(id, "QK");
  return {m.emit(eq, space.compute), eq.result};
}

/// Heads, rows, features; rows in blocks are one dimension.
normal::Exprs Emitter::ownLayout() const {
  normal::Exprs layout;
  for (const normal::Exprs *part : {&space.heads, &space.rows, &space.features})
    for (AffineExpr rank : *part) {
      unsigned dim = llvm::find(place, rank) - place.begin();
      if (traits.blocks && dim == traits.blocks->block)
        continue;
      layout.push_back(traits.blocks && dim == traits.blocks->within
                           ? traits.blocks->index(graph.getContext())
                           : getAffineDimExpr(dim, graph.getContext()));
    }
  return layout;
}

/// Of a dimension of the result: of a last block that is cut off, what exists.
int64_t Emitter::extentOf(AffineExpr layout) const {
  SmallVector<AffineExpr> last;
  for (const Dim &dim : node.dims)
    last.push_back(getAffineConstantExpr(dim.extent - 1, graph.getContext()));
  bool isRow = traits.blocks && layout.isFunctionOfDim(traits.blocks->block) &&
               layout.isFunctionOfDim(traits.blocks->within);
  if (isRow) {
    const WalkedBlocks &rows = *traits.blocks;
    last[rows.block] = getAffineConstantExpr(0, graph.getContext());
    last[rows.within] = getAffineConstantExpr(rows.offset + rows.extent - 1,
                                              graph.getContext());
  }
  AffineExpr greatest = layout.replaceDims(last);
  return cast<AffineConstantExpr>(simplifyAffineExpr(greatest, 0, 0))
             .getValue() +
         1;
}

void Emitter::emit() {
  choosePlace();
  splitDims();
  space.compute = Float32Type::get(graph.getContext());
  space.storage = traits.weight;
  space.guardMaximum = mayBeMinusInf(node.operands[Score]) || mayHideFirstKey();
  space.zeroEmptyRows = traits.isGuarded;

  Read qk = emitScore();
  AttentionCascade cascade(m.cascade, space,
                           [&](StringRef name, Equation eq,
                               ArrayRef<AffineExpr> result, Type element) {
                             eq.name = m.nameFor(id, name);
                             eq.result.assign(result.begin(), result.end());
                             eq.element = element;
                             return m.emit(eq, space.compute);
                           });
  Read values = m.read(node.operands[Values], place);
  Equation av = cascade.quotient(cascade.onePass(qk, values));
  normal::Exprs layout = m.hasLayout(id) ? m.layoutOf(id) : ownLayout();
  for (AffineExpr expr : layout) {
    av.result.push_back(expr.replaceDims(place));
    av.shape.push_back(extentOf(expr));
  }
  av.element = node.type;
  av.name = m.nameFor(id, "AV");
  m.define(id, m.emit(av, space.compute), layout);
}

/// Ranks that readers look for first come first: heads, then the sequence.
static normal::Exprs operandLayout(const Graph &graph, const Node &node,
                                   unsigned i) {
  if (i == Score)
    return {};
  const Ref &operand = node.operands[i];
  unsigned numDims = node.dims.size();
  AttentionTraits traits = AttentionTraits::unpack(node.attributes);
  // By position among dims and bound: heads, rows or keys, features.
  auto classOf = [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return 3u;
    unsigned position = dim.getPosition();
    if (position >= numDims)
      return position == numDims ? 1u : 2u;
    if (!traits.ofScore[position])
      return 2u;
    bool isRow =
        i == Queries && StringRef(node.dims[position].hint).starts_with("p");
    return isRow ? 1u : 0u;
  };
  Ref source = throughWidening(graph, operand);
  // Digits of the key (MergedKeys.h) are one dimension.
  AffineExpr key = getAffineDimExpr(numDims, graph.getContext());
  normal::Exprs merged = mergeDigits(source.at, key), layout;
  for (unsigned c = 0; c < 4; ++c)
    for (auto [k, expr] : llvm::enumerate(source.at)) {
      if (classOf(merged[k] ? key : expr) != c)
        continue;
      if (!merged[k])
        layout.push_back(getAffineDimExpr(k, graph.getContext()));
      else if (!isa<AffineConstantExpr>(merged[k]))
        layout.push_back(merged[k]);
    }
  return layout;
}

PieceKind normal::attentionPiece() {
  PieceKind kind;
  kind.isTensor = [](const Graph &, const Node &, unsigned i) {
    return i != Score;
  };
  // Of the cascade that is being made: ranks are its own.
  auto keyRanks = std::make_shared<std::pair<CascadeOp, KeyRankList>>();
  kind.emit = [keyRanks](Materializer &m, NodeId id) {
    if (keyRanks->first != m.cascade.getCascade())
      *keyRanks = {m.cascade.getCascade(), KeyRankList()};
    Emitter(m, id, keyRanks->second).emit();
  };
  kind.prefix = "mha";
  kind.layout = operandLayout;
  kind.operandName = [](const Graph &, const Node &, unsigned i) {
    static constexpr const char *kNames[] = {"", "BV", "Q", "BK"};
    return std::string(kNames[i]);
  };
  return kind;
}
