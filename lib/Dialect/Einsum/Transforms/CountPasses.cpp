//===- CountPasses.cpp - How often attention walks its keys ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass is a walk over all keys (ranks m1 and m0) that has to end before the
// next one begins: between them stands a value that needs all tiles m1. Walks
// over m1 alone touch one value per tile and do not count, as in FuseMax.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

using namespace mlir;
using namespace transfusion::einsum;

int transfusion::einsum::countPasses(ArrayRef<MapReduceOp> einsums,
                                     StringRef m1, StringRef m0) {
  struct State {
    int pass = 0;      ///< in which it is made
    bool ends = false; ///< is there only when that pass has ended
  };
  llvm::DenseMap<Value, State> states; // looked up only
  int most = 0;
  for (MapReduceOp einsum : einsums) {
    int tileRank = -1;
    bool walksKeys = false;
    for (auto [i, name] :
         llvm::enumerate(einsum.getRanks().getAsValueRange<StringAttr>())) {
      if (name == m1)
        tileRank = i;
      walksKeys |= name == m0;
    }
    State state;
    bool ends = false;
    for (OpOperand &operand : einsum->getOpOperands()) {
      auto it = states.find(operand.get());
      if (it == states.end())
        continue; // from outside, or what a recurrence reads
      // A tensor that has tiles and is not read by tile: its last slice.
      AffineMap map =
          cast<AffineMapAttr>(einsum.getMaps()[operand.getOperandNumber()])
              .getValue();
      auto producer = operand.get().getDefiningOp<MapReduceOp>();
      bool readByTile = tileRank >= 0 && map.isFunctionOfDim(tileRank);
      bool hasTiles = producer.getIterativeDim() >= 0;
      State source = it->second;
      source.ends |= hasTiles && !readByTile;
      int pass = source.pass + (walksKeys && source.ends ? 1 : 0);
      if (pass > state.pass)
        ends = false;
      state.pass = std::max(state.pass, pass);
      if (pass == state.pass && !walksKeys)
        ends |= source.ends;
    }
    if (walksKeys)
      state.pass = std::max(state.pass, 1);
    bool reducesTiles =
        tileRank >= 0 && !einsum.getResultMap().isFunctionOfDim(tileRank);
    state.ends = ends || reducesTiles;
    states[einsum.getResult()] = state;
    most = std::max(most, state.pass);
  }
  return most;
}
