//===- EmitPieces.cpp - Norms, activations and rotations as Einsums -------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Decompose.h"
#include "../NormCascade.h"
#include "Indices.h"
#include "Matching.h"
#include "Pieces.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

namespace {
/// Scalars that one body is made from.
class Arguments {
public:
  Arguments(Materializer &m, ArrayRef<AffineExpr> place) : m(m), place(place) {}

  /// `widened`: what it is cast to, where it is read.
  unsigned add(const Read &read, Type widened) {
    return add(Scalar{{read}, {}, widened});
  }
  unsigned add(const Ref &ref) { return add(m.scalar(ref, place)); }
  ArrayRef<Read> reads() const { return allReads; }

  /// Values of all that was added, in the body.
  static SmallVector<Value> evaluate(const std::vector<Scalar> &scalars,
                                     ArrayRef<SmallVector<unsigned, 2>> of,
                                     BodyBuilder &b, ValueRange in) {
    SmallVector<Value> result;
    for (auto [scalar, positions] : llvm::zip(scalars, of)) {
      SmallVector<Value> arguments;
      for (unsigned position : positions)
        arguments.push_back(in[position]);
      Value value = scalar.body
                        ? scalar.body(b.getBuilder(), b.getLoc(), arguments)
                        : arguments.front();
      result.push_back(b.cast(value, scalar.type));
    }
    return result;
  }

  /// A body over the values of what was added.
  Body body(std::function<Value(BodyBuilder &, ArrayRef<Value>)> inner) const {
    return [scalars = scalars, positions = positions, inner](BodyBuilder &b,
                                                             ValueRange in) {
      return inner(b, evaluate(scalars, positions, b, in));
    };
  }

private:
  unsigned add(Scalar scalar) {
    SmallVector<unsigned, 2> of;
    for (const Read &read : scalar.reads)
      of.push_back(addRead(allReads, read));
    positions.push_back(of);
    scalars.push_back(std::move(scalar));
    return scalars.size() - 1;
  }

  Materializer &m;
  ArrayRef<AffineExpr> place;
  SmallVector<Read> allReads;
  std::vector<Scalar> scalars;
  std::vector<SmallVector<unsigned, 2>> positions;
};
} // namespace

/// Ranks of the result, as its tensor has them.
static ::Exprs resultAt(const Materializer &m, NodeId id,
                        ArrayRef<AffineExpr> ranks) {
  ::Exprs result;
  for (AffineExpr expr : m.layoutOf(id))
    result.push_back(expr.replaceDims(ranks));
  return result;
}

