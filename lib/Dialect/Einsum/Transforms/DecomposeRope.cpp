//===- DecomposeRope.cpp - Rotary position embedding ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One Einsum: a feature is a half e1 of a pair e0, its partner the half 1 - e1,
// and the partner's sign 2 e1 - 1. No slice, negated half or concatenation is
// ever stored.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

using namespace mlir;
using namespace transfusion::einsum;

DimIndex transfusion::einsum::pairDigits(Run &run, StringRef name,
                                         int64_t features, bool interleaved,
                                         ArrayRef<AffineExpr> taken) {
  Digit half{run.cascade.rank((name + "1").str(), 2, false, taken), 2};
  Exprs more(taken);
  more.push_back(half.index);
  Digit pair{run.cascade.rank((name + "0").str(), features / 2, false, more),
             features / 2};
  return interleaved ? DimIndex{pair, half} : DimIndex{half, pair};
}

/// Whether these digits are pairs already.
static bool isPaired(const DimIndex &digits, int64_t features,
                     bool interleaved) {
  return digits.size() == 2 && digits[interleaved].extent == 2 &&
         digits[!interleaved].extent == features / 2;
}

Value transfusion::einsum::rotate(BodyBuilder &b, StringRef half, Value x,
                                  Value partner, Value cos, Value sin) {
  Value sign = b.sub(b.mul(b.index(half), b.constant(2.0)), b.constant(1.0));
  Value turned = b.mul(b.mul(partner, sin), sign);
  return b.add(b.mul(x, cos), turned);
}

LogicalResult transfusion::einsum::decompose(Run &run, RopeOp op) {
  View x = run.view(op.getX(), {"b", "h", "p", "e"});
  Index index = x.digits;
  bool interleaved = op.getInterleaved();
  int64_t features = extentOf(index[3]);
  if (!isPaired(index[3], features, interleaved)) {
    Exprs taken;
    for (int dim : {0, 1, 2})
      llvm::append_range(taken, flatten(index[dim]));
    index[3] = pairDigits(run, "e", features, interleaved, taken);
  }
  Digit half = index[3][interleaved], pair = index[3][!interleaved];
  Index partner = index;
  partner[3][interleaved].index = 1 - half.index;

  Equation eq;
  for (const Index &at : {index, partner}) {
    FailureOr<Read> read = run.cascade.read(op, x, at);
    if (failed(read))
      return failure();
    eq.inputs.push_back(*read);
  }
  for (Value table : {op.getCos(), op.getSin()}) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(table.getType()).getShape();
    Index at = {index[0], index[2], index[3]};
    if (shape.back() != features)
      at[2] = {pair};
    at.erase(at.begin(), at.begin() + (3 - shape.size()));
    for (auto [extent, digits] : llvm::zip(shape, at))
      if (extent == 1 && extentOf(digits) != 1)
        digits = {Digit{getAffineConstantExpr(0, op.getContext()), 1}};
    if (run.cascade.isKnown(table)) {
      FailureOr<Read> read = run.cascade.read(op, run.view(table), at);
      if (failed(read))
        return failure();
      eq.inputs.push_back(*read);
    } else {
      Read read{table, {}};
      for (const DimIndex &digits : at)
        read.access.push_back(merge(digits));
      eq.inputs.push_back(read);
    }
  }
  std::string halfName = run.cascade.rankName(half.index).str();
  eq.map = [halfName](BodyBuilder &b, ValueRange in) {
    return rotate(b, halfName, in[0], in[1], in[2], in[3]);
  };
  run.define(op, op.getResult(), "ROPE", eq, index);
  return success();
}
