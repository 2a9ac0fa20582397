//===- Recognize.h - Mathematics found in the normal form -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *rule* looks at one node and what is under it, and says what it is:
// another node that means the same. What has a name is a *piece*, a node of its
// own kind whose operands are what it is made from; Materialize.h turns it into
// the Einsums that the named op has. A rule proves every node that it replaces:
// operators, which dims are reduced, that extents are the divisors, that two
// values are the same. When in doubt it answers nothing, and the nodes stay.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_RECOGNIZE_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_RECOGNIZE_H

#include "NormalForm.h"

#include <functional>

namespace transfusion::einsum::normal {

/// `ref` is a node at its own dims, which are those of `frame`; its operands
/// have been offered to the rules before. The rule may add dims to the frame
/// (Graph::bind). The answer is over the dims that were there.
using Rule = std::function<std::optional<Ref>(Graph &graph, Frame &frame,
                                              const Ref &ref)>;

/// A ref that is kept up to date, and what it is over.
struct Root {
  const Frame *frame;
  Ref *ref;
};

/// Rebuilds the node under each root, operands first, and offers every node to
/// the rules in order; the first that answers wins. Linear in the nodes.
void rewrite(Graph &graph, llvm::ArrayRef<Root> roots,
             llvm::ArrayRef<Rule> rules);

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//
//
//   piece          dims            bound   operands
//   "layer_norm"   rows, columns   -       x, [gamma, [beta]]   attributes:
//   eps, "rms_norm"     rows, columns   -       x, [gamma]           #columns
//   "activation"   those of x      -       x, [gate's factor]   attributes:
//   which "rope"         ..., half,pair  -       x, cos, sin attributes: half
//   "attention"    see RecognizeAttention.h

std::optional<Ref> recognizeLayerNorm(Graph &, Frame &, const Ref &);
std::optional<Ref> recognizeRmsNorm(Graph &, Frame &, const Ref &);
std::optional<Ref> recognizeActivation(Graph &, Frame &, const Ref &);
std::optional<Ref> recognizeRope(Graph &, Frame &, const Ref &);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_RECOGNIZE_H
