//===- Materialize.cpp - From the normal form to a cascade ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Materialize.h"
#include "Import.h"
#include "Indices.h"
#include "Plan.h"
#include "RankRoles.h"
#include "Roles.h"
#include "ScalarBody.h"

#include <memory>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

Materializer::Materializer(const Imported &imported, const Plan &plan,
                           const PieceKinds &kinds, EinsumRoles &roles,
                           const RankRoles &rankRoles, CascadeBuilder &cascade)
    : graph(imported.graph), cascade(cascade), imported(imported), plan(plan),
      kinds(kinds), roles(roles), rankRoles(rankRoles),
      loc(cascade.getCascade().getLoc()) {
  for (const Imported::Name &name : imported.names)
    locations.try_emplace(name.ref.node, name.loc);
}

//===----------------------------------------------------------------------===//
// Ranks and tensors
//===----------------------------------------------------------------------===//

void Materializer::addBoundRanks(NodeId id, Exprs &ranks) {
  const Node &node = graph[id];
  for (auto [i, dim] : llvm::enumerate(node.bound))
    ranks.push_back(cascade.rank(rankRoles.nameOf(id, node.dims.size() + i),
                                 dim.extent, /*iterative=*/false, ranks));
}

normal::Exprs Materializer::ranksOf(NodeId node, bool withBound) {
  Exprs result;
  for (auto [i, dim] : llvm::enumerate(graph[node].dims))
    result.push_back(cascade.rank(rankRoles.nameOf(node, i), dim.extent,
                                  /*iterative=*/false, result));
  if (withBound)
    addBoundRanks(node, result);
  return result;
}

void Materializer::define(NodeId node, Value tensor,
                          ArrayRef<AffineExpr> layout) {
  made[node] = {tensor, Exprs(layout)};
}

Value Materializer::emit(const Equation &equation, Type compute) {
  return cascade.emit(equation, compute, loc).getResult();
}

std::string Materializer::nameFor(NodeId piece, StringRef name) {
  return roles.nameFor(piece, name);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static SmallVector<AffineExpr> placed(const Ref &ref,
                                      ArrayRef<AffineExpr> place) {
  SmallVector<AffineExpr> result;
  for (AffineExpr expr : ref.at)
    result.push_back(expr.replaceDims(place));
  return result;
}

Read Materializer::read(const Ref &ref, ArrayRef<AffineExpr> place) {
  Ref source = throughWidening(graph, ref);
  const Node &node = graph[source];
  SmallVector<AffineExpr> at = placed(source, place);
  SmallVector<int64_t> extents = cascade.rankExtents();
  Read result;
  if (node.kind == Kind::Input && !imported.kept.count(node.value)) {
    result.tensor = node.value;
    for (AffineExpr expr : at)
      result.access.push_back(simplifyIndex(expr, extents));
    return result;
  }
  const Made &tensor = made.find(source.node)->second;
  result.tensor = tensor.tensor;
  for (AffineExpr expr : tensor.layout)
    result.access.push_back(simplifyIndex(expr.replaceDims(at), extents));
  return result;
}

unsigned normal::addRead(SmallVectorImpl<Read> &reads, const Read &read) {
  auto it = llvm::find_if(reads, [&](const Read &other) {
    return other.tensor == read.tensor && other.access == read.access;
  });
  unsigned position = it - reads.begin();
  if (it == reads.end())
    reads.push_back(read);
  return position;
}

/// Turns an expression into steps.
class Materializer::ScalarBuilder {
public:
  ScalarBuilder(Materializer &m, std::optional<NodeId> accumulator)
      : m(m), accumulator(accumulator), firstRead(accumulator ? 1 : 0) {}

  /// `ref.at` are ranks of the builder.
  unsigned visit(const Ref &ref);

  Materializer &m;
  std::optional<NodeId> accumulator;
  unsigned firstRead;
  Steps steps;
  SmallVector<Read> reads;

private:
  std::map<NodeId, SmallVector<std::pair<Exprs, unsigned>>> known;
};

unsigned Materializer::ScalarBuilder::visit(const Ref &ref) {
  const Graph &graph = m.graph;
  for (auto &[at, step] : known[ref.node])
    if (at == ref.at)
      return step;
  const Node &node = graph[ref];
  Step step{&node, 0, {}, {}, {}, m.plan.inFront.contains(ref.node)};
  if (accumulator == ref.node) {
    step.node = nullptr;
  } else if (node.kind == Kind::Input || m.made.count(ref.node)) {
    step.node = nullptr;
    step.read = firstRead + addRead(reads, m.read({ref.node, Exprs(ref.at)},
                                                  m.cascade.allRanks()));
  } else if (node.kind == Kind::Index) {
    step.index = ref.at[0];
    step.index.walk([&](AffineExpr e) {
      int dim = plainDim(e);
      if (dim < 0)
        return;
      if (step.names.size() <= static_cast<size_t>(dim))
        step.names.resize(dim + 1);
      step.names[dim] = m.cascade.rankName(e).str();
    });
  } else {
    SmallVector<int64_t> extents = m.cascade.rankExtents();
    for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
      Ref operand = graph.operand(ref, i);
      for (AffineExpr &expr : operand.at)
        expr = simplifyIndex(expr, extents);
      step.operands.push_back(visit(operand));
    }
  }
  steps.push_back(step);
  known[ref.node].push_back({ref.at, steps.size() - 1});
  return steps.size() - 1;
}

