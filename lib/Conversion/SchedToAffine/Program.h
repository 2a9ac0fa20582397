//===- Program.h - What the emission of one function works on ---*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here decides: every loop, address and slot follows from the Plan.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_PROGRAM_H
#define TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_PROGRAM_H

#include "AffineScope.h"
#include "mlir/IR/Value.h"
#include "transfusion/Core/Model/Plan.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

#include <vector>

namespace transfusion::schedtoaffine {

/// One cascade, how it is scheduled, and where its parts stand in the IR.
struct Source {
  const core::Cascade &cascade;
  const core::Arch &arch;
  const core::Schedule &schedule;
  const core::Plan &plan;
  std::vector<einsum::MapReduceOp> ops; ///< by EinsumId
  std::vector<mlir::Value> tensors;     ///< by TensorId

  einsum::MapReduceOp producer(core::TensorId t) const {
    return ops[cascade.tensors[t].producer];
  }
};

/// An outer tile: sizes are known, starts depend on the loops around it. Full
/// and ragged tiles are emitted apart, so this is a *class* of tiles.
struct OuterTile {
  std::vector<mlir::AffineExpr> start; ///< by RankId
  std::vector<int64_t> size;           ///< by RankId
};

/// A box of rank values, by RankId.
struct Piece {
  std::vector<mlir::AffineExpr> start;
  std::vector<Bound> size;
};

/// Steps of a phase that skips which are active in a box: from the greatest of
/// `lowers` to below the least of `uppers`, where all of `possible` hold.
struct StepBounds {
  Bound lowers, uppers;
  llvm::SmallVector<Condition> possible;
};

/// Trips of a phase's loops in one outer tile.
struct EpochSpace {
  const core::PhasePlan *plan = nullptr;
  const core::Phase *phase = nullptr;
  const OuterTile *tile = nullptr;
  std::vector<int64_t> inner, block; ///< by RankId, cut to the tile
  std::vector<int64_t> trips;        ///< by position in phase.order
  std::vector<int64_t> stride;       ///< by position: epochs per advance
  int64_t epochs = 1;
  /// Inner tiles per block of rank r.
  int64_t perBlock(core::RankId r) const {
    return (block[r] + inner[r] - 1) / inner[r];
  }
  bool skips() const { return plan->active.skips(); }
  /// Position of the iterative rank of a phase that skips.
  int32_t stepPosition() const {
    return plan->cuts[plan->active.rank].position;
  }
};

/// One epoch: the inner tile that one stage works on in one step.
struct Epoch {
  mlir::AffineExpr number;
  std::vector<mlir::AffineExpr> index; ///< by position in phase.order
  Piece inner;
  /// In a phase that skips: all hold unless this is the first (last) step that
  /// runs, at these indices of the loops outside.
  llvm::SmallVector<Condition> notFirst, notLast;
};

/// Where everything is: views of the on-chip allocations, and DRAM.
struct Storage {
  std::vector<mlir::Value> pools;   ///< by MemoryId; null for DRAM
  std::vector<mlir::Value> buffers; ///< by buffer id
  /// By TensorId, where the whole tensor lies; null when it never does.
  std::vector<mlir::Value> outer;
  std::vector<mlir::Value> copiedFrom; ///< of residents: the input in DRAM
  std::vector<mlir::Value> pieces;     ///< by resident; null for whole ones
};

/// Slots by start cycle, of the stages that work in a step of full tiles.
std::vector<const core::PlannedSlot *> slotOrder(const Source &src,
                                                 const EpochSpace &space,
                                                 int32_t firstStage,
                                                 int32_t lastStage);

class ProgramEmitter {
public:
  ProgramEmitter(const Source &source, bool poison, mlir::OpBuilder &b)
      : src(source), c(source.cascade), plan(source.plan), poison(poison),
        scope(b) {}

  /// Why this plan cannot be emitted; empty when it can.
  std::string unsupported() const;

  /// `outer`: DRAM memrefs of the inputs and outputs, in Core's shapes; the
  /// rest is allocated here.
  void emit(std::vector<mlir::Value> outer, mlir::Location loc);

private:
  // Storage.cpp
  void allocate(mlir::Location loc);
  mlir::Value viewOfPool(mlir::Location loc, llvm::ArrayRef<int64_t> shape,
                         mlir::Type element, core::MemoryId m, int64_t address,
                         llvm::StringRef kind, llvm::StringRef name);
  void release(mlir::Location loc);
  void copyResident(core::TensorId t, mlir::Location loc);
  void fillInitialSlices(mlir::Location loc);
  void poisonPool(core::MemoryId m, int64_t from, int64_t to);
  void poisonBuffer(int32_t buffer);

  // Groups.cpp
  void emitGroup(int32_t group);
  void emitTile(int32_t group, const OuterTile &tile);

  // Pipeline.cpp
  void emitPhase(int32_t group, int32_t phase, const OuterTile &tile);
  EpochSpace makeEpochSpace(int32_t group, int32_t phase,
                            const OuterTile &tile) const;
  Epoch makeEpoch(const EpochSpace &space, mlir::AffineExpr number);

