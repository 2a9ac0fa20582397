//===- EinsumToLinalg.cpp - What a cascade means --------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Einsums are emitted in dependence order. Those that depend on each other form
// one scf.for over their iterative rank, which carries the previous slice of
// what is read across iterations, and a whole tensor only for a result of which
// somebody reads more than the last slice.
//
//===----------------------------------------------------------------------===//

#include "EinsumToLinalg.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IntegerSet.h"
#include "transfusion/Conversion/Passes.h"
#include "transfusion/Dialect/Einsum/IR/ArgumentAttrs.h"
#include "transfusion/Dialect/Einsum/IR/Domain.h"
#include "transfusion/Dialect/Einsum/IR/EquationGraph.h"

namespace transfusion {
#define GEN_PASS_DEF_EINSUMTOLINALGPASS
#include "transfusion/Conversion/Passes.h.inc"
} // namespace transfusion

using namespace mlir;
using namespace transfusion;
using namespace transfusion::einsum;

namespace {
/// What was emitted for a result.
struct Emitted {
  Value whole;
  /// Slice `lastIndex` along `dim`, without that dimension.
  Value last;
  unsigned dim = 0;
  int64_t lastIndex = -1;
};

class CascadeLowering {
public:
  explicit CascadeLowering(CascadeOp cascade)
      : cascade(cascade), b(cascade), graph(cascade) {}

  LogicalResult run();

private:
  /// A member of a recurrence and what the loop carries of it.
  struct Member {
    MapReduceOp op;
    unsigned rank = 0;    ///< position of the iterative rank in the op's ranks
    unsigned dim = 0;     ///< dimension of the result that it indexes
    int64_t offset = 0;   ///< the result's index is rank + offset
    bool window = false;  ///< the previous slice is read
    bool history = false; ///< more than the last slice is read
    Value previous, all, current;
  };

  LogicalResult emitRecurrence(unsigned component);
  LogicalResult planMembers(unsigned component, StringRef rank,
                            SmallVectorImpl<Member> &members);
  /// The member's position among `members` after those that it reads in the
  /// same iteration.
  static LogicalResult sortMembers(const EquationGraph &graph,
                                   unsigned component, StringRef rank,
                                   SmallVectorImpl<Member> &members);
  void emitMember(Member &member, MutableArrayRef<Member> members,
                  StringRef rank, Value index);
  OperandSource getSource(Value operand, AffineMap access);
  /// The access is a constant index of the last slice.
  bool readsOnlyLast(const EquationGraph::Edge &edge, const Member &member,
                     int64_t extent);

  CascadeOp cascade;
  OpBuilder b;
  EquationGraph graph;
  EffectiveDomains domains;
  llvm::DenseMap<Value, Emitted> emitted;
};
} // namespace

static AffineMap getAccess(MapReduceOp op, unsigned operand) {
  return cast<AffineMapAttr>(op.getMaps()[operand]).getValue();
}

OperandSource CascadeLowering::getSource(Value operand, AffineMap access) {
  auto it = emitted.find(operand);
  if (it == emitted.end())
    return {operand, access};
  const Emitted &e = it->second;
  if (e.whole)
    return {e.whole, access};
  return {e.last, access.dropResult(e.dim)};
}

bool CascadeLowering::readsOnlyLast(const EquationGraph::Edge &edge,
                                    const Member &member, int64_t extent) {
  MapReduceOp reader = graph.einsum(edge.to);
  auto constant = dyn_cast<AffineConstantExpr>(
      getAccess(reader, edge.operand).getResult(member.dim));
  return constant && constant.getValue() == extent - 1 + member.offset;
}