Scalar Materializer::scalar(const Ref &ref, ArrayRef<AffineExpr> place,
                            std::optional<NodeId> accumulator) {
  ScalarBuilder builder(*this, accumulator);
  builder.visit({ref.node, Exprs(placed(ref, place))});
  Scalar result;
  result.reads = builder.reads;
  result.type = graph[ref].type;
  if (builder.steps.size() == 1 && !builder.steps[0].node)
    return result; // passes its only scalar on
  auto steps = std::make_shared<Steps>(std::move(builder.steps));
  result.body = [steps](OpBuilder &b, Location loc, ValueRange scalars) {
    return writeBody(*steps, b, loc, scalars);
  };
  return result;
}

Scalar Materializer::scalar(const Ref &ref, ArrayRef<AffineExpr> place) {
  return scalar(ref, place, std::nullopt);
}

//===----------------------------------------------------------------------===//
// Einsums
//===----------------------------------------------------------------------===//

static Body asBody(const Scalar &scalar) {
  if (!scalar.body)
    return {};
  return [body = scalar.body](BodyBuilder &b, ValueRange in) {
    return body(b.getBuilder(), b.getLoc(), in);
  };
}

void Materializer::emitNode(NodeId id) {
  const Node &node = graph[id];
  Exprs ranks = ranksOf(id);
  Ref self{id, graph.frameOf(id).all()};

  Equation eq;
  eq.exact = true;
  eq.element = node.type;
  eq.name = roles.nameOf(id);
  Exprs layout = layoutOf(id);
  for (AffineExpr expr : layout)
    eq.result.push_back(expr.replaceDims(ranks));

  auto reduction = plan.reductionOf.find(id);
  if (reduction == plan.reductionOf.end() && node.kind != Kind::Reduce) {
    Scalar map = scalar(self, ranks);
    eq.inputs = map.reads;
    eq.map = asBody(map);
  } else {
    // The reduction's dims, as those of the tensor that is its finish.
    Ref source = self;
    if (reduction != plan.reductionOf.end())
      for (const Ref &leaf : leavesOf(graph, plan, id))
        if (leaf.node == reduction->second)
          source = leaf;
    const Node &sum = graph[source];
    SmallVector<AffineExpr> place = placed(source, ranks);
    Exprs all = ranks;
    addBoundRanks(source.node, all);
    ArrayRef<AffineExpr> reduced = ArrayRef(all).drop_front(ranks.size());
    llvm::append_range(place, reduced);
    llvm::append_range(eq.reduced, reduced);
    Scalar map = scalar(sum.operands[0], place);
    eq.inputs = map.reads;
    eq.map = asBody(map);
    eq.reduce = sum.reduce;
    eq.accumulator = sum.type;
    if (source.node != id) {
      Scalar finish = scalar(self, ranks, source.node);
      eq.finishInputs = finish.reads;
      eq.finish = asBody(finish);
    }
  }
  define(id, emit(eq, node.type), layout);
}

/// A piece of a concat is called by its place in the graph, and its ranks after
/// what reads it.
void Materializer::renamePiece(MapReduceOp piece, ArrayRef<int64_t> extents,
                               ArrayRef<std::string> names) {
  piece.setEinsumName(roles.nameForPiece(piece.getEinsumName()));
  Exprs ranks;
  llvm::StringMap<std::string> renamed;
  SmallVector<Attribute> attributes;
  OpBuilder b(piece);
  for (auto [i, name] :
       llvm::enumerate(piece.getRanks().getAsValueRange<StringAttr>())) {
    bool isNamed = i < names.size() && !names[i].empty();
    ranks.push_back(cascade.rank(isNamed ? StringRef(names[i]) : name,
                                 extents[i], /*iterative=*/false, ranks));
    renamed[name] = cascade.rankName(ranks.back()).str();
    attributes.push_back(b.getStringAttr(renamed[name]));
  }
  piece.setRanksAttr(b.getArrayAttr(attributes));
  piece.walk([&](IndexOp index) {
    index.setRank(renamed.find(index.getRank())->second);
  });
}

