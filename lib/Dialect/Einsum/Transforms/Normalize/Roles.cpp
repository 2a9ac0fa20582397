//===- Roles.cpp - What the Einsums of a layer are called -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Roles.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

namespace transfusion::einsum::normal {
/// Finds the roles in one cascade.
class RoleFinder {
public:
  RoleFinder(EinsumRoles &all, const Imported &imported, const Plan &plan,
             const PieceKinds &kinds, EinsumRoles::Cascade &cascade)
      : all(all), graph(imported.graph), imported(imported), plan(plan),
        kinds(kinds), cascade(cascade) {}
  void run();

private:
  using Role = EinsumRoles::Role;
  /// A reduction by add of a product of two; with the tensor that is its
  /// finish, that tensor.
  const Node *contractionOf(NodeId tensor) const;
  NodeId factor(const Node &contraction, unsigned i) const {
    return throughWidening(graph, graph[contraction.operands[0]].operands[i])
        .node;
  }
  void give(NodeId id, const Role &role) {
    cascade.roles.try_emplace(id, role);
  }
  NodeId newRows(NodeId id) const;
  /// What is rotated, or the new rows of a cache.
  NodeId behind(NodeId id) const;
  void nameOperands(NodeId id, const Node &piece, const Role &role);
  void keepNames(NodeId id);

  EinsumRoles &all;
  const Graph &graph;
  const Imported &imported;
  const Plan &plan;
  const PieceKinds &kinds;
  EinsumRoles::Cascade &cascade;
};
} // namespace transfusion::einsum::normal

const Node *RoleFinder::contractionOf(NodeId tensor) const {
  auto it = plan.reductionOf.find(tensor);
  const Node &node = graph[it == plan.reductionOf.end() ? tensor : it->second];
  if (node.kind != Kind::Reduce || node.reduce != ReduceKind::Add)
    return nullptr;
  const Node &body = graph[node.operands[0]];
  bool isProduct = body.kind == Kind::Product && body.operands.size() == 2 &&
                   body.powers[0] == 1 && body.powers[1] == 1;
  return isProduct ? &node : nullptr;
}

static NodeId throughRotations(const Graph &graph, NodeId id) {
  while (graph[id].isPiece("rope"))
    id = throughWidening(graph, graph[id].operands[0]).node;
  return id;
}

/// Of a cache with new rows behind it those rows, else `id`: the last piece
/// that is computed here.
NodeId RoleFinder::newRows(NodeId id) const {
  for (NodeId piece = id;;) {
    auto it = imported.kept.find(graph[piece].value);
    if (graph[piece].kind != Kind::Input || it == imported.kept.end() ||
        !isConcatPiece(it->second.op))
      return id;
    const std::map<unsigned, Tensor> &operands = it->second.operands;
    MapReduceOp op = it->second.op;
    if (auto rows = operands.find(0);
        rows != operands.end() && !op.getInputs().empty())
      return rows->second.ref.node;
    auto base = operands.find(op->getNumOperands() - 1);
    if (!op.getBase() || base == operands.end())
      return id;
    piece = base->second.ref.node;
  }
}

NodeId RoleFinder::behind(NodeId id) const {
  return throughRotations(graph, newRows(throughRotations(graph, id)));
}

/// What a piece reads is called after it.
void RoleFinder::nameOperands(NodeId id, const Node &piece, const Role &role) {
  auto operand = [&](unsigned i) {
    return throughWidening(graph, piece.operands[i]).node;
  };
  if (piece.name == "layer_norm" || piece.name == "rms_norm") {
    const Node &source = graph[operand(0)];
    bool isSum = source.kind == Kind::Sum || isRoundedResidual(graph, source);
    if (isSum && plan.isTensor(operand(0)) && !contractionOf(operand(0)))
      give(operand(0), {role.kind, role.number, "IAV"});
    return;
  }
  if (piece.name == "activation") {
    bool isGated = piece.operands.size() > 1;
    for (unsigned i = 0, e = piece.operands.size(); i < e; ++i)
      if (contractionOf(operand(i)))
        give(operand(i),
             {role.kind, role.number, isGated && i == 0 ? "FFG" : "FFN1"});
    return;
  }
  auto kind = kinds.find(piece.name);
  if (kind == kinds.end() || !kind->second.operandName)
    return;
  for (unsigned i = 0, e = piece.operands.size(); i < e; ++i) {
    std::string name = kind->second.operandName(graph, piece, i);
    NodeId source = operand(i);
    source = behind(source);
    if (!name.empty() && contractionOf(source))
      give(source, {"qkv", role.number, name});
  }
}

