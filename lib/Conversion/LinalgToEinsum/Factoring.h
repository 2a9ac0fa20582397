//===- Factoring.h - Common factorisation of dimensions ---------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *node* stands for a dimension of a tensor or a loop. Nodes that are
// walked together are *equated*; a node that is read as several nodes elsewhere
// (768 as 12 x 64) is *split* into factors, outermost first. The *leaves* of a
// node are its finest factors; those of extent 1 do not count.
//
//   n = create(768); h = create(12); e = create(64);
//   equate({n}, {h, e});   // now leaves(n) = leaves(h) + leaves(e)
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_FACTORING_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_FACTORING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace transfusion::raise {

class Factoring {
public:
  using Node = unsigned;

  Node create(int64_t extent);
  int64_t extent(Node node) const { return nodes[node].extent; }

  /// Makes the leaves of both sequences the same, read in row-major order. When
  /// there is no common factorisation (6 as 2 x 3 and as 3 x 2) it returns
  /// false; some factors may have been split further, which changes no meaning.
  bool equate(llvm::ArrayRef<Node> a, llvm::ArrayRef<Node> b);

  /// Finest factors, outermost first.
  llvm::SmallVector<Node, 4> leaves(Node node);

private:
  struct Entry {
    int64_t extent;
    Node link; ///< itself for a representative
    llvm::SmallVector<Node, 2> factors;
  };
  Node find(Node node);

  llvm::SmallVector<Entry> nodes;
};

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_FACTORING_H
