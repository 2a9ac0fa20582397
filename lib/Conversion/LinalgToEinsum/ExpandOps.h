//===- ExpandOps.h - Ops that stand for several ones ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before a block is raised, some of its ops are written as others that are: an
// aggregate (linalg.softmax, linalg.pack) as upstream decomposes it; a tensor
// around which, or into which, something is put as a concat in each dimension
// where it is not the whole (of what is before, itself, and what is behind), so
// that every piece is read at its own points, by an access that is linear; a
// tensor that is computed from its indices as a linalg op. The report speaks of
// the op of the program all the same.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_EXPANDOPS_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_EXPANDOPS_H

#include "Report.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace transfusion::raise {

struct BlockPlan;

/// What stands for an op of the program.
struct ExpandedOp {
  std::string name;                           ///< of the op
  int64_t inner = 0;                          ///< ops in its regions
  llvm::SmallVector<mlir::Operation *> parts; ///< but for the last
};

struct ExpandedOps {
  /// By the op that gives the result.
  llvm::DenseMap<mlir::Operation *, ExpandedOp> whole; // looked up only
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> wholeOf; // of a part
  /// Of ops for which nothing stands, and the ops in their regions.
  llvm::SmallVector<ReportEntry> gone;
  int64_t goneInner = 0;
  /// Upstream did not decompose it.
  mlir::Operation *failed = nullptr;
};

/// Ops that are written as others. (Insertions that fill a tensor one behind
/// the other are raised as they are.)
bool isExpandable(mlir::Operation *op);

/// Why an expandable op of static shape cannot be; empty when it can.
std::string whyNotExpanded(mlir::Operation *op);

/// Rewrites the expandable ops of the block that the plan raises.
ExpandedOps expandOps(mlir::Block &block, const BlockPlan &plan);

/// A chain of insertions that fills a tensor piece by piece along one
/// dimension: the pieces, in order.
llvm::SmallVector<mlir::Value> piecesOfChain(mlir::tensor::InsertSliceOp last,
                                             unsigned &at);

/// A size or a rank that is known: tensor.dim and tensor.rank of a static
/// shape.
std::optional<int64_t> knownSize(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// One kind of op each: replaces it
//===----------------------------------------------------------------------===//

// ExpandPieces.cpp
void expandPad(mlir::RewriterBase &rewriter, mlir::tensor::PadOp op);
void expandInsert(mlir::RewriterBase &rewriter, mlir::tensor::InsertSliceOp op);
void expandUnPack(mlir::RewriterBase &rewriter, mlir::linalg::UnPackOp op);

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_EXPANDOPS_H
