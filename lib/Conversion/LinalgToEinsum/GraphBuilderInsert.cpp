//===- GraphBuilderInsert.cpp - Insertions that make a whole tensor -------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandOps.h"
#include "GraphBuilder.h"

using namespace mlir;
using namespace transfusion::raise;

void GraphBuilder::raiseInsert(tensor::InsertSliceOp op) {
  unsigned at;
  if (SmallVector<Value> pieces = piecesOfChain(op, at); !pieces.empty())
    return raiseConcat(op, op.getResult(), pieces, at);
  if (op.getStaticSizes() != op.getType().getShape())
    return setView(op.getResult(), View(), Fate::Folded); // a link of a chain
  if (!raiseReshape(op.getSource(), op.getResult()))
    copyReshape(op.getSource(), op.getResult(), {}, op);
}
