//===- Order.cpp - Ops in another order, operands swapped -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Perturb.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <set>

using namespace mlir;
using namespace transfusion::test;

/// Ops of `block` that `op` reads, in its regions too, by position.
static std::set<size_t> dependences(Operation *op, Block &block,
                                    const DenseMap<Operation *, size_t> &at) {
  std::set<size_t> found;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *def = operand.getDefiningOp())
        if (def->getBlock() == &block)
          found.insert(at.lookup(def));
  });
  return found;
}

unsigned transfusion::test::reorderOps(func::FuncOp function, Dice &dice) {
  Block &block = function.getBody().front();
  SmallVector<Operation *> ops;
  DenseMap<Operation *, size_t> at;
  for (Operation &op : block.without_terminator()) {
    at[&op] = ops.size();
    ops.push_back(&op);
  }
  std::vector<std::vector<size_t>> readers(ops.size());
  std::vector<size_t> missing(ops.size());
  for (size_t i = 0; i < ops.size(); ++i)
    for (size_t def : dependences(ops[i], block, at)) {
      readers[def].push_back(i);
      ++missing[i];
    }
  std::vector<size_t> ready;
  for (size_t i = 0; i < ops.size(); ++i)
    if (missing[i] == 0)
      ready.push_back(i);
  unsigned moved = 0;
  for (size_t next = 0; !ready.empty(); ++next) {
    size_t pick = dice.below(ready.size());
    size_t op = ready[pick];
    ready.erase(ready.begin() + pick);
    ops[op]->moveBefore(block.getTerminator());
    moved += op != next;
    for (size_t reader : readers[op])
      if (--missing[reader] == 0)
        ready.push_back(reader);
  }
  return moved;
}

/// `b PRED' a` is `a PRED b`.
static arith::CmpFPredicate mirrored(arith::CmpFPredicate p) {
  using P = arith::CmpFPredicate;
  switch (p) {
  case P::OGT:
    return P::OLT;
  case P::OLT:
    return P::OGT;
  case P::OGE:
    return P::OLE;
  case P::OLE:
    return P::OGE;
  case P::UGT:
    return P::ULT;
  case P::ULT:
    return P::UGT;
  case P::UGE:
    return P::ULE;
  case P::ULE:
    return P::UGE;
  default:
    return p;
  }
}

static arith::CmpIPredicate mirrored(arith::CmpIPredicate p) {
  using P = arith::CmpIPredicate;
  switch (p) {
  case P::sgt:
    return P::slt;
  case P::slt:
    return P::sgt;
  case P::sge:
    return P::sle;
  case P::sle:
    return P::sge;
  case P::ugt:
    return P::ult;
  case P::ult:
    return P::ugt;
  case P::uge:
    return P::ule;
  case P::ule:
    return P::uge;
  default:
    return p;
  }
}

static void swapTwo(Operation *op) {
  Value first = op->getOperand(0);
  op->setOperand(0, op->getOperand(1));
  op->setOperand(1, first);
}

static bool swapScalar(Operation *op, Dice &dice) {
  if (op->getNumOperands() != 2 || op->getOperand(0) == op->getOperand(1))
    return false;
  auto cmpf = dyn_cast<arith::CmpFOp>(op);
  auto cmpi = dyn_cast<arith::CmpIOp>(op);
  if (!cmpf && !cmpi && !op->hasTrait<OpTrait::IsCommutative>())
    return false;
  if (dice.coin())
    return false;
  if (cmpf)
    cmpf.setPredicate(mirrored(cmpf.getPredicate()));
  if (cmpi)
    cmpi.setPredicate(mirrored(cmpi.getPredicate()));
  swapTwo(op);
  return true;
}

/// Exchanges inputs i and j of a generic, their maps and block arguments.
static void swapInputs(linalg::GenericOp op, unsigned i, unsigned j) {
  Value first = op.getInputs()[i];
  op.getInputsMutable()[i].assign(op.getInputs()[j]);
  op.getInputsMutable()[j].assign(first);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  std::swap(maps[i], maps[j]);
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
  BlockArgument a = op.getBody()->getArgument(i);
  BlockArgument b = op.getBody()->getArgument(j);
  SmallVector<OpOperand *> usesOfA, usesOfB;
  for (OpOperand &use : a.getUses())
    usesOfA.push_back(&use);
  for (OpOperand &use : b.getUses())
    usesOfB.push_back(&use);
  for (OpOperand *use : usesOfA)
    use->set(b);
  for (OpOperand *use : usesOfB)
    use->set(a);
  Type type = a.getType();
  a.setType(b.getType());
  b.setType(type);
}

unsigned transfusion::test::swapOperands(func::FuncOp function, Dice &dice) {
  unsigned sites = 0;
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (isa<linalg::GenericOp, linalg::ReduceOp, linalg::MapOp>(
            op->getParentOp())) {
      sites += swapScalar(op, dice);
    } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      unsigned inputs = generic.getNumDpsInputs();
      if (inputs < 2 || dice.coin())
        continue;
      unsigned i = dice.below(inputs);
      swapInputs(generic, i, (i + 1 + dice.below(inputs - 1)) % inputs);
      ++sites;
    } else if (isa<linalg::AddOp, linalg::MulOp, linalg::MaxOp, linalg::MinOp>(
                   op)) {
      if (op->getOperand(0) == op->getOperand(1) || dice.coin())
        continue;
      swapTwo(op);
      ++sites;
    }
  }
  return sites;
}
