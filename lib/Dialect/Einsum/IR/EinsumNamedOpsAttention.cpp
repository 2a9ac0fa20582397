//===- EinsumNamedOpsAttention.cpp - Verifiers around attention -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers in comments are those of the constraints in EinsumNamedOps.td.
// Result types that follow from the operands are compared here too, for one
// message with both types; InferTypeOpInterface would give two without.
//
//===----------------------------------------------------------------------===//

#include "NamedOpChecks.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace transfusion::einsum;

//===----------------------------------------------------------------------===//
// QkvOp
//===----------------------------------------------------------------------===//

LogicalResult QkvOp::verify() {
  if (failed(checkExtents(*this)) || failed(checkRank(*this, getX(), "x", 3)))
    return failure(); // (1)
  Value keySource = getX();
  if (Value memory = getMemory()) { // (10)
    if (failed(checkRank(*this, memory, "memory", 3)))
      return failure();
    if (typeOf(memory).getDimSize(0) != typeOf(getX()).getDimSize(0))
      return emitOpError() << "x has batch " << typeOf(getX()).getDimSize(0)
                           << ", but memory has "
                           << typeOf(memory).getDimSize(0)
                           << "; both need the same";
    keySource = memory;
  }
  size_t count = getWeights().size();
  if (count != 1 && count != 3) // (2)
    return emitOpError() << "has " << count
                         << " weights, but needs 3, or 1 that holds all three";
  if (!getBiases().empty() && getBiases().size() != count) // (7)
    return emitOpError() << "has " << getBiases().size() << " biases for "
                         << count << " weights; give one for each, or none";
  auto heads = static_cast<int64_t>(getHeads());
  int64_t keyHeads = getKeyHeads();
  if (heads < 1) // (4)
    return emitOpError() << "has " << heads << " heads, but needs at least 1";
  if (keyHeads < 1 || heads % keyHeads) // (9)
    return emitOpError() << keyHeads << " heads of keys and values do not "
                         << "divide " << heads
                         << " heads; each is shared by as many queries' heads";

  static constexpr const char *kNames[] = {"query weight", "key weight",
                                           "value weight"};
  int64_t perHead[3];
  for (int i = 0; i < 3; ++i) {
    Value weight = getWeights()[isFused() ? 0 : i];
    const char *name = isFused() ? "fused weight" : kNames[i];
    if (failed(checkWeight(
            *this, weight,
            getBiases().empty() ? Value() : getBiases()[isFused() ? 0 : i],
            getOutIn(), name,
            typeOf(i ? keySource : getX()).getDimSize(2)))) // (2) (3) (7) (10)
      return failure();
    int64_t width = typeOf(weight).getDimSize(getOutIn() ? 0 : 1);
    int64_t mine = i == 0 ? heads : keyHeads;
    if (isFused()) {
      int64_t parts = getKvHeads() ? heads + 2 * keyHeads : 3;
      if (width % parts) // (5)
        return emitOpError() << "fused weight makes " << width
                             << " features, which is no multiple of " << parts
                             << " (parts of queries, keys and values of equal "
                                "heads); pass three weights instead";
      width = getKvHeads() ? width / parts * mine : width / 3;
    }
    if (width % mine) // (4)
      return emitOpError() << mine << " heads do not divide the " << width
                           << " features of the " << name
                           << "; each head needs as many";
    perHead[i] = width / mine;
  }
  if (perHead[0] != perHead[1]) // (6)
    return emitOpError() << "query weight makes " << perHead[0]
                         << " features per head, but key weight " << perHead[1]
                         << "; scores need as many of both";
  if (failed(checkElementTypes(*this))) // (8)
    return failure();
  return checkResultTypes(*this);
}

//===----------------------------------------------------------------------===//
// MhaOp
//===----------------------------------------------------------------------===//

int64_t MhaOp::getPastLength() {
  return getPast().empty() ? 0 : typeOf(getPast().front()).getDimSize(2);
}

/// The cache is as k and v are, but for its length.
static LogicalResult checkPast(MhaOp op) {
  if (op.getPast().empty())
    return success();
  if (op.getPast().size() != 2)
    return op.emitOpError() << "has " << op.getPast().size()
                            << " tensors of past keys and values, but needs 2";
  for (auto [name, past, now] :
       {std::tuple("keys", op.getPast()[0], op.getK()),
        std::tuple("values", op.getPast()[1], op.getV())}) {
    if (failed(checkRank(op, past, Twine("past ") + name, 4)))
      return failure();
    SmallVector<int64_t> wanted(typeOf(now).getShape());
    wanted[2] = op.getPastLength();
    if (typeOf(past).getShape() != ArrayRef(wanted))
      return op.emitOpError()
             << "past " << name << " are " << past.getType() << ", but must be "
             << RankedTensorType::get(wanted, typeOf(past).getElementType());
  }
  return success();
}

