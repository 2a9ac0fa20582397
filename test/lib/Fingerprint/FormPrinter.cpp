//===- FormPrinter.cpp - The canonical text -------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks from what the function returns; ranks and arguments are numbered as
// they are met, Einsums when all that they read has been. Operands of
// commutative ops are put in order first. A change in one place leaves the rest
// of the text as it was.
//
//===----------------------------------------------------------------------===//
#include "FormGraph.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::test;

namespace {
class Printer {
public:
  Printer(FormGraph &graph, ArgumentMaps maps, bool withNames,
          llvm::raw_ostream &os)
      : graph(graph), maps(maps), withNames(withNames), os(os),
        local(localColors(graph, maps)), refined(refineColors(graph, maps)),
        nodeNumber(graph.nodes.size(), -1), seen(graph.nodes.size()),
        rankNumber(graph.ranks.size(), -1) {}
  void run();

private:
  void visit(int node);
  void visitEinsum(Node &node);
  void order(Node &node, int term, ArrayRef<uint64_t> localHash,
             ArrayRef<uint64_t> refinedHash, SmallVectorImpl<int> &leaves,
             std::vector<bool> &done);
  void signature(const Node &node, int term, std::vector<double> &out);
  void nameRank(int rank);
  void nameRanks(const Node &node, const DimForm &form);

  std::string form(const Node &node, const DimForm &form);
  std::string expr(const Node &node, AffineExpr expr);
  std::string access(const Node &node, const Read &read);
  std::string constant(TypedAttr attr);
  std::string term(const Node &node, int index, ArrayRef<int> lets);
  std::string body(const Node &node, int root, std::vector<int> &lets);
  std::string nodeName(int node);
  std::string rankName(int rank);
  void print(const Node &node);

  FormGraph &graph;
  ArgumentMaps maps;
  bool withNames;
  llvm::raw_ostream &os;
  Colors local, refined;
  std::vector<int> nodeNumber;
  std::vector<bool> seen;
  std::vector<int> rankNumber;
  std::vector<int> printed; ///< Einsums and foreign ops, in order
  std::vector<int> ranks, arguments;
};
} // namespace

void Printer::nameRank(int rank) {
  if (rankNumber[rank] >= 0)
    return;
  rankNumber[rank] = ranks.size();
  ranks.push_back(rank);
}

void Printer::nameRanks(const Node &node, const DimForm &form) {
  if (form.expr) {
    form.expr.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        nameRank(node.ranks[dim.getPosition()]);
    });
    return;
  }
  auto terms = form.terms;
  // The outermost digit first.
  llvm::stable_sort(terms, [](const auto &a, const auto &b) {
    return std::abs(a.second) > std::abs(b.second);
  });
  for (auto [rank, factor] : terms)
    nameRank(rank);
}

/// For terms that hashes cannot tell apart: what has been numbered already, and
/// the values of constants.
void Printer::signature(const Node &node, int index, std::vector<double> &out) {
  const Term &term = node.terms[index];
  if (term.kind == Term::Read) {
    const Read &read = node.reads[term.read];
    out.push_back(nodeNumber[read.node] < 0 ? 1e9 : nodeNumber[read.node]);
    for (const DimForm &form : makeAccess(graph, node, read, maps))
      for (auto [rank, factor] : form.terms)
        out.push_back(rankNumber[rank] < 0 ? 1e9 : rankNumber[rank]);
  }
  if (auto number = dyn_cast_or_null<FloatAttr>(term.constant))
    out.push_back(number.getValueAsDouble());
  for (int arg : term.args)
    signature(node, arg, out);
}

/// Puts commutative operands in order and lists the leaves.
void Printer::order(Node &node, int index, ArrayRef<uint64_t> localHash,
                    ArrayRef<uint64_t> refinedHash,
                    SmallVectorImpl<int> &leaves, std::vector<bool> &done) {
  if (done[index])
    return;
  done[index] = true;
  Term &term = node.terms[index];
  if (term.kind == Term::Read || term.kind == Term::Index)
    leaves.push_back(index);
  if (term.isCommutative)
    llvm::stable_sort(term.args, [&](int a, int b) {
      auto key = [&](int arg) {
        std::vector<double> tie;
        signature(node, arg, tie);
        return std::tuple(localHash[arg], refinedHash[arg], tie);
      };
      return key(a) < key(b);
    });
  for (int arg : term.args)
    order(node, arg, localHash, refinedHash, leaves, done);
}

