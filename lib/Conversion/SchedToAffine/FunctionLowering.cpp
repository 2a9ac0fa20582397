//===- FunctionLowering.cpp - A scheduled function becomes one on memrefs -===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FunctionLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "transfusion/Bridge/Appends.h"
#include "transfusion/Bridge/Unscheduled.h"
#include "transfusion/Dialect/Sched/IR/Names.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::schedtoaffine;

static MemRefType memrefOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// Gives the dimensions `from[d...]` the consecutive ones `to[next...]` that
/// multiply up to each. An extent of 1 may belong to either neighbour, so the
/// first choice is not always the right one.
static bool split(ArrayRef<int64_t> from, ArrayRef<int64_t> to, size_t d,
                  size_t next, SmallVector<ReassociationIndices> &groups) {
  if (d == from.size())
    return next == to.size();
  ReassociationIndices group;
  int64_t product = 1;
  for (; next < to.size() && to[next] <= from[d] / product; ++next) {
    product *= to[next];
    group.push_back(next);
    if (product != from[d])
      continue;
    groups.push_back(group);
    if (split(from, to, d + 1, next + 1, groups))
      return true;
    groups.pop_back();
  }
  return false;
}

/// Splits each dimension of `from` into consecutive ones of `to` (row-major, so
/// the same bytes); nullopt when they do not multiply up.
static std::optional<SmallVector<ReassociationIndices>>
factors(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<ReassociationIndices> groups;
  if (!split(from, to, 0, 0, groups))
    return std::nullopt;
  return groups;
}

/// `memref` in the shape that Core gave its tensor.
static FailureOr<Value> inCoreShape(OpBuilder &b, Location loc, Value memref,
                                    const std::vector<int64_t> &shape) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getShape() == ArrayRef<int64_t>(shape))
    return memref;
  MemRefType wanted = MemRefType::get(shape, type.getElementType());
  if (wanted.getNumElements() != type.getNumElements())
    return emitError(loc, "a tensor of type ")
           << type
           << " is not a reshape of what its Einsums access; return what they "
              "make";
  auto groups = factors(type.getShape(), shape);
  if (!groups) { // dimensions that are read as one
    SmallVector<ReassociationIndices> all(1);
    for (int64_t d = 0; d < type.getRank(); ++d)
      all.front().push_back(d);
    memref = memref::CollapseShapeOp::create(b, loc, memref, all);
    groups = factors({type.getNumElements()}, shape);
    if (!groups)
      return memref;
  }
  return Value(memref::ExpandShapeOp::create(b, loc, wanted, memref, *groups));
}

namespace {
/// The function around the cascades that are scheduled.
class FunctionLowering {
public:
  FunctionLowering(func::FuncOp func, const Source &source, bool poison)
      : func(func), src(source), poison(poison), b(func) {}
  LogicalResult run();

private:
  LogicalResult checkShape();
  func::FuncOp createFunction();
  /// Where the result lies: in an argument of its own, or in that to which it
  /// is appended.
  Value resultMemref(func::FuncOp lowered, unsigned result);
  FailureOr<Value> outerMemref(core::TensorId t, func::FuncOp into);
  /// `v`, or the value in whose storage it lies.
  Value storageOf(Value v) const;
  Value constantMemref(arith::ConstantOp op);
  void copy(Location loc, Value from, Value to);

  func::FuncOp func;
  const Source &src;
  bool poison;
  OpBuilder b;
  func::ReturnOp ret;
};
} // namespace

LogicalResult FunctionLowering::checkShape() {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return func.emitOpError("has a schedule but no body of one block; schedule "
                            "a function of one");
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    if (isa<TensorType>(type) && !isStatic(type))
      return func.emitOpError("takes ")
             << type << " as argument " << i
             << ": a scheduled function takes tensors of static shape; pass it "
                "as one";
  for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
    if (!isStatic(type))
      return func.emitOpError("returns ")
             << type << " as result " << i
             << ": a scheduled function returns tensors of static shape only; "
                "return it as one";
  // --dpipe has warned of ops that it does not schedule.
  for (Operation *op : unscheduledOps(func)) {
    InFlightDiagnostic diag =
        op->emitOpError("is not scheduled, so the program would lack it");
    diag.attachNote(func.getLoc())
        << "the program of a schedule holds Einsums and constants only; move "
           "the op into a function of its own, before or after this one";
    return diag;
  }
  ret = cast<func::ReturnOp>(func.getBody().front().getTerminator());
  for (Value returned : ret->getOperands()) {
    Value v = sched::tensorBehind(returned), storage = storageOf(v);
    if (storage == v || isa<BlockArgument>(v) ||
        llvm::any_of(ret->getOperands(), [&](Value other) {
          return sched::tensorBehind(other) == storage;
        }))
      continue;
    InFlightDiagnostic diag =
        emitError(v.getLoc(), "a result of the function is extended by a "
                              "tensor that is none");
    diag.attachNote(storage.getLoc())
        << "both lie in the storage of this one: return it as well, or extend "
           "a copy";
    return diag;
  }
  return success();
}

Value FunctionLowering::storageOf(Value v) const {
  for (size_t t = 0; t < src.tensors.size(); ++t)
    if (src.tensors[t] == v)
      return src
          .tensors[core::wholeOf(src.cascade, static_cast<core::TensorId>(t))];
  return v;
}