LogicalResult MhaOp::verify() {
  if (failed(checkExtents(*this)))
    return failure();
  static constexpr const char *kNames[] = {"q", "k", "v"};
  for (int i = 0; i < 3; ++i) // (1)
    if (failed(checkRank(*this, getOperand(i), kNames[i], 4)))
      return failure();
  ArrayRef<int64_t> q = typeOf(getQ()).getShape(),
                    k = typeOf(getK()).getShape(),
                    v = typeOf(getV()).getShape();
  for (int i = 1; i < 3; ++i) { // (2)
    ArrayRef<int64_t> other = i == 1 ? k : v;
    if (other[0] != q[0])
      return emitOpError() << "q has batch " << q[0] << ", but " << kNames[i]
                           << " has " << other[0] << "; all need the same";
    if (q[1] % other[1])
      return emitOpError() << "q has " << q[1] << " heads, but " << kNames[i]
                           << " has " << other[1] << ", which must divide them";
  }
  if (k[1] != v[1])
    return emitOpError() << "k has " << k[1] << " heads, but v has " << v[1]
                         << "; both need as many";
  if (q[3] != k[3]) // (3)
    return emitOpError() << "q has " << q[3] << " features per head, but k has "
                         << k[3] << "; scores need as many of both";
  if (k[2] != v[2]) // (4)
    return emitOpError() << "k has " << k[2] << " keys, but v has " << v[2]
                         << "; each key needs a value";

  if (failed(checkPast(*this))) // (9)
    return failure();
  int64_t keys = getPastLength() + k[2];
  if (Value mask = getMask()) { // (5)
    int64_t full[] = {q[0], q[1], q[2], keys};
    ArrayRef<int64_t> shape = typeOf(mask).getShape();
    if (shape.size() > 4)
      return emitOpError() << "mask has " << shape.size()
                           << " dimensions, but may have 4 at most";
    for (auto [i, extent] : llvm::enumerate(shape)) {
      int64_t expected = full[4 - shape.size() + i];
      if (extent != 1 && extent != expected)
        return emitOpError() << "mask has extent " << extent << " in dimension "
                             << i << ", but must have 1 or " << expected
                             << " to broadcast to the scores " << q[0] << "x"
                             << q[1] << "x" << q[2] << "x" << keys;
    }
  }

  RankedTensorType result = getType();
  Type element = typeOf(getQ()).getElementType();
  auto split = RankedTensorType::get({q[0], q[1], q[2], v[3]}, element);
  auto merged = RankedTensorType::get({q[0], q[2], q[1] * v[3]}, element);
  if (failed(checkElementTypes(*this, getMask()))) // (7)
    return failure();
  if (result != split && result != merged) // (6)
    return emitOpError() << "result is " << result << ", but must be " << split
                         << ", or " << merged << " with merged heads";
  if (getScale() && !getScale()->isFinite()) { // (8)
    SmallString<16> text;
    getScale()->toString(text, /*FormatPrecision=*/6);
    return emitOpError() << "scale is " << text
                         << ", but must be finite (1/sqrt of the features of "
                            "a head is usual)";
  }
  return success();
}

LogicalResult MhaOp::canonicalize(MhaOp op, PatternRewriter &rewriter) {
  if (!op.getScale() || !op.getScale()->isExactlyValue(1.0))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.removeScaleAttr(); });
  return success();
}

//===----------------------------------------------------------------------===//
// RopeOp
//===----------------------------------------------------------------------===//

LogicalResult RopeOp::verify() {
  if (failed(checkExtents(*this)) || failed(checkRank(*this, getX(), "x", 4)))
    return failure(); // (1)
  ArrayRef<int64_t> x = typeOf(getX()).getShape();
  if (x[3] % 2) // (2)
    return emitOpError()
           << "x has " << x[3]
           << " features per head, which make no pairs; it needs an "
              "even number";
  ArrayRef<int64_t> table = typeOf(getCos()).getShape();
  if (table != typeOf(getSin()).getShape()) // (3)
    return emitOpError() << "cos is " << getCos().getType() << ", but sin is "
                         << getSin().getType() << "; both need one shape";
  if (table.size() != 2 && table.size() != 3)
    return emitOpError() << "cos has " << table.size()
                         << " dimensions, but needs 2 or 3";
  int64_t wanted[] = {x[0], x[2], x[3]};
  for (auto [i, extent] : llvm::enumerate(table)) {
    int64_t full = wanted[3 - table.size() + i];
    bool isLast = i + 1 == table.size();
    int64_t other = isLast ? full / 2 : 1;
    if (extent != full && extent != other)
      return emitOpError() << "cos has extent " << extent << " in dimension "
                           << i << ", but must have " << full << " or "
                           << other;
  }
  if (failed(checkElementTypes(*this))) // (4)
    return failure();
  return checkResultTypes(*this);
}
