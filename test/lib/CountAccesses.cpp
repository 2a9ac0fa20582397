//===- CountAccesses.cpp - What an emitted program touches ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two passes with the lowering between them. `test-claim-traffic` notes on the
// module what the cost model says, `test-count-traffic` walks every iteration
// of the emitted loops and counts, by tensor and memory. They share nothing but
// the names of buffers and the bytes of a type.
//
// A value of DRAM counts whenever it is loaded or stored. A value of an on-chip
// memory counts once per epoch and operand, however often the loops of the slot
// touch it: a unit keeps it. Loops over tiles and steps have no location, those
// of a slot or a transfer have that of their Einsum. What is in DRAM is told by
// the buffer that it is copied to or from. Slice 0 of a recurrence, a constant,
// is in DRAM before the layer starts, as its inputs are.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "transfusion/Bridge/ImportSchedule.h"
#include "transfusion/Core/Cost/Evaluate.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
using namespace transfusion;

/// On the module: by tensor the bytes read and written at each memory, and the
/// tensor of each buffer.
static constexpr StringLiteral kClaims = "test.traffic";
static constexpr StringLiteral kTensors = "test.tensors";

namespace {
/// Bytes read and written, by name of the tensor and memory.
using Traffic =
    std::map<std::pair<std::string, int64_t>, std::pair<int64_t, int64_t>>;

class Counter {
public:
  explicit Counter(DictionaryAttr tensors) : tensors(tensors) {}
  LogicalResult run(func::FuncOp function) {
    return block(function.getBody().front());
  }
  Traffic traffic;

private:
  std::string tensorOf(Operation &op, Value memref) const;
  LogicalResult block(Block &b) {
    for (Operation &op : b)
      if (failed(visit(op)))
        return failure();
    return success();
  }
  LogicalResult visit(Operation &op);
  LogicalResult loop(affine::AffineForOp op);
  SmallVector<int64_t> values(ValueRange operands) {
    return llvm::map_to_vector(operands, [&](Value v) {
      APInt constant;
      return matchPattern(v, m_ConstantInt(&constant)) ? constant.getSExtValue()
                                                       : known.lookup(v);
    });
  }
  SmallVector<int64_t> apply(AffineMap map, ValueRange operands);
  void access(Operation &op, Value memref, ArrayRef<int64_t> index, bool write);

  DictionaryAttr tensors;
  DenseMap<Value, int64_t> known;
  /// Of the epoch that runs: what each load or store has touched.
  struct Touched {
    int64_t epoch = -1;
    DenseSet<int64_t> elements;
  };
  DenseMap<Operation *, Touched> touched;
  int64_t epoch = 0;
};
} // namespace

static int64_t evaluate(AffineExpr e, unsigned dims, ArrayRef<int64_t> values) {
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(e))
    return values[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
    return values[dims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(e);
  int64_t l = evaluate(binary.getLHS(), dims, values);
  int64_t r = evaluate(binary.getRHS(), dims, values);
  switch (e.getKind()) {
  case AffineExprKind::Add:
    return l + r;
  case AffineExprKind::Mul:
    return l * r;
  case AffineExprKind::Mod:
    return ((l % r) + r) % r;
  case AffineExprKind::FloorDiv:
    return (l - (((l % r) + r) % r)) / r;
  default:
    return (l + ((((-l) % r) + r) % r)) / r; // CeilDiv
  }
}

SmallVector<int64_t> Counter::apply(AffineMap map, ValueRange operands) {
  SmallVector<int64_t> in = values(operands);
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr e) {
    return evaluate(e, map.getNumDims(), in);
  });
}