  // SkippedSteps.cpp
  void emitSkippingPhase(const EpochSpace &space);
  void emitRow(const EpochSpace &space, const Epoch &row, bool mayBeEmpty);
  /// What is fetched once per outer tile.
  void loadWhole(int32_t buffer, const EpochSpace &space, mlir::Location loc);
  void fetchForRow(const EpochSpace &space, const Epoch &row);
  void fetchForStep(const core::PlannedSlot &slot, const EpochSpace &space,
                    const Epoch &epoch, std::vector<bool> &fetched);
  Epoch stepOfRow(const EpochSpace &space, const Epoch &row,
                  mlir::AffineExpr step, const StepBounds &bounds);
  StepBounds stepBounds(const EpochSpace &space, const Piece &box) const;
  bool someRowIsEmpty(const EpochSpace &space) const;
  /// Whether what is fetched of the buffer is cut to active steps.
  bool fetchesActiveSteps(int32_t buffer, const EpochSpace &space) const;

  // Pieces.cpp
  Piece tilePiece(const OuterTile &tile) const;
  Piece groupPiece() const;
  /// What a buffer holds while `epoch` uses it (null: before any epoch).
  Piece bufferPiece(int32_t buffer, const EpochSpace &space,
                    const Epoch *epoch) const;
  mlir::AffineExpr bufferSlot(int32_t buffer, const EpochSpace &space,
                              const Epoch &epoch, int32_t distance);
  /// Epochs at which a Block buffer is fetched anew.
  llvm::SmallVector<Condition> fetchConditions(const core::Buffer &buffer,
                                               const EpochSpace &space,
                                               const Epoch &epoch) const;
  mlir::AffineExpr evaluate(const core::LinearExpr &e,
                            llvm::ArrayRef<mlir::AffineExpr> point) const;
  mlir::AffineExpr leastCoordinate(const core::LinearExpr &e,
                                   const Piece &piece) const;
  /// Coordinates in the buffer of what `access` names at `point`.
  llvm::SmallVector<mlir::AffineExpr>
  bufferIndices(int32_t buffer, mlir::AffineExpr slot, const Piece &piece,
                const core::Access &access,
                llvm::ArrayRef<mlir::AffineExpr> point) const;
  bool isSlice(const core::Buffer &buffer, const core::BufferDim &dim) const;

  // Transfers.cpp
  /// `only`: steps of `rank` to load, of those that the piece spans.
  void loadBuffer(int32_t buffer, mlir::AffineExpr slot, const Piece &piece,
                  mlir::Location loc, const StepBounds *only = nullptr,
                  core::RankId rank = -1);
  /// What resides of an outer tile, into its place.
  void copyPiece(size_t resident, const OuterTile &tile, mlir::Location loc);
  /// Each value of a piece that exists: its index in an array of these
  /// dimensions, and its coordinates in the tensor.
  void forEachValue(core::TensorId tensor, const core::Access &access,
                    llvm::ArrayRef<core::BufferDim> dims, const Piece &piece,
                    mlir::Location loc, const StepBounds *only,
                    core::RankId rank,
                    llvm::function_ref<void(llvm::ArrayRef<mlir::AffineExpr>,
                                            llvm::ArrayRef<mlir::AffineExpr>)>
                        body);
  void storeResult(const core::PlannedSlot &slot, int32_t buffer,
                   const EpochSpace &space, const Epoch &epoch);
  /// What of the result's domain can be said without reduced ranks.
  llvm::SmallVector<Condition>
  resultConditions(core::EinsumId e,
                   llvm::ArrayRef<mlir::AffineExpr> point) const;
  llvm::SmallVector<Condition>
  reducedConditions(core::EinsumId e,
                    llvm::ArrayRef<mlir::AffineExpr> point) const;
  Condition holds(const core::Constraint &k,
                  llvm::ArrayRef<mlir::AffineExpr> point) const;
  /// body(), at the last step if the buffer keeps the last slice only.
  void whenWritten(const core::Buffer &buffer, const EpochSpace &space,
                   const Epoch &epoch, mlir::Location loc,
                   llvm::function_ref<void()> body);
  /// Loops over the result ranks of an Einsum; body gets the rank values.
  void
  forEachResult(core::EinsumId e, const Piece &inner,
                llvm::function_ref<void(std::vector<mlir::AffineExpr> &)> body);

  // EinsumSlot.cpp
  /// body() for what each instance of the unit takes of `inner`.
  void forEachInstance(llvm::ArrayRef<core::InstancePart> parts, Piece inner,
                       llvm::function_ref<void(const Piece &)> body);
  void emitSlot(const core::PlannedSlot &slot, const EpochSpace &space,
                const Epoch &epoch);
  mlir::Value readOperand(const core::Operand &operand,
                          const core::OperandSource &from,
                          const EpochSpace &space, const Epoch &epoch,
                          llvm::ArrayRef<mlir::AffineExpr> point,
                          mlir::Location loc);
  mlir::Value reducePoint(const core::PlannedSlot &slot,
                          const EpochSpace &space, const Epoch &epoch,
                          std::vector<mlir::AffineExpr> &point,
                          mlir::Value initial);
  mlir::Value cloneBody(mlir::Region &region, llvm::ArrayRef<mlir::Value> args,
                        core::EinsumId e,
                        llvm::ArrayRef<mlir::AffineExpr> point);

  const Source &src;
  const core::Cascade &c;
  const core::Plan &plan;
  bool poison;
  AffineScope scope;
  Storage at;
  const OuterTile *tileNow = nullptr; ///< that is being emitted
};

} // namespace transfusion::schedtoaffine

#endif // TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_PROGRAM_H
