//===- Callers.cpp - Who calls a function whose type changes --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Callers.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "transfusion/Dialect/Sched/IR/Sched.h"

using namespace mlir;
using namespace transfusion;

FailureOr<std::vector<func::CallOp>>
schedtoaffine::findCallers(func::FuncOp func, ModuleOp module) {
  std::vector<func::CallOp> calls;
  auto uses = SymbolTable::getSymbolUses(func.getOperation(), module);
  if (!uses)
    return func.emitOpError("has a schedule, but an op of the module may refer "
                            "to it in an unknown way");
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
    calls.push_back(call);
  }
  return calls;
}

static MemRefType memrefOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

void schedtoaffine::rewriteCall(func::CallOp call) {
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
  for (Value result : call.getResults()) {
    operands.push_back(
        memref::AllocOp::create(b, loc, memrefOf(result.getType())));
    results.push_back(operands.back());
  }
  func::CallOp::create(b, loc, call.getCallee(), TypeRange(), operands);
  for (auto [result, buffer] : llvm::zip(call.getResults(), results))
    result.replaceAllUsesWith(bufferization::ToTensorOp::create(
        b, loc, result.getType(), buffer, /*restrict=*/true,
        /*writable=*/true));
  call.erase();
}