void Printer::visitEinsum(Node &node) {
  for (AffineExpr expr : node.op.getResultMap().getResults())
    nameRanks(node, makeDimForm(expr, node));
  SmallVector<int> leaves;
  std::vector<uint64_t> localHash = hashTerms(graph, node, local, maps);
  std::vector<uint64_t> refinedHash = hashTerms(graph, node, refined, maps);
  std::vector<bool> done(node.terms.size());
  order(node, node.mapRoot, localHash, refinedHash, leaves, done);
  if (node.finishRoot >= 0)
    order(node, node.finishRoot, localHash, refinedHash, leaves, done);
  // Operands that no body uses are read all the same.
  for (size_t i = 0; i < node.terms.size(); ++i)
    if (node.terms[i].kind == Term::Read && !done[i])
      leaves.push_back(i);
  for (int leaf : leaves) {
    const Term &term = node.terms[leaf];
    if (term.kind == Term::Index) {
      nameRank(term.rank);
      continue;
    }
    std::vector<DimForm> access =
        makeAccess(graph, node, node.reads[term.read], maps);
    // Without an order of dimensions, known ranks come first, then by colour.
    if (maps == ArgumentMaps::Layout)
      llvm::stable_sort(access, [&](const DimForm &a, const DimForm &b) {
        auto key = [&](const DimForm &f) {
          int rank = f.terms.empty() ? -1 : f.terms.front().first;
          if (rank < 0 || rankNumber[rank] >= 0)
            return std::pair<uint64_t, uint64_t>(0, 0);
          return std::pair(local.rank[rank], refined.rank[rank]);
        };
        return graph.nodes[node.reads[term.read].node].kind != Node::Einsum &&
               key(a) < key(b);
      });
    for (const DimForm &form : access)
      nameRanks(node, form);
  }
  for (int rank : node.ranks) // read by nothing: the Einsum broadcasts
    nameRank(rank);
  for (int leaf : leaves)
    if (node.terms[leaf].kind == Term::Read)
      visit(node.reads[node.terms[leaf].read].node);
}

void Printer::visit(int id) {
  if (seen[id])
    return;
  seen[id] = true;
  Node &node = graph.nodes[id];
  if (node.kind == Node::Argument) {
    nodeNumber[id] = arguments.size();
    arguments.push_back(id);
    return;
  }
  if (node.kind == Node::Einsum)
    visitEinsum(node);
  for (int operand : node.operands)
    visit(operand);
  nodeNumber[id] = printed.size();
  printed.push_back(id);
}

std::string Printer::rankName(int rank) {
  return withNames ? graph.ranks[rank].name
                   : "r" + std::to_string(rankNumber[rank]);
}

std::string Printer::nodeName(int node) {
  if (withNames && !graph.nodes[node].name.empty())
    return graph.nodes[node].name;
  char letter = graph.nodes[node].kind == Node::Argument ? 'a'
                : graph.nodes[node].kind == Node::Einsum ? 'e'
                                                         : 'f';
  return letter + std::to_string(nodeNumber[node]);
}

