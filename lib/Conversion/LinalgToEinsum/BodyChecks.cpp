//===- BodyChecks.cpp - Why a body cannot be one of an Einsum -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "BodyReads.h"
#include "ExpandOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace transfusion::raise;

/// A constant, or what folds to one: scalar ops on constants, known sizes.
static bool isConstantLike(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return false;
  if (def->hasTrait<OpTrait::ConstantLike>() || knownSize(def))
    return true;
  return isa<arith::ArithDialect, math::MathDialect>(def->getDialect()) &&
         def->getNumResults() == 1 &&
         llvm::all_of(def->getOperands(), isConstantLike);
}

/// Why what makes `yielded` in a block of scalars cannot stand in a body.
static std::string whyNotIn(Block &block, Value yielded) {
  llvm::SmallDenseSet<Value> values = slice(yielded);
  auto checkType = [](Type type) {
    return type.isF64() || isa<Float16Type, BFloat16Type, Float32Type>(type) ||
           type.isIndex() || type.isSignlessInteger();
  };
  for (Operation &inner : block.without_terminator()) {
    if (llvm::none_of(inner.getResults(),
                      [&](Value v) { return values.contains(v); }))
      continue;
    StringRef name = inner.getName().getStringRef();
    if (isa<linalg::IndexOp>(inner))
      continue;
    if (auto read = dyn_cast<tensor::ExtractOp>(inner)) {
      Operation *op = block.getParentOp();
      if (!isa<linalg::GenericOp, tensor::GenerateOp>(op))
        return "its body reads a tensor ('tensor.extract'); write it as a "
               "linalg.generic";
      std::string whyNot;
      if (!accessOf(op, read, whyNot))
        return whyNot;
      continue;
    }
    if (hasArithForm(&inner))
      continue;
    if (!isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) ||
        inner.getNumRegions() != 0 || inner.getNumResults() != 1)
      return ("its body computes with '" + name +
              "', which is no scalar op of arith or math; write it in those, "
              "or as an op of its own outside of the body")
          .str();
    if (isa<arith::BitcastOp>(inner))
      return "its body reads the bits of a number ('arith.bitcast'); convert "
             "it by value (arith.sitofp, arith.truncf)";
    for (Value operand : inner.getOperands()) {
      Operation *def = operand.getDefiningOp();
      bool isOutside =
          def ? def->getBlock() != &block : operand.getParentBlock() != &block;
      if (isOutside && !isConstantLike(operand) && !isScalarRead(operand))
        return "its body reads a scalar from outside that is not a constant; "
               "pass it as a tensor of no dimensions, an operand";
    }
    for (Type type : inner.getResultTypes())
      if (!checkType(type)) {
        std::string text;
        llvm::raw_string_ostream(text)
            << "its body computes in " << type
            << "; f16, bf16, f32, f64 and integers can be raised: convert to "
               "one of them";
        return text;
      }
  }
  if (yielded.getParentBlock() != &block && !isConstantLike(yielded) &&
      !isScalarRead(yielded))
    return "its body yields a scalar from outside that is not a constant; "
           "pass it as a tensor of no dimensions, an operand";
  return "";
}

std::string transfusion::raise::whyNotScalar(linalg::LinalgOp op,
                                             unsigned result) {
  return whyNotIn(*op.getBlock(),
                  op.getBlock()->getTerminator()->getOperand(result));
}

std::string transfusion::raise::whyNotIndexBody(Block &block) {
  return whyNotIn(block, block.getTerminator()->getOperand(0));
}
