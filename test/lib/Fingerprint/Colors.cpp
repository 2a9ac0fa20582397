//===- Colors.cpp - Names that follow from what a thing is ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Colour refinement (Weisfeiler and Leman): a node's colour is hashed with
// those of its neighbours until no more colours appear. It orders commutative
// operands without looking at names. Where it cannot tell two things apart,
// source order decides: equal texts are always equal cascades, and only a
// cascade with parts that are alike in every way may have two texts.
//
//===----------------------------------------------------------------------===//
#include "FormGraph.h"

#include "llvm/Support/xxhash.h"

#include <set>

using namespace mlir;
using namespace transfusion;
using namespace transfusion::test;

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t z = a * 0x9E3779B97F4A7C15ull + b + 0x632BE59BD9B4E019ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

static uint64_t hashText(StringRef text) { return llvm::xxh3_64bits(text); }

static uint64_t hashType(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return hashText(text);
}

/// Independent of order.
static uint64_t hashBag(std::vector<uint64_t> bag) {
  llvm::sort(bag);
  uint64_t hash = bag.size();
  for (uint64_t item : bag)
    hash = mix(hash, item);
  return hash;
}

static uint64_t hashExpr(AffineExpr expr, const Node &einsum,
                         const Colors &colors) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return mix(1, constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return mix(2, colors.rank[einsum.ranks[dim.getPosition()]]);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 3;
  uint64_t left = hashExpr(binary.getLHS(), einsum, colors);
  uint64_t right = hashExpr(binary.getRHS(), einsum, colors);
  uint64_t kind = 4 + static_cast<uint64_t>(binary.getKind());
  if (binary.getKind() == AffineExprKind::Add)
    return mix(kind, hashBag({left, right}));
  return mix(mix(kind, left), right);
}

static uint64_t hashForm(const DimForm &form, const Node &einsum,
                         const Colors &colors) {
  if (form.expr)
    return hashExpr(form.expr, einsum, colors);
  std::vector<uint64_t> bag;
  for (auto [rank, factor] : form.terms)
    bag.push_back(mix(colors.rank[rank], factor));
  return mix(hashBag(bag), form.constant);
}

static uint64_t hashAccess(const FormGraph &graph, const Node &einsum,
                           const Read &read, const Colors &colors,
                           ArgumentMaps maps) {
  std::vector<uint64_t> dims;
  for (const DimForm &form : makeAccess(graph, einsum, read, maps))
    dims.push_back(hashForm(form, einsum, colors));
  bool ordered = maps == ArgumentMaps::Exact ||
                 graph.nodes[read.node].kind == Node::Einsum;
  if (!ordered)
    return hashBag(dims);
  uint64_t hash = 5;
  for (uint64_t dim : dims)
    hash = mix(hash, dim);
  return hash;
}

static uint64_t hashConstant(TypedAttr attr) {
  uint64_t hash = hashType(attr.getType());
  if (auto number = dyn_cast<FloatAttr>(attr)) {
    APFloat value = number.getValue();
    int kind = value.isNaN()        ? 1
               : value.isInfinity() ? 2
               : value.isZero()     ? 3
                                    : 4;
    return mix(hash, kind * 2 + (kind != 4 && value.isNegative()));
  }
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return mix(hash, number.getValue().getSExtValue());
  return hash;
}

std::vector<uint64_t> test::hashTerms(const FormGraph &graph,
                                      const Node &einsum, const Colors &colors,
                                      ArgumentMaps maps) {
  std::vector<uint64_t> hashes;
  for (const Term &term : einsum.terms) {
    switch (term.kind) {
    case Term::Read: {
      const Read &read = einsum.reads[term.read];
      hashes.push_back(mix(colors.node[read.node],
                           hashAccess(graph, einsum, read, colors, maps)));
      break;
    }
    case Term::Reduced:
      hashes.push_back(7);
      break;
    case Term::Index:
      hashes.push_back(mix(8, colors.rank[term.rank]));
      break;
    case Term::Constant:
      hashes.push_back(hashConstant(term.constant));
      break;
    case Term::Op: {
      std::vector<uint64_t> args;
      for (int arg : term.args)
        args.push_back(hashes[arg]);
      uint64_t hash = hashText(term.name);
      if (term.isCommutative)
        hash = mix(hash, hashBag(args));
      else
        for (uint64_t arg : args)
          hash = mix(hash, arg);
      hashes.push_back(hash);
      break;
    }
    }
  }
  return hashes;
}