void Counter::access(Operation &op, Value memref, ArrayRef<int64_t> index,
                     bool write) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t memory = type.getMemorySpaceAsInt();
  auto store = dyn_cast<affine::AffineStoreOp>(op);
  if (memory == 0 && store && matchPattern(store.getValue(), m_Constant()))
    return;
  if (memory > 0) {
    int64_t element = 0;
    for (auto [i, extent] : llvm::zip_equal(index, type.getShape()))
      element = element * extent + i;
    Touched &t = touched[&op];
    if (t.epoch != epoch) {
      t.epoch = epoch;
      t.elements.clear();
    }
    if (!t.elements.insert(element).second)
      return;
  }
  auto &count = traffic[{tensorOf(op, memref), memory}];
  (write ? count.second : count.first) +=
      llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// That of the view, or of the one that a transfer copies to or from.
std::string Counter::tensorOf(Operation &op, Value memref) const {
  Operation *view = memref.getDefiningOp<memref::ViewOp>();
  if (auto store = dyn_cast<affine::AffineStoreOp>(op); store && !view) {
    auto from = store.getValueToStore().getDefiningOp<affine::AffineLoadOp>();
    view = from ? from.getMemRef().getDefiningOp() : nullptr;
  } else if (!view) {
    for (Operation *user : op.getUsers())
      if (auto to = dyn_cast<affine::AffineStoreOp>(user))
        view = to.getMemRef().getDefiningOp();
  }
  if (auto resident =
          view ? view->getAttrOfType<StringAttr>("sched.resident") : nullptr)
    return resident.str();
  auto name = view ? view->getAttrOfType<StringAttr>("sched.buffer") : nullptr;
  auto tensor = name ? tensors.getAs<StringAttr>(name) : nullptr;
  return tensor ? tensor.str() : "nothing known";
}

LogicalResult Counter::loop(affine::AffineForOp op) {
  SmallVector<int64_t> lower =
      apply(op.getLowerBoundMap(), op.getLowerBoundOperands());
  SmallVector<int64_t> upper =
      apply(op.getUpperBoundMap(), op.getUpperBoundOperands());
  bool structural = isa<UnknownLoc>(op.getLoc());
  for (int64_t i = *llvm::max_element(lower), e = *llvm::min_element(upper);
       i < e; i += op.getStepAsInt()) {
    epoch += structural;
    known[op.getInductionVar()] = i;
    if (failed(block(*op.getBody())))
      return failure();
  }
  epoch += structural;
  return success();
}

LogicalResult Counter::visit(Operation &op) {
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](affine::AffineForOp f) { return loop(f); })
      .Case([&](affine::AffineIfOp f) {
        IntegerSet set = f.getIntegerSet();
        SmallVector<int64_t> in = values(f.getOperands());
        for (auto [i, e] : llvm::enumerate(set.getConstraints())) {
          int64_t value = evaluate(e, set.getNumDims(), in);
          if (set.isEq(i) ? value != 0 : value < 0)
            return f.hasElse() ? block(*f.getElseBlock()) : success();
        }
        return block(*f.getThenBlock());
      })
      .Case([&](affine::AffineApplyOp a) {
        known[a.getResult()] = apply(a.getAffineMap(), a.getOperands())[0];
        return success();
      })
      .Case([&](affine::AffineLoadOp l) {
        access(op, l.getMemRef(), apply(l.getAffineMap(), l.getMapOperands()),
               false);
        return success();
      })
      .Case([&](affine::AffineStoreOp s) {
        access(op, s.getMemRef(), apply(s.getAffineMap(), s.getMapOperands()),
               true);
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        if (other->getNumRegions() ||
            isa<memref::LoadOp, memref::StoreOp>(other))
          return other->emitError("is not counted");
        return success();
      });
}

