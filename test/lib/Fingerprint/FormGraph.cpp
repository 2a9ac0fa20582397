//===- FormGraph.cpp - What a function's cascades say ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FormGraph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "transfusion/Dialect/Einsum/IR/LinearForm.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace transfusion;
using namespace transfusion::test;

namespace {
class GraphReader {
public:
  explicit GraphReader(func::FuncOp function) : function(function) {}
  FormGraph run();

private:
  int addNode(Value value, Node::Kind kind);
  void declare(einsum::CascadeOp cascade);
  void fill(einsum::CascadeOp cascade);
  void fill(Node &node);
  void addForeign(Operation &op);
  int addRead(Node &node, Value tensor, AffineMap map);
  int addTerm(Node &node, Value scalar, DenseMap<Value, int> &known);

  func::FuncOp function;
  FormGraph graph;
  DenseMap<Value, int> nodes;
  std::map<std::string, int> ranks; ///< of the cascade at hand
};
} // namespace

int GraphReader::addNode(Value value, Node::Kind kind) {
  int id = graph.nodes.size();
  graph.nodes.emplace_back();
  graph.nodes.back().kind = kind;
  graph.nodes.back().type = value.getType();
  nodes[value] = id;
  return id;
}

template <typename T> static std::string textOf(const T &printable) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printable.print(os);
  return text;
}

/// Name and what distinguishes ops of one name. Nothing is said of flags that
/// are at their default.
static std::string describe(Operation *op) {
  std::string text = op->getName().stripDialect().str();
  for (NamedAttribute attr : op->getAttrs()) {
    if (auto fast = dyn_cast<arith::FastMathFlagsAttr>(attr.getValue()))
      if (fast.getValue() == arith::FastMathFlags::none)
        continue;
    if (auto flags = dyn_cast<arith::IntegerOverflowFlagsAttr>(attr.getValue()))
      if (flags.getValue() == arith::IntegerOverflowFlags::none)
        continue;
    // Predicates of both kinds are integers that only the op can tell apart.
    if (auto compare = dyn_cast<arith::CmpFOp>(op);
        compare && attr.getName() == compare.getPredicateAttrName())
      text += "." + arith::stringifyCmpFPredicate(compare.getPredicate()).str();
    else if (auto compare = dyn_cast<arith::CmpIOp>(op);
             compare && attr.getName() == compare.getPredicateAttrName())
      text += "." + arith::stringifyCmpIPredicate(compare.getPredicate()).str();
    else
      text += "{" + attr.getName().str() + "=" + textOf(attr.getValue()) + "}";
  }
  if (op->getNumResults() == 1 && op->getNumOperands() > 0 &&
      !isa<arith::CmpFOp, arith::CmpIOp, arith::SelectOp>(op) &&
      op->getOperand(0).getType() != op->getResult(0).getType())
    text += ":" + textOf(op->getResult(0).getType());
  return text;
}

void GraphReader::addForeign(Operation &op) {
  std::string label =
      op.getName().getStringRef().str() + textOf(op.getAttrDictionary());
  for (Region &region : op.getRegions())
    region.walk([&](Operation *inner) { label += " " + describe(inner); });
  std::vector<int> operands;
  for (Value operand : op.getOperands())
    operands.push_back(nodes.lookup(operand));
  for (OpResult result : op.getResults()) {
    Node &node = graph.nodes[addNode(result, Node::Foreign)];
    node.label = label;
    if (op.getNumResults() > 1)
      node.label += "#" + std::to_string(result.getResultNumber());
    node.operands = operands;
  }
}

void GraphReader::declare(einsum::CascadeOp cascade) {
  ranks.clear();
  for (einsum::RankAttr rank :
       cascade.getRanks().getAsRange<einsum::RankAttr>()) {
    ranks[rank.getName().str()] = graph.ranks.size();
    graph.ranks.push_back(
        {rank.getName().str(), rank.getExtent(), rank.getIterative()});
  }
  for (auto op : cascade.getOps<einsum::MapReduceOp>()) {
    Node &node = graph.nodes[addNode(op.getResult(), Node::Einsum)];
    node.op = op;
    node.name = op.getEinsumName().str();
    for (StringAttr name : op.getRanks().getAsRange<StringAttr>())
      node.ranks.push_back(ranks.at(name.str()));
  }
}

int GraphReader::addRead(Node &node, Value tensor, AffineMap map) {
  int source = nodes.lookup(tensor);
  for (auto [i, read] : llvm::enumerate(node.reads))
    if (read.node == source && read.map == map)
      return i;
  node.reads.push_back({source, map});
  return node.reads.size() - 1;
}

int GraphReader::addTerm(Node &node, Value scalar,
                         DenseMap<Value, int> &known) {
  auto at = known.find(scalar);
  if (at != known.end())
    return at->second;
  Operation *def = scalar.getDefiningOp();
  Term term;
  if (auto constant = dyn_cast<arith::ConstantOp>(def)) {
    term.kind = Term::Constant;
    term.constant = constant.getValue();
  } else if (auto index = dyn_cast<einsum::IndexOp>(def)) {
    term.kind = Term::Index;
    term.rank = ranks.at(index.getRank().str());
  } else {
    term.name = describe(def);
    term.isCommutative = def->hasTrait<OpTrait::IsCommutative>();
    for (Value operand : def->getOperands())
      term.args.push_back(addTerm(node, operand, known));
  }
  node.terms.push_back(term);
  return known[scalar] = node.terms.size() - 1;
}