LogicalResult CascadeLowering::planMembers(unsigned component, StringRef rank,
                                           SmallVectorImpl<Member> &members) {
  int64_t extent = cascade.lookupRank(rank).getExtent();
  for (unsigned node : graph.components()[component]) {
    Member &member = members.emplace_back();
    member.op = graph.einsum(node);
    for (auto [i, name] :
         llvm::enumerate(member.op.getRanks().getAsValueRange<StringAttr>()))
      if (name == rank)
        member.rank = i;
    for (auto [d, expr] :
         llvm::enumerate(member.op.getResultMap().getResults()))
      if (expr.isFunctionOfDim(member.rank)) {
        member.dim = d;
        member.offset =
            getRange(expr, member.op.getExtents()).min; // rank + offset
      }
    for (const EquationGraph::Edge &edge : graph.edges()) {
      if (edge.from != node)
        continue;
      if (graph.componentOf(edge.to) != component) {
        if (readsOnlyLast(edge, member, extent))
          member.window = true;
        else
          member.history = true;
        continue;
      }
      std::optional<int64_t> advance = graph.getAdvance(edge, rank);
      if (!advance || *advance < 0) {
        InFlightDiagnostic diag = graph.einsum(edge.to).emitOpError();
        diag
            << "reads a later slice of " << member.op.getEinsumName()
            << " within a recurrence, which has no lowering; index the rank so "
               "that it reads this slice or one before";
        return diag;
      }
      member.window |= *advance == 1;
      member.history |= *advance > 1;
    }
    if (llvm::is_contained(cascade.getYield().getOperands(),
                           member.op.getResult()))
      member.history = true;
  }
  return sortMembers(graph, component, rank, members);
}

LogicalResult CascadeLowering::sortMembers(const EquationGraph &graph,
                                           unsigned component, StringRef rank,
                                           SmallVectorImpl<Member> &members) {
  ArrayRef<unsigned> nodes = graph.components()[component];
  SmallVector<Member> sorted;
  SmallVector<bool> done(nodes.size(), false);
  while (sorted.size() < nodes.size()) {
    bool progress = false;
    for (auto [i, node] : llvm::enumerate(nodes)) {
      if (done[i])
        continue;
      bool ready = true;
      for (const EquationGraph::Edge &edge : graph.innerEdges(component))
        if (edge.to == node && graph.getAdvance(edge, rank) == 0)
          ready &= done[llvm::find(nodes, edge.from) - nodes.begin()];
      if (!ready)
        continue;
      sorted.push_back(members[i]);
      done[i] = progress = true;
    }
    if (!progress) // refused by the verifier
      return failure();
  }
  members.assign(sorted.begin(), sorted.end());
  return success();
}

void CascadeLowering::emitMember(Member &member,
                                 MutableArrayRef<Member> members,
                                 StringRef rank, Value index) {
  MapReduceOp op = member.op;
  SmallVector<OperandSource> sources;
  for (OpOperand &use : op->getOpOperands()) {
    Value operand = use.get();
    AffineMap access = getAccess(op, use.getOperandNumber());
    Member *producer = llvm::find_if(
        members, [&](Member &m) { return m.op.getResult() == operand; });
    if (producer == members.end()) {
      sources.push_back(getSource(operand, access));
      continue;
    }
    int64_t advance = *transfusion::einsum::getAdvance(producer->op, op, access,
                                                       producer->dim);
    if (advance == 0)
      sources.push_back({producer->current, access.dropResult(producer->dim)});
    else if (advance == 1)
      sources.push_back({producer->previous, access.dropResult(producer->dim)});
    else
      sources.push_back({producer->all, access});
  }
  member.current =
      emitEinsum(b, op, sources, domains.get(op), domains.getOfResult(op),
                 Slice{member.rank, index, member.dim});
}