namespace {
struct ClaimTrafficPass
    : PassWrapper<ClaimTrafficPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ClaimTrafficPass)
  StringRef getArgument() const final { return "test-claim-traffic"; }
  StringRef getDescription() const final {
    return "note on the module the bytes that the cost model says of its one "
           "schedule";
  }
  void runOnOperation() override {
    SmallVector<sched::ScheduleOp> schedules(
        getOperation().getOps<sched::ScheduleOp>());
    if (schedules.size() != 1)
      return signalPassFailure();
    FailureOr<ImportedSchedule> imported = importSchedule(schedules.front());
    if (failed(imported))
      return signalPassFailure();
    const core::Cascade &c = imported->cascade();
    const core::Plan plan =
        core::makePlan(c, imported->arch, imported->schedule);
    std::vector<core::TensorTraffic> traffic;
    core::CostReport cost = core::Evaluator(c, imported->arch)
                                .evaluate(imported->schedule, plan, traffic);
    if (!cost.faults.empty()) {
      schedules.front().emitError(cost.faults.front());
      return signalPassFailure();
    }
    Builder b(&getContext());
    SmallVector<NamedAttribute> claims, tensors;
    for (size_t t = 0; t < c.tensors.size(); ++t) {
      SmallVector<int64_t> bytes;
      for (size_t m = 0; m < imported->arch.memories.size(); ++m)
        bytes.append({traffic[t].readBytes[m], traffic[t].writeBytes[m]});
      claims.push_back(
          b.getNamedAttr(c.tensors[t].name, b.getDenseI64ArrayAttr(bytes)));
    }
    for (const core::Buffer &buffer : plan.buffers)
      tensors.push_back(b.getNamedAttr(
          buffer.name, b.getStringAttr(c.tensors[buffer.tensor].name)));
    getOperation()->setAttr(kClaims, b.getDictionaryAttr(claims));
    getOperation()->setAttr(kTensors, b.getDictionaryAttr(tensors));
    for (Operation *einsum : imported->source.einsums)
      einsum->setLoc(NameLoc::get(StringAttr::get(&getContext(), "einsum")));
  }
};

struct CountTrafficPass
    : PassWrapper<CountTrafficPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountTrafficPass)
  CountTrafficPass() = default;
  CountTrafficPass(const CountTrafficPass &other) : PassWrapper(other) {}
  Option<bool> print{*this, "print",
                     llvm::cl::desc("a line for each tensor and memory: bytes "
                                    "read and written")};
  StringRef getArgument() const final { return "test-count-traffic"; }
  StringRef getDescription() const final {
    return "count the bytes that the emitted program moves and compare";
  }
  void runOnOperation() override {
    auto claims = getOperation()->getAttrOfType<DictionaryAttr>(kClaims);
    auto tensors = getOperation()->getAttrOfType<DictionaryAttr>(kTensors);
    if (!claims || !tensors) {
      getOperation().emitError("has no claims: run --test-claim-traffic first");
      return signalPassFailure();
    }
    Counter counter(tensors);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(counter.run(function)))
        return signalPassFailure();
    for (NamedAttribute claim : claims)
      compare(claim.getName().strref(),
              cast<DenseI64ArrayAttr>(claim.getValue()), counter);
    for (auto &[where, bytes] : counter.traffic)
      if (!claims.contains(where.first))
        fail() << where.first << " at memory " << where.second << ": "
               << bytes.first << " bytes are read, " << bytes.second
               << " written";
    if (print)
      for (auto &[where, bytes] : counter.traffic)
        llvm::outs() << "counted " << where.first << " " << where.second << " "
                     << bytes.first << " " << bytes.second << "\n";
    llvm::outs() << counted << " bytes counted\n";
  }

private:
  InFlightDiagnostic fail() {
    signalPassFailure();
    return getOperation().emitError();
  }
  void compare(StringRef tensor, ArrayRef<int64_t> claim, Counter &counter) {
    for (size_t m = 0; 2 * m < claim.size(); ++m) {
      auto [reads, writes] = counter.traffic[{tensor.str(), m}];
      counted += reads + writes;
      if (reads != claim[2 * m] || writes != claim[2 * m + 1])
        fail() << tensor << " at memory " << m << ": read " << reads << " of "
               << claim[2 * m] << " claimed bytes, written " << writes << " of "
               << claim[2 * m + 1];
    }
  }
  int64_t counted = 0;
};
} // namespace

namespace transfusion::test {
void registerCountTrafficPasses() {
  PassRegistration<ClaimTrafficPass>();
  PassRegistration<CountTrafficPass>();
}
} // namespace transfusion::test