func::FuncOp FunctionLowering::createFunction() {
  SmallVector<Type> types;
  for (Type t : func.getArgumentTypes())
    types.push_back(isa<RankedTensorType>(t) ? memrefOf(t) : t);
  for (auto [i, t] : llvm::enumerate(func.getResultTypes()))
    if (auto argument = appendedArgument(func, i))
      types[*argument] = memrefOf(t);
    else
      types.push_back(memrefOf(t));
  auto lowered = func::FuncOp::create(b, func.getLoc(), func.getName(),
                                      b.getFunctionType(types, {}));
  lowered.setVisibility(func.getVisibility());
  lowered->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                   b.getUnitAttr());
  lowered.addEntryBlock();
  return lowered;
}

Value FunctionLowering::resultMemref(func::FuncOp lowered, unsigned result) {
  if (auto argument = appendedArgument(func, result))
    return lowered.getArgument(*argument);
  unsigned position = func.getNumArguments();
  for (unsigned i = 0; i < result; ++i)
    position += !appendedArgument(func, i);
  return lowered.getArgument(position);
}

Value FunctionLowering::constantMemref(arith::ConstantOp op) {
  OpBuilder::InsertionGuard guard(b);
  auto module = func->getParentOfType<ModuleOp>();
  MemRefType type = memrefOf(op.getType());
  std::string name;
  unsigned n = 0;
  do
    name = (func.getName() + "_constant" + Twine(n++)).str();
  while (module.lookupSymbol(name));
  {
    OpBuilder::InsertionGuard top(b);
    b.setInsertionPointToStart(module.getBody());
    memref::GlobalOp::create(b, op.getLoc(), name, b.getStringAttr("private"),
                             type, op.getValue(), /*constant=*/true,
                             /*alignment=*/IntegerAttr());
  }
  return memref::GetGlobalOp::create(b, op.getLoc(), type, name);
}

FailureOr<Value> FunctionLowering::outerMemref(core::TensorId t,
                                               func::FuncOp into) {
  t = core::wholeOf(src.cascade, t);
  Value v = src.tensors[t];
  Value memref;
  if (auto arg = dyn_cast<BlockArgument>(v))
    memref = into.getArgument(arg.getArgNumber());
  else if (auto constant = v.getDefiningOp<arith::ConstantOp>())
    memref = constantMemref(constant);
  // A result goes where it is appended, else where it is returned first.
  for (bool appended : {true, false})
    for (OpOperand &returned : ret->getOpOperands()) {
      const unsigned i = returned.getOperandNumber();
      if (!memref && sched::tensorBehind(returned.get()) == v &&
          (!appended || appendedArgument(func, i)))
        memref = resultMemref(into, i);
    }
  if (!memref)
    return Value(); // made and used here only
  return inCoreShape(b, v.getLoc(), memref, src.cascade.tensors[t].shape);
}

void FunctionLowering::copy(Location loc, Value from, Value to) {
  AffineScope scope(b);
  SmallVector<Bound> bounds;
  for (int64_t extent : cast<MemRefType>(to.getType()).getShape())
    bounds.push_back({scope.constant(extent)});
  scope.nest(loc, bounds, [&](ArrayRef<AffineExpr> ivs) {
    scope.store(loc, scope.load(loc, from, ivs), to, ivs);
  });
}

LogicalResult FunctionLowering::run() {
  if (failed(checkShape()))
    return failure();
  func::FuncOp lowered = createFunction();
  b.setInsertionPointToStart(&lowered.front());
  auto fail = [&] {
    lowered.erase();
    return failure();
  };

  std::vector<Value> outer;
  for (size_t t = 0; t < src.tensors.size(); ++t) {
    FailureOr<Value> memref =
        outerMemref(static_cast<core::TensorId>(t), lowered);
    if (failed(memref))
      return fail();
    outer.push_back(*memref);
  }
  ProgramEmitter emitter(src, poison, b);
  if (std::string why = emitter.unsupported(); !why.empty()) {
    func.emitOpError(why);
    return fail();
  }
  emitter.emit(std::move(outer), func.getLoc());

  // What is returned twice, or passed through, is copied.
  DenseMap<Value, Value> placed;
  for (OpOperand &returned : ret->getOpOperands())
    if (appendedArgument(func, returned.getOperandNumber()))
      placed[sched::tensorBehind(returned.get())] =
          resultMemref(lowered, returned.getOperandNumber());
  for (OpOperand &returned : ret->getOpOperands()) {
    if (appendedArgument(func, returned.getOperandNumber()))
      continue;
    Value to = resultMemref(lowered, returned.getOperandNumber());
    Value from = sched::tensorBehind(returned.get());
    if (!isa<BlockArgument>(from) && storageOf(from) != from)
      continue;
    if (auto arg = dyn_cast<BlockArgument>(from))
      copy(ret.getLoc(), lowered.getArgument(arg.getArgNumber()), to);
    else if (auto constant = from.getDefiningOp<arith::ConstantOp>())
      copy(ret.getLoc(), constantMemref(constant), to);
    else if (Value &first = placed[from])
      copy(ret.getLoc(), first, to);
    else
      first = to;
  }
  // The front of what extends it.
  for (OpOperand &returned : ret->getOpOperands()) {
    Value from = sched::tensorBehind(returned.get());
    if (!isa<BlockArgument>(from) && storageOf(from) != from &&
        !appendedArgument(func, returned.getOperandNumber()))
      copy(ret.getLoc(), placed[storageOf(from)],
           resultMemref(lowered, returned.getOperandNumber()));
  }
  func::ReturnOp::create(b, ret.getLoc());
  func.erase();
  return success();
}

LogicalResult schedtoaffine::lowerFunction(func::FuncOp func,
                                           const Source &source, bool poison) {
  return FunctionLowering(func, source, poison).run();
}