/// Around kept Einsums everything keeps its name, but for pieces of a concat.
void RoleFinder::keepNames(NodeId id) {
  const Node &node = graph[id];
  auto keepsNames = [&](const Node &input) {
    auto it = imported.kept.find(input.value);
    return it != imported.kept.end() && !isConcatPiece(it->second.op);
  };
  auto rename = [&](NodeId tensor) {
    tensor = behind(tensor);
    auto known = cascade.names.find(tensor);
    if (known != cascade.names.end())
      cascade.kept.try_emplace(tensor, known->second);
  };
  if (node.kind == Kind::Input) {
    if (!keepsNames(node))
      return;
    for (auto &[i, tensor] : imported.kept.find(node.value)->second.operands)
      rename(tensor.ref.node);
    return;
  }
  SmallVector<Ref> leaves = leavesOf(graph, plan, id);
  if (auto it = plan.reductionOf.find(id); it != plan.reductionOf.end())
    llvm::append_range(leaves, leavesOf(graph, plan, it->second));
  for (const Ref &leaf : leaves)
    if (keepsNames(graph[leaf]))
      rename(id);
}

void RoleFinder::run() {
  for (const Imported::Name &name : imported.names)
    cascade.names.try_emplace(name.ref.node, name.text);
  auto next = [&](StringRef kind) { return ++all.counts[kind.str()]; };
  for (NodeId id : plan.order)
    if (graph[id].kind != Kind::Reduce || !plan.absorbed.contains(id))
      keepNames(id);

  for (NodeId id : plan.order) {
    const Node &node = graph[id];
    if (node.kind != Kind::Piece)
      continue;
    auto kind = kinds.find(node.name);
    std::string prefix = kind == kinds.end() ? "" : kind->second.prefix;
    Role role{prefix, next(prefix), {}};
    if (kind != kinds.end() && kind->second.operandName)
      next("qkv");
    cascade.roles[id] = role;
    nameOperands(id, node, role);
  }
  for (NodeId id : plan.order) {
    const Node &node = graph[id];
    if (plan.absorbed.contains(id) || node.kind == Kind::Piece ||
        node.kind == Kind::Input || cascade.roles.count(id) ||
        cascade.kept.count(id))
      continue;
    if (const Node *contraction = contractionOf(id)) {
      NodeId input = factor(*contraction, 0);
      auto reader = cascade.roles.find(input);
      if (graph[input].isPiece("activation"))
        give(id, {"ffn", reader->second.number, "FFN2"});
      else if (graph[input].isPiece("attention"))
        give(id, {"out", next("out"), "O"});
      else if (graph[factor(*contraction, 1)].kind == Kind::Input)
        give(id, {"linear", next("linear"), "L"});
    } else if (isRoundedResidual(graph, node)) {
      give(id, {"add", next("add"), "RES"});
    }
    if (!cascade.roles.count(id))
      if (auto it = cascade.names.find(id); it != cascade.names.end())
        cascade.kept.try_emplace(id, it->second);
  }
}

static bool isNumberedPiece(StringRef name) {
  unsigned number;
  return name.consume_front("concat") && !name.getAsInteger(10, number);
}

std::string EinsumRoles::nameForPiece(StringRef imported) {
  return isNumberedPiece(imported)
             ? unique("concat" + std::to_string(++counts["concat"]))
             : imported.str();
}

void EinsumRoles::add(const Imported &imported, const Plan &plan,
                      const PieceKinds &kinds) {
  cascades.emplace_back();
  RoleFinder(*this, imported, plan, kinds, cascades.back()).run();
  for (auto &[value, kept] : imported.kept)
    if (!isNumberedPiece(MapReduceOp(kept.op).getEinsumName()))
      reserve(MapReduceOp(kept.op).getEinsumName());
}

std::string EinsumRoles::unique(const std::string &name) {
  std::string candidate = name;
  for (int i = 2; !taken.insert(candidate).second; ++i)
    candidate = name + "_" + std::to_string(i);
  return candidate;
}

std::string EinsumRoles::prefixOf(const Role &role) const {
  auto it = counts.find(role.kind);
  return it == counts.end() || it->second < 2
             ? std::string()
             : role.kind + std::to_string(role.number) + ".";
}

std::string EinsumRoles::nameFor(NodeId piece, StringRef name) {
  auto &roles = cascades[current].roles;
  auto it = roles.find(piece);
  return unique((it == roles.end() ? "" : prefixOf(it->second)) + name.str());
}

std::string EinsumRoles::nameForCopy(StringRef of) {
  return unique(of.empty() ? "COPY" : of.str());
}

std::string EinsumRoles::nameOf(NodeId node) {
  Cascade &cascade = cascades[current];
  if (auto it = cascade.kept.find(node); it != cascade.kept.end())
    return unique(it->second);
  auto it = cascade.roles.find(node);
  return unique(it == cascade.roles.end() || it->second.name.empty()
                    ? "E"
                    : prefixOf(it->second) + it->second.name);
}
