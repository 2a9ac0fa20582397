//===- Bf16AsBits.cpp - bf16 values as their 16 bits ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "transfusion/Conversion/Passes.h"

namespace transfusion {
#define GEN_PASS_DEF_BF16ASBITSPASS
#include "transfusion/Conversion/Passes.h.inc"
} // namespace transfusion

using namespace mlir;

namespace {
struct Bf16AsBits : public transfusion::impl::Bf16AsBitsPassBase<Bf16AsBits> {
  void runOnOperation() override {
    Type bits = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](BFloat16Type) { return bits; });
    // The type inside a constant is no element that a replacer visits.
    replacer.addReplacement([&](FloatAttr number) -> std::optional<Attribute> {
      if (!isa<BFloat16Type>(number.getType()))
        return std::nullopt;
      return IntegerAttr::get(bits, number.getValue().bitcastToAPInt());
    });
    replacer.addReplacement(
        [&](DenseElementsAttr numbers) -> std::optional<Attribute> {
          if (!isa<BFloat16Type>(numbers.getElementType()))
            return std::nullopt;
          return numbers.bitcast(bits);
        });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};
} // namespace