void Materializer::emitKept(NodeId id) {
  const Kept &kept = imported.kept.find(graph[id].value)->second;
  auto clone = cast<MapReduceOp>(
      cascade.getBuilder().clone(*MapReduceOp(kept.op).getOperation()));
  if (isConcatPiece(kept.op))
    renamePiece(clone, MapReduceOp(kept.op).getExtents(),
                rankRoles.namesOf(graph[id].value));
  clones.push_back({clone, &kept});
  define(id, clone.getResult(), graph.frameOf(id).all());
}

/// What kept Einsums read: tensors of this cascade, which may be laid out anew.
void Materializer::linkKept() {
  for (auto &[clone, kept] : clones) {
    SmallVector<Attribute> maps(clone.getMaps().begin(), clone.getMaps().end());
    SmallVector<int64_t> extents = MapReduceOp(kept->op).getExtents();
    for (auto &[i, tensor] : kept->operands) {
      const Node &node = graph[tensor.ref];
      auto it = made.find(tensor.ref.node);
      bool isOutside = node.kind == Kind::Input && it == made.end();
      if (!isOutside && it == made.end()) { // a constant
        clone->setOperand(i, emitResult(tensor));
        continue;
      }
      AffineMap access = cast<AffineMapAttr>(maps[i]).getValue();
      SmallVector<AffineExpr> at =
          placed(tensor.byCoordinate, access.getResults());
      SmallVector<AffineExpr> coordinates(at);
      if (!isOutside) {
        coordinates.clear();
        for (AffineExpr expr : it->second.layout)
          coordinates.push_back(expr.replaceDims(at));
      }
      clone->setOperand(i, isOutside ? node.value : it->second.tensor);
      for (AffineExpr &expr : coordinates)
        expr = simplifyIndex(expr, extents);
      // The same expression, if it is equal: a cascade comes back as it was.
      AffineMap map =
          AffineMap::get(extents.size(), 0, coordinates, graph.getContext());
      bool isEqual = access.getNumResults() == map.getNumResults();
      for (auto [a, b] : llvm::zip(access.getResults(), map.getResults()))
        isEqual &= simplifyIndex(a, extents) == b;
      if (!isEqual)
        maps[i] = AffineMapAttr::get(map);
    }
    clone.setMapsAttr(ArrayAttr::get(graph.getContext(), maps));
  }
}

Value Materializer::emitResult(const Tensor &tensor) {
  const Node &node = graph[tensor.ref];
  auto it = made.find(tensor.ref.node);
  Exprs layout = layoutOver(graph, tensor);
  if (it != made.end() && layout == it->second.layout && !layout.empty() &&
      it->second.tensor.getType() == tensor.type)
    return it->second.tensor;
  if (it == made.end() && node.kind == Kind::Input &&
      node.value.getType() == tensor.type &&
      layout == graph.frameOf(tensor.ref.node).all())
    return node.value;
  Exprs ranks;
  for (const Dim &dim : tensor.frame.dims)
    ranks.push_back(cascade.rank(dim.hint.empty() ? "x" : dim.hint, dim.extent,
                                 /*iterative=*/false, ranks));
  Equation eq;
  eq.exact = true;
  eq.element = node.type;
  eq.name = roles.nameForCopy(tensor.name);
  for (AffineExpr expr : tensor.layout)
    eq.result.push_back(expr.replaceDims(ranks));
  Scalar map = scalar(tensor.ref, ranks);
  eq.inputs = map.reads;
  eq.map = asBody(map);
  return emit(eq, node.type);
}

SmallVector<Value> Materializer::run() {
  chooseLayouts();
  // Ranks of kept Einsums first: no other may get their names.
  for (NodeId id : plan.order) {
    auto it = imported.kept.find(graph[id].value);
    if (graph[id].kind != Kind::Input || it == imported.kept.end())
      continue;
    MapReduceOp op = it->second.op;
    if (isConcatPiece(op))
      continue;
    for (StringRef name : op.getRanks().getAsValueRange<StringAttr>()) {
      RankAttr rank = op.getCascade().lookupRank(name);
      cascade.rank(name, rank.getExtent(), rank.getIterative());
    }
  }
  for (NodeId id : plan.order) {
    const Node &node = graph[id];
    if (plan.absorbed.contains(id))
      continue;
    auto known = locations.find(id);
    loc = known == locations.end() ? cascade.getCascade().getLoc()
                                   : known->second;
    if (node.kind == Kind::Input)
      emitKept(id);
    else if (node.kind == Kind::Piece)
      kinds.find(node.name)->second.emit(*this, id);
    else
      emitNode(id);
  }
  loc = cascade.getCascade().getLoc();
  linkKept();
  SmallVector<Value> results;
  for (const Tensor &tensor : imported.results)
    results.push_back(emitResult(tensor));
  return results;
}
