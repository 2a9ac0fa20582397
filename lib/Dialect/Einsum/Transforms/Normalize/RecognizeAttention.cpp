//===- RecognizeAttention.cpp - Attention in the normal form --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecognizeAttention.h"
#include "AttentionDims.h"
#include "AttentionRounding.h"
#include "DividedRows.h"
#include "Indices.h"
#include "MergedKeys.h"
#include "Plan.h"
#include "QueryBlocks.h"
#include "RecognizeSoftmax.h"
#include "ScoreContraction.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;
using namespace transfusion::einsum::normal::attention;

//===----------------------------------------------------------------------===//
// The piece
//===----------------------------------------------------------------------===//

namespace {
/// A draft is a piece that can still be taken back: besides the operands of a
/// piece it has the score with the contraction in it, and last the reduction
/// that it stands for. Drafts have a number, and names that say so.
constexpr StringLiteral kDraft = "attention.draft";

struct Draft {
  NodeId node;
  AttentionTraits traits;
  SmallVector<NodeId> softmax; ///< reductions that it makes superfluous
  std::optional<NodeId> dot;
  bool isRefused = false;
  bool isGone = false;    ///< another one has what is around it as well
  bool sharesDot = false; ///< which something else computes as well
  bool isMerged = false;  ///< its keys were several dims
  std::string blocks;     ///< what has become of a mask that compares them
};

class Recognizer {
public:
  explicit Recognizer(Imported &imported)
      : imported(imported), graph(imported.graph) {}
  std::vector<std::string> run();

private:
  std::vector<std::string> notes() const;
  std::optional<Ref> draft(Frame &frame, const Ref &ref, const Ref &whole);
  std::optional<Ref> draftDivided(const Frame &frame, const Ref &ref);
  std::optional<Ref> draftGuarded(Frame &frame, const Ref &ref);
  void decide();
  void walk(SmallVector<NodeId> stack, llvm::DenseMap<NodeId, unsigned> &live);
  std::optional<Ref> settle(Frame &frame, const Ref &ref);

  Imported &imported;
  Graph &graph;
  std::vector<Draft> drafts;
  MergedLayouts layouts;
};
} // namespace

/// Adds those of `dims` that the ref has and that are not in `order` yet.
static void appendDims(Exprs &order, ArrayRef<AffineExpr> at,
                       ArrayRef<AffineExpr> dims) {
  for (AffineExpr expr : at)
    expr.walk([&](AffineExpr e) {
      if (llvm::is_contained(dims, e) && !llvm::is_contained(order, e))
        order.push_back(e);
    });
}