void GraphReader::fill(Node &node) {
  einsum::MapReduceOp op = node.op;
  auto leaf = [&](Term::Kind kind, int read) {
    Term term;
    term.kind = kind;
    term.read = read;
    node.terms.push_back(term);
    return static_cast<int>(node.terms.size()) - 1;
  };
  DenseMap<Value, int> known;
  std::map<int, int> leaves; // of reads
  auto readTerm = [&](Value tensor, AffineMap map) {
    int read = addRead(node, tensor, map);
    if (!leaves.count(read))
      leaves[read] = leaf(Term::Read, read);
    return leaves[read];
  };
  SmallVector<int> inputs;
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    inputs.push_back(readTerm(input, op.getInputMap(i)));
  if (op.getMap().empty()) {
    node.mapRoot = inputs[0];
  } else {
    Block &body = op.getMap().front();
    for (auto [arg, term] : llvm::zip(body.getArguments(), inputs))
      known[arg] = term;
    node.mapRoot = addTerm(node, body.getTerminator()->getOperand(0), known);
  }
  if (op.getFinish().empty())
    return;
  Block &body = op.getFinish().front();
  known[body.getArgument(0)] = leaf(Term::Reduced, -1);
  for (auto [i, input] : llvm::enumerate(op.getFinishInputs()))
    known[body.getArgument(i + 1)] = readTerm(input, op.getFinishInputMap(i));
  node.finishRoot = addTerm(node, body.getTerminator()->getOperand(0), known);
}

void GraphReader::fill(einsum::CascadeOp cascade) {
  for (auto op : cascade.getOps<einsum::MapReduceOp>())
    fill(graph.nodes[nodes.lookup(op.getResult())]);
  for (auto [result, yielded] :
       llvm::zip(cascade.getResults(), cascade.getYield().getOperands()))
    nodes[result] = nodes.lookup(yielded);
}

FormGraph GraphReader::run() {
  Block &block = function.getBody().front();
  for (BlockArgument arg : block.getArguments())
    graph.nodes[addNode(arg, Node::Argument)].name =
        "arg" + std::to_string(arg.getArgNumber());
  for (Operation &op : block.without_terminator()) {
    if (auto cascade = dyn_cast<einsum::CascadeOp>(op)) {
      declare(cascade);
      fill(cascade);
    } else {
      addForeign(op);
    }
  }
  for (Value returned : block.getTerminator()->getOperands())
    graph.roots.push_back(nodes.lookup(returned));
  return std::move(graph);
}

FormGraph test::makeFormGraph(func::FuncOp function) {
  return GraphReader(function).run();
}

DimForm test::makeDimForm(AffineExpr expr, const Node &einsum) {
  DimForm form;
  std::optional<einsum::LinearForm> linear =
      einsum::getLinearForm(expr, einsum.ranks.size());
  if (!linear) {
    form.expr = simplifyAffineExpr(expr, einsum.ranks.size(), 0);
    return form;
  }
  form.constant = linear->constant;
  for (auto [position, factor] : llvm::enumerate(linear->coefficients))
    if (factor != 0)
      form.terms.push_back({einsum.ranks[position], factor});
  return form;
}

std::vector<DimForm> test::makeAccess(const FormGraph &graph,
                                      const Node &einsum, const Read &read,
                                      ArgumentMaps maps) {
  std::vector<DimForm> access;
  bool byLayout = maps == ArgumentMaps::Layout &&
                  graph.nodes[read.node].kind != Node::Einsum;
  for (AffineExpr expr : read.map.getResults()) {
    DimForm form = makeDimForm(expr, einsum);
    bool isPlain =
        !form.expr && form.constant == 0 &&
        llvm::all_of(form.terms, [](const auto &t) { return t.second > 0; });
    if (!byLayout || !isPlain) {
      access.push_back(form);
      continue;
    }
    // Digits one by one: what is fused in one layout is apart in another.
    for (auto [rank, factor] : form.terms)
      if (graph.ranks[rank].extent > 1)
        access.push_back({{{rank, 1}}, 0, {}});
  }
  return access;
}

std::vector<std::pair<DimForm, bool>>
test::makeConstraints(const Node &einsum) {
  std::vector<std::pair<DimForm, bool>> constraints;
  einsum::MapReduceOp op = einsum.op;
  if (!op.getDomainAttr())
    return constraints;
  IntegerSet set = op.getDomainAttr().getValue();
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    DimForm form = makeDimForm(set.getConstraint(i), einsum);
    bool isEquality = set.isEq(i);
    int64_t divisor = 0;
    for (auto [rank, factor] : form.terms)
      divisor = std::gcd(divisor, factor);
    // x*g + c >= 0 is x + floor(c/g) >= 0.
    if (!form.expr && divisor > 1 &&
        (!isEquality || form.constant % divisor == 0)) {
      for (auto &term : form.terms)
        term.second /= divisor;
      form.constant =
          (form.constant - ((form.constant % divisor) + divisor) % divisor) /
          divisor;
    }
    constraints.push_back({form, isEquality});
  }
  return constraints;
}