LogicalResult CascadeLowering::emitRecurrence(unsigned component) {
  Location loc = graph.einsum(graph.components()[component].front()).getLoc();
  RankAttr rankAttr = graph.getIterativeRank(component);
  StringRef rank = rankAttr.getName().getValue();
  SmallVector<Member> members;
  if (failed(planMembers(component, rank, members)))
    return failure();

  // What the loop starts from.
  SmallVector<Value> start;
  for (Member &member : members) {
    auto type = cast<RankedTensorType>(member.op.getType());
    TypedAttr init = member.op.getInitAttr();
    if (!init)
      init = b.getZeroAttr(type.getElementType());
    Value value = arith::ConstantOp::create(b, loc, init);
    auto fill = [&](ArrayRef<int64_t> shape) -> Value {
      Value empty =
          tensor::EmptyOp::create(b, loc, shape, type.getElementType());
      return linalg::FillOp::create(b, loc, value, empty).getResult(0);
    };
    if (member.window) {
      SmallVector<int64_t> shape(type.getShape());
      shape.erase(shape.begin() + member.dim);
      start.push_back(fill(shape));
    }
    if (member.history)
      start.push_back(fill(type.getShape()));
  }

  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value end = arith::ConstantIndexOp::create(b, loc, rankAttr.getExtent());
  auto loop = scf::ForOp::create(b, loc, zero, end, one, start);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    unsigned next = 0;
    for (Member &member : members) {
      if (member.window)
        member.previous = loop.getRegionIterArg(next++);
      if (member.history)
        member.all = loop.getRegionIterArg(next++);
    }
    for (Member &member : members)
      emitMember(member, members, rank, loop.getInductionVar());
    SmallVector<Value> results;
    for (Member &member : members) {
      if (member.window)
        // A copy, so that the carried slice stays in one buffer.
        results.push_back(
            linalg::CopyOp::create(b, loc, member.current, member.previous)
                .getResult(0));
      if (!member.history)
        continue;
      auto type = cast<RankedTensorType>(member.op.getType());
      Value at = loop.getInductionVar();
      if (member.offset)
        at = arith::AddIOp::create(
            b, loc, at, arith::ConstantIndexOp::create(b, loc, member.offset));
      SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
      SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
      SmallVector<OpFoldResult> sizes;
      for (int64_t size : type.getShape())
        sizes.push_back(b.getIndexAttr(size));
      offsets[member.dim] = at;
      sizes[member.dim] = b.getIndexAttr(1);
      results.push_back(tensor::InsertSliceOp::create(
          b, loc, member.current, member.all, offsets, sizes, strides));
    }
    scf::YieldOp::create(b, loc, results);
  }
  unsigned next = 0;
  for (Member &member : members) {
    Emitted &result = emitted[member.op.getResult()];
    result.dim = member.dim;
    result.lastIndex = rankAttr.getExtent() - 1 + member.offset;
    if (member.window)
      result.last = loop.getResult(next++);
    if (member.history)
      result.whole = loop.getResult(next++);
  }
  return success();
}

LogicalResult CascadeLowering::run() {
  for (unsigned c = 0, e = graph.components().size(); c < e; ++c) {
    if (graph.isCyclic(c)) {
      if (failed(emitRecurrence(c)))
        return failure();
      continue;
    }
    MapReduceOp op = graph.einsum(graph.components()[c].front());
    SmallVector<OperandSource> sources;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      sources.push_back(getSource(operand, getAccess(op, i)));
    emitted[op.getResult()].whole = emitEinsum(
        b, op, sources, domains.get(op), domains.getOfResult(op), std::nullopt);
  }
  SmallVector<Value> results;
  for (Value value : cascade.getYield().getOperands()) {
    auto it = emitted.find(value);
    results.push_back(it == emitted.end() ? value : it->second.whole);
  }
  cascade->replaceAllUsesWith(results);
  cascade->erase();
  return success();
}

namespace {
struct EinsumToLinalg
    : public transfusion::impl::EinsumToLinalgPassBase<EinsumToLinalg> {
  void runOnOperation() override {
    SmallVector<CascadeOp> cascades;
    WalkResult result =
        getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (auto cascade = dyn_cast<CascadeOp>(op)) {
            cascades.push_back(cascade);
            return WalkResult::skip();
          }
          if (isa_and_nonnull<EinsumDialect>(op->getDialect())) {
            op->emitOpError() << "has no lowering to linalg; run "
                                 "--einsum-decompose first";
            return WalkResult::interrupt();
          }
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (CascadeOp cascade : cascades)
      if (failed(CascadeLowering(cascade).run()))
        return signalPassFailure();
    getOperation()->walk(
        [](FunctionOpInterface function) { dropArgumentAttrs(function); });
  }
};
} // namespace