/// `ref` is a contraction of weights and values, and `whole` what it replaces.
std::optional<Ref> Recognizer::draft(Frame &frame, const Ref &ref,
                                     const Ref &whole) {
  unsigned numDims = frame.dims.size();
  std::optional<SoftmaxContraction> found =
      matchSoftmaxContraction(graph, frame, ref);
  // One key rank: what tiles are made of.
  bool isMerged = found && found->keys.size() != 1;
  if (!found ||
      (isMerged && !mergeKeys(imported, graph, frame, *found, layouts)))
    return std::nullopt;
  AffineExpr key = found->keys.front();

  VisibleKeys visible = splitVisibleKeys(graph, frame, found->score, key);
  Draft draft;
  draft.softmax = found->softmax;
  draft.isMerged = isMerged;
  AttentionTraits &traits = draft.traits;
  traits.isGuarded = found->isGuarded;
  traits.weight = found->weight;
  traits.computed = visible.computed;
  Ref score = found->score; // with its masks
  Exprs dims(ArrayRef(frame.all()).take_front(numDims)), bound = {key};
  SmallVector<Ref> operands = {visible.score,
                               throughWidening(graph, found->values)};
  std::optional<Ref> dot;
  std::optional<Ref> hole;
  findContraction(graph, frame, visible.score, key, 8, dot);
  if (dot) {
    draft.dot = dot->node;
    Type type = graph[*dot].type;
    hole = graph.op(frame, AttentionTraits::kDot, {}, {}, type);
    operands[Score] = substitute(graph, frame, visible.score, *dot, *hole);
    Contraction contraction = *matchContraction(graph, frame, *dot, key);
    llvm::append_range(bound, contraction.contracted);
    for (const Factors *side : {&contraction.queries, &contraction.keys})
      operands.push_back(
          throughWidening(graph, graph.product(frame, *side, type)));
  }

  std::optional<QueryBlocks> blocks =
      splitQueries(graph, frame, operands[Score], key, visible);
  Ref replaced = whole;
  if (blocks) {
    auto move = [&](Ref &from) {
      from = graph.compose(from, blocks->at, frame);
    };
    llvm::for_each(operands, move);
    for (Ref *from : {&score, &replaced})
      move(*from);
    if (dot)
      move(*dot);
    operands[Score] = blocks->visible.score;
    visible = blocks->visible;
    traits.computed = visible.computed;
    bound.front() = blocks->key;
    *llvm::find(dims, blocks->queries.dim) = blocks->block;
    dims.push_back(blocks->within);
    draft.blocks = blocks->describe(frame);
  }
  SmallVector<unsigned> scoreDims = graph.dimsOf(score);
  auto isOfScore = [&](AffineExpr dim) {
    return llvm::is_contained(scoreDims, plainDim(dim));
  };
  if (dot) {
    // Values that differ from query to query (weights that are changed after
    // the softmax are among them) would be a tensor of queries times keys.
    for (AffineExpr dim : dims)
      if (isOfScore(dim) && graph.dependsOn(operands[Values], dim) &&
          !graph.dependsOn(operands[Keys], dim))
        return std::nullopt;
    operands.push_back(
        blocks ? substitute(graph, frame, operands[Score], *hole, *dot)
               : visible.score);
  }
  // The order of the dims is that of what stays: a mask that is a domain now
  // has had its place in the score. Queries have heads, groups and rows.
  Exprs order;
  if (dot)
    appendDims(order, operands[Queries].at, dims);
  appendDims(order, operands[Values].at, dims);
  appendDims(order, operands[Score].at, dims);
  appendDims(order, dims, dims);
  SmallVector<AffineExpr> places(frame.all());
  for (auto [place, dim] : llvm::enumerate(order)) {
    traits.ofScore.push_back(isOfScore(dim));
    places[plainDim(dim)] = getAffineDimExpr(place, graph.getContext());
  }
  // The key is the dim behind those of the contraction.
  places[plainDim(bound.front())] =
      getAffineDimExpr(order.size(), graph.getContext());
  SmallVector<AffineExpr> constraints;
  for (const Exprs *some : {&visible.constraints, &visible.implied})
    for (AffineExpr constraint : *some)
      if (constraint = constraint.replaceDims(places);
          !llvm::is_contained(constraints, constraint))
        constraints.push_back(constraint);
  if (!constraints.empty()) {
    llvm::sort(constraints, [](AffineExpr a, AffineExpr b) {
      return compareIndices(a, b) < 0;
    });
    SmallVector<bool> equalities(constraints.size(), false);
    traits.domain =
        IntegerSet::get(order.size() + 1, 0, constraints, equalities);
  }
  if (blocks) {
    const Blocks &queries = blocks->queries;
    auto placeOf = [&](AffineExpr dim) {
      return static_cast<unsigned>(plainDim(places[plainDim(dim)]));
    };
    traits.blocks = {placeOf(blocks->block), placeOf(blocks->within),
                     queries.size, queries.offset,
                     frame.dims[plainDim(queries.dim)].extent};
  }
  operands.push_back(replaced);
  auto number = IntegerAttr::get(IndexType::get(graph.getContext()),
                                 static_cast<int64_t>(drafts.size()));
  Ref piece = graph.piece(frame, kDraft, number, operands, order, bound,
                          graph[whole].type);
  draft.node = piece.node;
  drafts.push_back(std::move(draft));
  if (blocks)
    for (AffineExpr &expr : piece.at)
      expr = simplifyIndex(blocks->back(expr), frame.extents());
  return piece;
}

/// The values are summed with weights that are divided afterwards.
std::optional<Ref> Recognizer::draftDivided(const Frame &frame,
                                            const Ref &ref) {
  for (const DividedRow &row : dividedRowsOf(graph, frame, ref)) {
    Frame own = graph.frameOf(row.quotient.node);
    Ref self{row.quotient.node, own.all()};
    // What else sums values with these weights is one softmax with it.
    NodeId sum = graph.throughCasts(graph.operand(self, 0)).node;
    if (graph[row.quotient].powers[0] != 1)
      sum = graph.throughCasts(graph.operand(self, 1)).node;
    if (std::optional<Ref> piece = draft(own, row.sum, self)) {
      // A rounding of its own stays; one that the weights have is none.
      if (row.bits < drafts.back().traits.weight.getIntOrFloatBitWidth()) {
        drafts.pop_back();
        continue;
      }
      drafts.back().softmax.push_back(sum);
      return replaceQuotient(graph, frame, ref, row.quotient,
                             graph.compose(*piece, row.quotient.at, frame));
    }
  }
  return std::nullopt;
}

/// And rows without a key are 0 after that.
std::optional<Ref> Recognizer::draftGuarded(Frame &frame, const Ref &ref) {
  if (!graph[ref].isOp("arith.select"))
    return std::nullopt;
  for (bool isNegated : {false, true}) {
    Ref piece = graph.operand(ref, isNegated ? 1 : 2);
    if (graph.constantOf(graph.operand(ref, isNegated ? 2 : 1)) != 0.0 ||
        !graph[piece].isPiece(kDraft))
      continue;
    unsigned number = cast<IntegerAttr>(graph[piece].attributes).getInt();
    unsigned numDims = frame.dims.size();
    Ref quotient = graph.operand(piece, graph[piece].operands.size() - 1,
                                 graph.bind(frame, piece));
    frame.dims.truncate(numDims);
    for (const DividedRow &row : dividedRowsOf(graph, frame, quotient)) {
      if (row.quotient != quotient)
        continue;
      Ref sum = graph.compose(row.sum, quotient.at, frame);
      Ref guarded =
          guardTerms(graph, frame, sum, graph.operand(ref, 0), isNegated);
      std::optional<Ref> result = draft(frame, guarded, ref);
      if (!result)
        continue;
      drafts.back().softmax.push_back(drafts[number].softmax.back());
      drafts[number].isGone = true;
      return result;
    }
  }
  return std::nullopt;
}

