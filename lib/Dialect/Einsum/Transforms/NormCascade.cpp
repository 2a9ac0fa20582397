//===- NormCascade.cpp - The equations of a norm --------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormCascade.h"

using namespace mlir;
using namespace transfusion::einsum;

Exprs NormSpace::all() const {
  Exprs result = rows;
  llvm::append_range(result, columns);
  return result;
}

static Read map(const NormSpace &space, const EmitEinsum &emit, StringRef name,
                ArrayRef<Read> reads, const Exprs &result, Body body) {
  Equation eq;
  eq.inputs.assign(reads.begin(), reads.end());
  eq.map = std::move(body);
  return {emit(name, eq, result, space.compute), result};
}

static Read sum(const NormSpace &space, const EmitEinsum &emit, StringRef name,
                const Read &read) {
  Equation eq;
  eq.inputs = {read};
  eq.reduce = ReduceKind::Add;
  eq.reduced = space.columns;
  if (space.accumulator && space.accumulator != space.compute) {
    eq.exact = true;
    eq.accumulator = space.accumulator;
    auto castTo = [](Type type) -> Body {
      return
          [type](BodyBuilder &b, ValueRange in) { return b.cast(in[0], type); };
    };
    eq.map = castTo(space.accumulator);
    eq.finish = castTo(space.compute);
  }
  return {emit(name, eq, space.rows, space.compute), space.rows};
}

/// The width is a constant: its reciprocal turns a division into a mac.
static Body mean(const NormSpace &space) {
  double perColumn = 1.0 / static_cast<double>(space.width);
  return [perColumn](BodyBuilder &b, ValueRange in) {
    return b.mul(in[0], b.constant(perColumn));
  };
}

/// 1 / sqrt(mean of the square + eps).
static Read inverseRoot(const NormSpace &space, const EmitEinsum &emit,
                        const Read &value) {
  Read qav =
      map(space, emit, "QAV", value, space.all(),
          [](BodyBuilder &b, ValueRange in) { return b.mul(in[0], in[0]); });
  Read sqav = sum(space, emit, "SQAV", qav);
  Read mqav = map(space, emit, "MQAV", sqav, space.rows, mean(space));
  return map(space, emit, "SR", mqav, space.rows,
             [eps = space.eps](BodyBuilder &b, ValueRange in) {
               return b.rsqrt(b.add(in[0], b.constant(eps)));
             });
}

Normalizer transfusion::einsum::emitLayerNorm(const NormSpace &space,
                                              const Read &x,
                                              const EmitEinsum &emit) {
  Read sav = sum(space, emit, "SAV", x);
  Read mav = map(space, emit, "MAV", sav, space.rows, mean(space));
  Read dav =
      map(space, emit, "DAV", {x, mav}, space.all(),
          [](BodyBuilder &b, ValueRange in) { return b.sub(in[0], in[1]); });
  return {dav, inverseRoot(space, emit, dav)};
}

Normalizer transfusion::einsum::emitRmsNorm(const NormSpace &space,
                                            const Read &x,
                                            const EmitEinsum &emit) {
  return {x, inverseRoot(space, emit, x)};
}