std::string Printer::expr(const Node &node, AffineExpr e) {
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return std::to_string(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(e))
    return rankName(node.ranks[dim.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(e);
  std::string left = expr(node, binary.getLHS());
  std::string right = expr(node, binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return "(" + std::min(left, right) + "+" + std::max(left, right) + ")";
  case AffineExprKind::Mul:
    return left + "*" + right;
  case AffineExprKind::Mod:
    return "(" + left + " mod " + right + ")";
  case AffineExprKind::FloorDiv:
    return "(" + left + " floordiv " + right + ")";
  default:
    return "(" + left + " ceildiv " + right + ")";
  }
}

std::string Printer::form(const Node &node, const DimForm &f) {
  if (f.expr)
    return expr(node, f.expr);
  auto terms = f.terms;
  llvm::sort(terms, [&](const auto &a, const auto &b) {
    return std::tuple(-std::abs(a.second), rankNumber[a.first]) <
           std::tuple(-std::abs(b.second), rankNumber[b.first]);
  });
  std::string text;
  for (auto [rank, factor] : terms) {
    text += factor < 0 ? "-" : text.empty() ? "" : "+";
    text += rankName(rank);
    if (std::abs(factor) != 1)
      text += "*" + std::to_string(std::abs(factor));
  }
  if (f.constant != 0 || text.empty())
    text += (f.constant >= 0 && !text.empty() ? "+" : "") +
            std::to_string(f.constant);
  return text;
}

std::string Printer::access(const Node &node, const Read &read) {
  SmallVector<std::string> dims;
  for (const DimForm &dim : makeAccess(graph, node, read, maps))
    dims.push_back(form(node, dim));
  bool byLayout = maps == ArgumentMaps::Layout &&
                  graph.nodes[read.node].kind != Node::Einsum;
  if (byLayout)
    llvm::sort(dims);
  return nodeName(read.node) + (byLayout ? "{" : "[") + llvm::join(dims, ",") +
         (byLayout ? "}" : "]");
}

std::string Printer::constant(TypedAttr attr) {
  std::string text = "c(";
  llvm::raw_string_ostream stream(text);
  if (auto number = dyn_cast<FloatAttr>(attr))
    stream << llvm::format("%.17g", number.getValueAsDouble());
  else if (auto number = dyn_cast<IntegerAttr>(attr))
    stream << number.getValue();
  else
    attr.print(stream, /*elideType=*/true);
  stream << ":" << attr.getType() << ")";
  return text;
}

std::string Printer::term(const Node &node, int index, ArrayRef<int> lets) {
  const Term &t = node.terms[index];
  switch (t.kind) {
  case Term::Read:
    return access(node, node.reads[t.read]);
  case Term::Reduced:
    return "@";
  case Term::Index:
    return rankName(t.rank);
  case Term::Constant:
    return constant(t.constant);
  case Term::Op:
    break;
  }
  SmallVector<std::string> args;
  for (int arg : t.args) {
    auto let = llvm::find(lets, arg);
    args.push_back(let == lets.end()
                       ? term(node, arg, lets)
                       : "t" + std::to_string(let - lets.begin()));
  }
  // Names are for readers, who compare forms that differ somewhere else.
  if (withNames && t.isCommutative)
    llvm::sort(args);
  return t.name + "(" + llvm::join(args, ", ") + ")";
}

/// What is computed once and read several times is named.
std::string Printer::body(const Node &node, int root, std::vector<int> &lets) {
  std::vector<int> uses(node.terms.size()), order;
  std::vector<bool> done(node.terms.size());
  std::function<void(int)> walk = [&](int index) {
    if (done[index])
      return;
    done[index] = true;
    for (int arg : node.terms[index].args) {
      ++uses[arg];
      walk(arg);
    }
    order.push_back(index);
  };
  walk(root);
  std::string text;
  for (int index : order)
    if (node.terms[index].kind == Term::Op && uses[index] > 1 &&
        !llvm::is_contained(lets, index)) {
      text += "let t" + std::to_string(lets.size()) + " = " +
              term(node, index, lets) + ", ";
      lets.push_back(index);
    }
  return text + term(node, root, lets);
}

void Printer::print(const Node &node) {
  if (node.kind == Node::Foreign) {
    os << node.label << "(";
    llvm::interleaveComma(node.operands, os,
                          [&](int operand) { os << nodeName(operand); });
    os << ") : " << node.type << "\n";
    return;
  }
  einsum::MapReduceOp op = node.op;
  SmallVector<std::string> dims;
  for (AffineExpr expr : op.getResultMap().getResults())
    dims.push_back(form(node, makeDimForm(expr, node)));
  os << getElementTypeOrSelf(node.type) << "[" << llvm::join(dims, ",")
     << "] = ";
  std::vector<int> lets;
  if (op.getReduce()) {
    SmallVector<int> over;
    for (auto [position, isReduced] : llvm::enumerate(op.getReducedRanks()))
      if (isReduced)
        over.push_back(node.ranks[position]);
    llvm::sort(over,
               [&](int a, int b) { return rankNumber[a] < rankNumber[b]; });
    os << einsum::stringifyReduceKind(*op.getReduce()) << " over ";
    llvm::interleave(over, os, [&](int r) { os << rankName(r); }, ",");
    os << " of ";
  }
  os << body(node, node.mapRoot, lets);
  if (node.finishRoot >= 0)
    os << " finish " << body(node, node.finishRoot, lets);
  SmallVector<std::string> constraints;
  for (const auto &[dim, isEquality] : makeConstraints(node))
    constraints.push_back(form(node, dim) + (isEquality ? " == 0" : " >= 0"));
  llvm::sort(constraints);
  if (!constraints.empty())
    os << " where " << llvm::join(constraints, " and ");
  if (op.getInitAttr())
    os << " init " << constant(op.getInitAttr());
  os << "\n";
}

void Printer::run() {
  for (int root : graph.roots)
    visit(root);
  // What nothing reads is part of the cascade all the same.
  std::vector<int> dead;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (!seen[i] && graph.nodes[i].kind != Node::Argument)
      dead.push_back(i);
  llvm::stable_sort(dead, [&](int a, int b) {
    return std::pair(local.node[a], refined.node[a]) <
           std::pair(local.node[b], refined.node[b]);
  });
  for (int node : dead)
    visit(node);

  if (withNames)
    llvm::sort(printed, [&](int a, int b) {
      return graph.nodes[a].name < graph.nodes[b].name;
    });
  os << "ranks";
  for (int rank : ranks)
    os << " " << rankName(rank) << "=" << graph.ranks[rank].extent
       << (graph.ranks[rank].isIterative ? "*" : "");
  os << "\narguments";
  for (int argument : arguments) {
    Type type = graph.nodes[argument].type;
    os << " " << nodeName(argument) << "="
       << (maps == ArgumentMaps::Layout ? getElementTypeOrSelf(type) : type);
  }
  os << "\n";
  for (int node : printed) {
    os << nodeName(node) << " ";
    print(graph.nodes[node]);
  }
  os << "return";
  for (int root : graph.roots)
    os << " " << nodeName(root);
  os << "\n";
}

void test::printForm(FormGraph graph, ArgumentMaps maps, bool withNames,
                     llvm::raw_ostream &os) {
  Printer(graph, maps, withNames, os).run();
}