/// Arithmetic in the type of the value.
static BodyBuilder typed(BodyBuilder &b, Type type) {
  return BodyBuilder(b.getBuilder(), b.getLoc(), type);
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static void emitNorm(Materializer &m, NodeId id) {
  const Node &node = m.graph[id];
  NormAttributes attributes = NormAttributes::of(node);
  ::Exprs ranks = m.ranksOf(id);
  NormSpace space;
  space.rows.assign(ranks.begin(), ranks.end() - attributes.columns);
  space.columns.assign(ranks.end() - attributes.columns, ranks.end());
  space.width = 1;
  for (AffineExpr column : space.columns)
    space.width *= m.cascade.rankExtent(column);
  space.eps = attributes.eps;
  space.compute = attributes.compute;
  space.accumulator = attributes.accumulator;
  EmitEinsum emit = [&](StringRef name, Equation eq,
                        ArrayRef<AffineExpr> result, Type element) {
    eq.name = m.nameFor(id, name);
    eq.result.assign(result.begin(), result.end());
    eq.element = element;
    return m.emit(eq, space.compute);
  };
  Read x = m.read(node.operands[0], ranks);
  Normalizer norm = node.isPiece("layer_norm") ? emitLayerNorm(space, x, emit)
                                               : emitRmsNorm(space, x, emit);

  Arguments arguments(m, ranks);
  arguments.add(norm.value, attributes.compute);
  arguments.add(norm.inverse, attributes.compute);
  for (const Ref &parameter : ArrayRef(node.operands).drop_front())
    arguments.add(parameter);
  Equation nr;
  nr.exact = true;
  nr.inputs.assign(arguments.reads().begin(), arguments.reads().end());
  Type type = node.type;
  nr.map =
      arguments.body([attributes, type](BodyBuilder &b, ArrayRef<Value> in) {
        Value value = b.mul(in[0], in[1]);
        BodyBuilder affine = typed(b, attributes.affine);
        value = affine.cast(value, attributes.affine);
        unsigned next = 2;
        if (attributes.hasGamma)
          value = affine.mul(value, in[next++]);
        if (attributes.hasBeta)
          value = affine.add(value, in[next++]);
        return affine.cast(value, type);
      });
  nr.name = m.nameFor(id, "NR");
  nr.result = resultAt(m, id, ranks);
  nr.element = type;
  m.define(id, m.emit(nr, attributes.compute), m.layoutOf(id));
}

static PieceKind normKind(StringRef prefix) {
  PieceKind kind;
  kind.isTensor = [](const Graph &, const Node &, unsigned i) {
    return i == 0;
  };
  kind.emit = emitNorm;
  kind.prefix = prefix.str();
  return kind;
}

PieceKind normal::layerNormKind() { return normKind("ln"); }
PieceKind normal::rmsNormKind() { return normKind("rms"); }

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

PieceKind normal::activationKind() {
  PieceKind kind;
  kind.isTensor = [](const Graph &, const Node &, unsigned) { return true; };
  kind.prefix = "ffn";
  kind.emit = [](Materializer &m, NodeId id) {
    const Node &node = m.graph[id];
    ActivationAttributes attributes = ActivationAttributes::of(node);
    ::Exprs ranks = m.ranksOf(id);
    Arguments arguments(m, ranks);
    arguments.add(m.read(node.operands[0], ranks), attributes.compute);
    if (node.operands.size() > 1)
      arguments.add(m.read(node.operands[1], ranks), attributes.gated);
    Equation eq;
    eq.exact = true;
    eq.inputs.assign(arguments.reads().begin(), arguments.reads().end());
    Body function = activationBody(attributes.function);
    Type type = node.type;
    eq.map = arguments.body(
        [attributes, function, type](BodyBuilder &b, ArrayRef<Value> in) {
          Value value = function(b, in[0]);
          BodyBuilder gated = typed(b, attributes.gated);
          value = gated.cast(value, attributes.gated);
          if (in.size() > 1)
            value = gated.mul(value, in[1]);
          return gated.cast(value, type);
        });
    eq.name = m.nameFor(id, "AR");
    eq.result = resultAt(m, id, ranks);
    eq.element = type;
    m.define(id, m.emit(eq, attributes.compute), m.layoutOf(id));
  };
  return kind;
}

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

PieceKind normal::ropeKind() {
  PieceKind kind;
  kind.isTensor = [](const Graph &, const Node &, unsigned i) {
    return i == 0;
  };
  kind.prefix = "rope";
  kind.emit = [](Materializer &m, NodeId id) {
    const Node &node = m.graph[id];
    RopeAttributes attributes = RopeAttributes::of(node);
    ::Exprs ranks = m.ranksOf(id);
    std::string half = m.cascade.rankName(ranks[attributes.half]).str();
    SmallVector<AffineExpr> partner(ranks);
    partner[attributes.half] = 1 - partner[attributes.half];
    Arguments arguments(m, ranks);
    arguments.add(m.read(node.operands[0], ranks), attributes.compute);
    arguments.add(m.read(node.operands[0], partner), attributes.compute);
    arguments.add(node.operands[1]);
    arguments.add(node.operands[2]);
    Equation eq;
    eq.exact = true;
    eq.inputs.assign(arguments.reads().begin(), arguments.reads().end());
    Type type = node.type, compute = attributes.compute;
    eq.map = arguments.body([half, type, compute](BodyBuilder &b,
                                                  ArrayRef<Value> in) {
      SmallVector<Value> wide;
      for (Value value : in)
        wide.push_back(b.cast(value, compute));
      return b.cast(rotate(b, half, wide[0], wide[1], wide[2], wide[3]), type);
    });
    eq.name = m.nameFor(id, "ROPE");
    eq.result = resultAt(m, id, ranks);
    eq.element = type;
    m.define(id, m.emit(eq, compute), m.layoutOf(id));
  };
  return kind;
}