/// Counts by how many nodes each is read, without what drafts replace.
void Recognizer::walk(SmallVector<NodeId> stack,
                      llvm::DenseMap<NodeId, unsigned> &live) {
  while (!stack.empty()) {
    NodeId id = stack.pop_back_val();
    if (live[id]++)
      continue;
    const Node &node = graph[id];
    SmallVector<Ref> operands(node.operands);
    if (node.isPiece(kDraft)) {
      const Draft &draft = drafts[cast<IntegerAttr>(node.attributes).getInt()];
      if (draft.isRefused)
        operands = {operands.back()};
      else if (draft.sharesDot)
        operands = {operands[1], operands[operands.size() - 2]};
      else
        operands.truncate(draft.dot ? 4 : 2);
    }
    for (const Ref &operand : operands)
      stack.push_back(operand.node);
  }
}

/// Refuses drafts whose softmax is needed besides, by another reader or by a
/// second draft; that may make others needed.
void Recognizer::decide() {
  SmallVector<NodeId> all;
  for (const Tensor &tensor : imported.results)
    all.push_back(tensor.ref.node);
  for (const auto &[value, kept] : imported.kept)
    for (const auto &[i, tensor] : kept.operands)
      all.push_back(tensor.ref.node);
  for (bool changed = true; changed;) {
    changed = false;
    llvm::DenseMap<NodeId, unsigned> live; // looked up only
    walk(all, live);
    llvm::DenseMap<NodeId, unsigned> sums, dots; // looked up only
    for (const Draft &draft : drafts)
      if (!draft.isRefused && live.count(draft.node)) {
        ++sums[draft.softmax.front()];
        if (draft.dot)
          ++dots[*draft.dot];
      }
    for (Draft &draft : drafts) {
      if (draft.isRefused || !live.count(draft.node))
        continue;
      bool isDotShared =
          draft.dot && (live.count(*draft.dot) || dots[*draft.dot] > 1);
      if (sums[draft.softmax.front()] > 1 ||
          llvm::any_of(draft.softmax,
                       [&](NodeId id) { return live.count(id) != 0; })) {
        changed = draft.isRefused = true;
      } else if (isDotShared && draft.isMerged) {
        // Its keys are no attention's operand then, and nobody lays them out.
        // One without may leave the contraction to another one.
        changed = draft.isRefused = true;
        break;
      } else if (isDotShared && !draft.sharesDot) {
        changed = draft.sharesDot = true;
      }
    }
  }
}

std::optional<Ref> Recognizer::settle(Frame &frame, const Ref &ref) {
  const Node &node = graph[ref];
  if (!node.isPiece(kDraft))
    return std::nullopt;
  const Draft &draft = drafts[cast<IntegerAttr>(node.attributes).getInt()];
  Exprs dims = frame.all(), bound = graph.bind(frame, ref);
  SmallVector<Ref> operands;
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i)
    operands.push_back(graph.operand(ref, i, bound));
  if (draft.isRefused)
    return operands.back();
  if (draft.dot && draft.sharesDot) {
    operands[0] = operands[4];
    operands.truncate(2);
    bound.truncate(1);
  } else {
    operands.truncate(draft.dot ? 4 : 2);
  }
  return graph.piece(frame, AttentionTraits::kPiece,
                     draft.traits.pack(graph.getContext()), operands, dims,
                     bound, node.type);
}

std::vector<std::string> Recognizer::notes() const {
  std::vector<std::string> result;
  for (const Draft &draft : drafts) {
    if (draft.isGone)
      continue;
    if (draft.isRefused) {
      result.push_back("a softmax keeps its passes over the keys: something "
                       "else reads it as well");
      continue;
    }
    if (!draft.blocks.empty())
      result.push_back(draft.blocks);
    if (!draft.traits.computed.empty())
      result.push_back("a mask of indices is computed at every point: " +
                       draft.traits.computed);
  }
  return result;
}

std::vector<std::string> Recognizer::run() {
  SmallVector<Root> roots = imported.roots();
  rewrite(graph, roots, {[&](Graph &, Frame &frame, const Ref &ref) {
            std::optional<Ref> result = draft(frame, ref, ref);
            if (!result)
              result = draftDivided(frame, ref);
            return result ? result : draftGuarded(frame, ref);
          }});
  if (drafts.empty())
    return {};
  decide();
  rewrite(graph, roots,
          {[&](Graph &, Frame &frame, const Ref &ref) {
             return settle(frame, ref);
           },
           [&](Graph &, Frame &frame, const Ref &ref) {
             return roundAttention(graph, frame, ref);
           }});
  return notes();
}

std::vector<std::string> normal::recognizeAttention(Imported &imported) {
  return Recognizer(imported).run();
}
