//===- Callers.cpp - Who calls a function whose type changes --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Callers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "transfusion/Bridge/Appends.h"
#include "transfusion/Dialect/Sched/IR/Sched.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::schedtoaffine;

FailureOr<std::vector<Caller>> schedtoaffine::findCallers(func::FuncOp func,
                                                          ModuleOp module) {
  std::vector<Caller> calls;
  AppendedTo appendedTo;
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    appendedTo.push_back(appendedArgument(func, i));
  auto uses = SymbolTable::getSymbolUses(func.getOperation(), module);
  if (!uses)
    return func.emitOpError("has a schedule, but an op of the module may refer "
                            "to it in an unknown way; take that op out of it "
                            "before (every op is to be of a registered "
                            "dialect)");
  for (SymbolTable::SymbolUse use : *uses) {
    Operation *user = use.getUser();
    if (isa<sched::ScheduleOp>(user))
      continue;
    auto call = dyn_cast<func::CallOp>(user);
    if (!call) {
      InFlightDiagnostic error = user->emitOpError("refers to @")
                                 << func.getName()
                                 << ", whose schedule makes it a function on "
                                    "memrefs: only 'func.call' can follow";
      error.attachNote(func.getLoc()) << "call it, or erase its schedule";
      return error;
    }
    calls.push_back({call, appendedTo});
  }
  return calls;
}

static MemRefType memrefOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// The beginning of `to` becomes `from`.
static void copyInto(OpBuilder &b, Location loc, Value from, Value to) {
  ArrayRef<int64_t> shape = cast<MemRefType>(from.getType()).getShape();
  SmallVector<int64_t> zeros(shape.size(), 0), ones(shape.size(), 1);
  affine::buildAffineLoopNest(
      b, loc, zeros, shape, ones,
      [&](OpBuilder &inner, Location, ValueRange ivs) {
        Value value = affine::AffineLoadOp::create(inner, loc, from, ivs);
        affine::AffineStoreOp::create(inner, loc, value, to, ivs);
      });
}

void schedtoaffine::rewriteCall(const Caller &caller) {
  func::CallOp call = caller.call;
  OpBuilder b(call);
  Location loc = call.getLoc();
  SmallVector<Value> operands, results;
  for (Value operand : call.getOperands())
    operands.push_back(isa<RankedTensorType>(operand.getType())
                           ? bufferization::ToBufferOp::create(
                                 b, loc, memrefOf(operand.getType()), operand,
                                 /*read_only=*/true)
                                 .getResult()
                           : operand);
  for (auto [result, argument] :
       llvm::zip(call.getResults(), caller.appendedTo)) {
    results.push_back(
        memref::AllocOp::create(b, loc, memrefOf(result.getType())));
    if (argument) {
      copyInto(b, loc, operands[*argument], results.back());
      operands[*argument] = results.back();
    } else {
      operands.push_back(results.back());
    }
  }
  func::CallOp::create(b, loc, call.getCallee(), TypeRange(), operands);
  for (auto [result, buffer] : llvm::zip(call.getResults(), results))
    result.replaceAllUsesWith(bufferization::ToTensorOp::create(
        b, loc, result.getType(), buffer, /*restrict=*/true,
        /*writable=*/true));
  call.erase();
}
