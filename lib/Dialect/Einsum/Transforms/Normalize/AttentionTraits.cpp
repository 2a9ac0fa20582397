//===- AttentionTraits.cpp - Attributes of an attention -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "RecognizeAttention.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

Attribute AttentionTraits::pack(MLIRContext *context) const {
  Builder b(context);
  NamedAttrList list;
  if (!constraints().empty())
    list.append("domain", IntegerSetAttr::get(domain));
  if (isGuarded)
    list.append("guarded", b.getUnitAttr());
  list.append("weight", TypeAttr::get(weight));
  if (!computed.empty())
    list.append("computed", b.getStringAttr(computed));
  list.append("of_score", b.getDenseBoolArrayAttr(ofScore));
  if (blocks)
    list.append("blocks", b.getDenseI64ArrayAttr({blocks->block, blocks->within,
                                                  blocks->size, blocks->offset,
                                                  blocks->extent}));
  return list.getDictionary(context);
}

AttentionTraits AttentionTraits::unpack(Attribute attributes) {
  auto list = cast<DictionaryAttr>(attributes);
  AttentionTraits traits;
  if (auto domain = list.getAs<IntegerSetAttr>("domain"))
    traits.domain = domain.getValue();
  traits.isGuarded = list.contains("guarded");
  traits.weight = list.getAs<TypeAttr>("weight").getValue();
  if (auto computed = list.getAs<StringAttr>("computed"))
    traits.computed = computed.str();
  llvm::append_range(traits.ofScore,
                     list.getAs<DenseBoolArrayAttr>("of_score").asArrayRef());
  if (auto blocks = list.getAs<DenseI64ArrayAttr>("blocks")) {
    ArrayRef<int64_t> in = blocks.asArrayRef();
    traits.blocks = {static_cast<unsigned>(in[0]), static_cast<unsigned>(in[1]),
                     in[2], in[3], in[4]};
  }
  return traits;
}

int WalkedBlocks::dimOf(AffineExpr atBlock, AffineExpr atWithin) const {
  auto remainder = dyn_cast<AffineBinaryOpExpr>(atWithin);
  if (!remainder || remainder.getKind() != AffineExprKind::Mod)
    return -1;
  AffineExpr dim = simplifyIndex(remainder.getLHS() - offset, {});
  AffineExpr index = dim + offset;
  bool isWalked = simplifyIndex(index.floorDiv(size) - atBlock, {}) == 0 &&
                  simplifyIndex(index % size - atWithin, {}) == 0;
  return isWalked ? plainDim(dim) : -1;
}
