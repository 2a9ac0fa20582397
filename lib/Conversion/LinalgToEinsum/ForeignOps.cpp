//===- ForeignOps.cpp - Why an op of others stays -------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockPlan.h"
#include "BodyReads.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace transfusion::raise;

/// Ops of TOSA for which upstream has no lowering to linalg.
static StringRef whyNotTosa(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("tosa.scatter",
            "writes at indices that are data, and an access of an Einsum is "
            "affine; scatter outside of the function")
      .Case("tosa.custom", "is an op that only its own domain knows; write it "
                           "in other ops of TOSA, or of linalg")
      .Cases({"tosa.variable", "tosa.variable_read", "tosa.variable_write"},
             "keeps a state between calls; make it an argument and a result of "
             "the function")
      .Cases({"tosa.cond_if", "tosa.while_loop"},
             "chooses at run time what is computed; make a function of each "
             "branch or body, and call that")
      .Cases({"tosa.cast_from_block_scaled", "tosa.cast_to_block_scaled",
              "tosa.matmul_t_block_scaled"},
             "has numbers in blocks of one scale; cast them outside of the "
             "function, and pass f32, bf16 or f16")
      .Default("");
}

/// What keeps the lowering from an op that it has patterns for: a type, or a
/// shape that is no constant.
static std::string whyNotLowered(Operation *op) {
  for (Type type : llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()),
                                      SmallVector<Type>(op->getResultTypes())))
    if (isa<TensorType>(type))
      if (std::string reason = whyNotType(type); !reason.empty())
        return reason;
  for (Value operand : op->getOperands())
    if (operand.getType().getDialect().getNamespace() == "tosa" &&
        !matchPattern(operand, m_Constant()))
      return "takes a shape that is computed; write it as tosa.const_shape";
  return "";
}

std::string transfusion::raise::whyNotForeign(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "einsum")
    return "";
  if (op->hasTrait<OpTrait::ConstantLike>())
    return ""; // a tensor of data
  if (dialect == "tosa") {
    StringRef known = whyNotTosa(op->getName().getStringRef());
    std::string reason = known.empty() ? whyNotLowered(op) : known.str();
    return !reason.empty() ? reason
                           : "is of the tosa dialect; run "
                             "--convert-tosa-to-einsum, which lowers it to "
                             "linalg first where upstream has a lowering; else "
                             "write it in ops that have one";
  }
  if (dialect == "linalg")
    return "works on memrefs; run it before bufferisation";
  if (isa<tensor::GatherOp, tensor::ScatterOp>(op))
    return "takes its indices from data, and an access of an Einsum is affine; "
           "look the elements up outside of the function, and pass what was "
           "found as an argument";
  if (isa<tensor::ExtractOp>(op) && isReadByBodiesOnly(op))
    return "";
  if (isa<tensor::ExtractOp>(op))
    return "makes a scalar of an element, which no Einsum can read; give the "
           "tensor to the linalg op that reads the scalar";
  if (isa<tensor::BitcastOp>(op))
    return "reads the bits of numbers; convert them by value (arith.sitofp, "
           "arith.truncf), or do it outside of the function";
  if (isa<CallOpInterface>(op))
    return "is a call; run upstream's --inline first (a function without a "
           "body, or one that calls itself, stays: compute it before or "
           "behind this one)";
  if (OpTrait::hasElementwiseMappableTraits(op))
    return "computes on whole tensors; run upstream's "
           "--convert-elementwise-to-linalg first";
  if (isa<LoopLikeOpInterface>(op))
    return "is a loop around tensors; unroll it, or write it as linalg ops "
           "with a dimension more";
  if (isa<RegionBranchOpInterface>(op))
    return "chooses at run time what is computed; select between both values "
           "(linalg.select), or make a function of each branch";
  if (!op->isRegistered())
    return "is of no dialect that is known here; lower it to linalg on tensors "
           "first";
  return "is no op of linalg, and none of tensor that moves whole tensors; "
         "lower it to linalg on tensors first";
}