Colors test::localColors(const FormGraph &graph, ArgumentMaps maps) {
  Colors colors;
  for (const Rank &rank : graph.ranks)
    colors.rank.push_back(mix(rank.extent, rank.isIterative));
  for (const Node &node : graph.nodes) {
    Type type = node.type;
    // Another layout is another shape.
    if (maps == ArgumentMaps::Layout && node.kind == Node::Argument)
      type = getElementTypeOrSelf(type);
    colors.node.push_back(
        mix(mix(node.kind, hashType(type)), hashText(node.label)));
  }
  return colors;
}

/// What an Einsum is, given the colours of what it reads.
static uint64_t hashEinsum(const FormGraph &graph, const Node &node,
                           const Colors &colors, ArgumentMaps maps) {
  einsum::MapReduceOp op = node.op;
  std::vector<uint64_t> terms = hashTerms(graph, node, colors, maps);
  uint64_t hash = terms[node.mapRoot];
  hash = mix(hash, node.finishRoot < 0 ? 1 : terms[node.finishRoot]);
  hash = mix(hash, op.getReduce() ? static_cast<int>(*op.getReduce()) + 1 : 0);
  for (AffineExpr expr : op.getResultMap().getResults())
    hash = mix(hash, hashForm(makeDimForm(expr, node), node, colors));
  std::vector<uint64_t> domain;
  for (const auto &[form, isEquality] : makeConstraints(node))
    domain.push_back(mix(hashForm(form, node, colors), isEquality));
  hash = mix(hash, hashBag(domain));
  if (op.getInitAttr())
    hash = mix(hash, hashConstant(op.getInitAttr()));
  return hash;
}

static Colors refineOnce(const FormGraph &graph, const Colors &old,
                         ArgumentMaps maps) {
  Colors next = old;
  std::vector<std::vector<uint64_t>> readers(graph.nodes.size());
  std::vector<std::vector<uint64_t>> users(graph.ranks.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node &node = graph.nodes[i];
    if (node.kind == Node::Foreign)
      for (auto [k, operand] : llvm::enumerate(node.operands)) {
        next.node[i] = mix(next.node[i], old.node[operand]);
        readers[operand].push_back(mix(old.node[i], k));
      }
    if (node.kind != Node::Einsum)
      continue;
    next.node[i] = mix(next.node[i], hashEinsum(graph, node, old, maps));
    for (const Read &read : node.reads) {
      readers[read.node].push_back(
          mix(old.node[i], hashAccess(graph, node, read, old, maps)));
      for (auto [dim, form] :
           llvm::enumerate(makeAccess(graph, node, read, maps)))
        for (auto [rank, factor] : form.terms)
          users[rank].push_back(
              mix(mix(old.node[i], old.node[read.node]), factor));
    }
    einsum::MapReduceOp op = node.op;
    for (auto [dim, expr] : llvm::enumerate(op.getResultMap().getResults()))
      for (auto [rank, factor] : makeDimForm(expr, node).terms)
        users[rank].push_back(mix(mix(old.node[i], dim), factor));
    for (const auto &[form, isEquality] : makeConstraints(node))
      for (auto [rank, factor] : form.terms)
        users[rank].push_back(
            mix(mix(old.node[i], hashForm(form, node, old)), factor));
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    next.node[i] = mix(next.node[i], hashBag(readers[i]));
  for (auto [i, root] : llvm::enumerate(graph.roots))
    next.node[root] = mix(next.node[root], i + 1);
  for (size_t r = 0; r < graph.ranks.size(); ++r)
    next.rank[r] = mix(next.rank[r], hashBag(users[r]));
  return next;
}

static size_t countColors(const Colors &colors) {
  return std::set<uint64_t>(colors.node.begin(), colors.node.end()).size() +
         std::set<uint64_t>(colors.rank.begin(), colors.rank.end()).size();
}

Colors test::refineColors(const FormGraph &graph, ArgumentMaps maps) {
  Colors colors = localColors(graph, maps);
  size_t count = countColors(colors);
  // Colours only split, and there are no more than things to colour.
  for (int still = 0; still < 2;) {
    colors = refineOnce(graph, colors, maps);
    size_t next = countColors(colors);
    still = next > count ? 0 : still + 1;
    count = next;
  }
  return colors;
}
