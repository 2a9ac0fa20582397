//===- SlotTouches.h - Values that a slot reads and writes ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Cost. In each epoch a slot touches a value of an operand
// once, if some point that exists reads it: a domain (causal, padded) takes
// points away, and with them values. Summed over the epochs of a tile in closed
// form. To do so the values v of a looped rank that the operand lacks are
// written as begin + q*piece + o: epochs are told apart by q, and o goes away
// by elimination, which is exact as long as one of two coefficients is 1.
//
// Instances of a unit that share a slot read for themselves: what they touch is
// as if each of their parts were an epoch.
//
// Toy example, keys m <= p, queries 0..3 in epochs of 2, all keys in each: of
// m the first epoch touches 2, the second 4. Two arrays with a query each: 1
// and 2 in the first, 3 and 4 in the second.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_SLOTTOUCHES_H
#define TRANSFUSION_LIB_CORE_COST_SLOTTOUCHES_H

#include "PhaseCost.h"

namespace transfusion::core {

class SlotTouches {
public:
  /// `runs`: of a phase that skips, else null.
  SlotTouches(const PhaseTile &tile, const StepRuns *runs, TileScratch &scratch,
              Tally &tally)
      : tile(tile), c(tile.c), runs(runs), innerCuts(scratch.innerCuts),
        innerPieces(scratch.pieces), some(scratch.touched), tally(tally) {}

  /// The slot that is asked about from here on.
  void of(const Slot &slot) { parts = &slot.instances; }
  /// Of an operand of the map, or of the finish, which is read at results.
  int64_t input(EinsumId e, const Operand &o, int32_t distance, bool inFinish);
  /// Of the result.
  int64_t result(EinsumId e) { return resultIn(e, innerCuts, runs); }
  /// The same where the iterative rank is at the last value that runs.
  int64_t lastSlice(EinsumId e);
  /// Partial sums that are read back: none in the first epoch of a result.
  int64_t sums(EinsumId e);
  /// Of the result, in one box.
  int64_t resultIn(EinsumId e, const std::vector<Span> &box);

private:
  int64_t resultIn(EinsumId e, const std::vector<PieceCut> &cuts,
                   const StepRuns *runs);
  int64_t inEpochs(EinsumId e, const Operand &o,
                   const std::vector<PieceCut> &cuts, const StepRuns *runs,
                   bool notFirst, const std::vector<Constraint> &where);
  int64_t inRuns(const Operand &o, const StepRuns &runs, bool notFirst);
  int64_t inDomain(const Operand &o, const std::vector<PieceCut> &cuts,
                   std::vector<Constraint> where);
  /// Steps of loops that neither the access nor `where` depends on.
  int64_t repeats(const Access &access, const std::vector<Constraint> &where,
                  const std::vector<PieceCut> &cuts);
  std::vector<Constraint> onResult(EinsumId e) const;
  /// Points of `r` that an instance takes; 0: an epoch is not split along it.
  int64_t partOf(RankId r) const {
    for (const InstancePart &part : *parts)
      if (part.rank == r)
        return part.points;
    return 0;
  }
  /// Parts that all pieces of `r` are split into.
  int64_t partsIn(RankId r, const PieceCut &cut);
  /// touchedInAllPieces, of each part of the pieces.
  int64_t touched(const Operand &o, const std::vector<PieceCut> &cuts);
  int64_t touchedInParts(const Operand &o, std::vector<PieceCut> cuts,
                         size_t next);

  const PhaseTile &tile;
  const Cascade &c;
  const StepRuns *runs;
  const std::vector<PieceCut> &innerCuts;
  const std::vector<int64_t> &innerPieces;
  std::vector<PieceCut> &some; ///< scratch: other pieces than these
  const std::vector<InstancePart> none;
  const std::vector<InstancePart> *parts = &none; ///< of the slot
  Tally &tally;
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_SLOTTOUCHES_H
