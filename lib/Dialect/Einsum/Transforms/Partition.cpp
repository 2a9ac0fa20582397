//===- Partition.cpp - How wide a tile of an iterative rank is ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Dialect/Einsum/Transforms/Partition.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IntegerSet.h"
#include "transfusion/Dialect/Einsum/IR/Domain.h"
#include "transfusion/Dialect/Einsum/IR/LinearForm.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace transfusion::einsum;

namespace {
/// What an expression says about the split sequence.
enum class Role {
  None,   ///< neither rank takes part
  Tile,   ///< outer + constant: one coordinate per tile
  Within, ///< inner: the coordinate within a tile
  Flat    ///< (outer*W + inner) * factor + ...: the point itself
};

/// New attributes of one Einsum, applied when all are known.
struct Rewrite {
  MapReduceOp op;
  SmallVector<Attribute> maps;
  AffineMap resultMap;
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> equalities;
  RankedTensorType type;
};

class Partitioner {
public:
  Partitioner(CascadeOp cascade, RankAttr outer, RankAttr inner, int64_t width)
      : cascade(cascade), outer(outer), inner(inner),
        context(outer.getContext()), oldTiles(outer.getExtent()),
        oldWidth(inner.getExtent()) {
    points = countPoints();
    newWidth = std::min(width, points);
    newTiles = llvm::divideCeil(points, newWidth);
  }

  LogicalResult run();

private:
  int positionOf(MapReduceOp op, RankAttr rank);
  Role getRole(MapReduceOp op, AffineExpr expr);
  /// Role of a dimension of what `op` defines.
  Role getResultRole(MapReduceOp op, unsigned dim) {
    return getRole(op, op.getResultMap().getResult(dim));
  }
  AffineExpr rewriteFlat(MapReduceOp op, AffineExpr expr);
  int64_t countPoints();

  LogicalResult plan(MapReduceOp op, Rewrite &rewrite);
  FailureOr<AffineMap> planAccess(MapReduceOp op, unsigned operand);
  LogicalResult planDomain(Rewrite &rewrite);
  LogicalResult checkIndices(MapReduceOp op);
  /// The error ends with what would fix it.
  InFlightDiagnostic noteRemedy(InFlightDiagnostic diag) const {
    diag.attachNote() << "write the cascade with tiles of " << newWidth
                      << " (ranks " << outer.getName().getValue() << " = "
                      << newTiles << ", " << inner.getName().getValue() << " = "
                      << newWidth << "), or the rank as one";
    return diag;
  }
  bool inheritsRaggedness(MapReduceOp op);
  void rewriteIndices(MapReduceOp op);

  CascadeOp cascade;
  RankAttr outer, inner;
  MLIRContext *context;
  int64_t oldTiles, oldWidth, points = 0, newTiles = 0, newWidth = 0;
};
} // namespace

int Partitioner::positionOf(MapReduceOp op, RankAttr rank) {
  for (auto [i, name] : llvm::enumerate(op.getRanks()))
    if (name == rank.getName())
      return i;
  return -1;
}

Role Partitioner::getRole(MapReduceOp op, AffineExpr expr) {
  int o = positionOf(op, outer), i = positionOf(op, inner);
  bool usesOuter = o >= 0 && expr.isFunctionOfDim(o);
  bool usesInner = i >= 0 && expr.isFunctionOfDim(i);
  if (!usesOuter && !usesInner)
    return Role::None;
  if (usesOuter && usesInner)
    return Role::Flat;
  return usesOuter ? Role::Tile : Role::Within;
}

/// (outer*W + inner) * factor + rest, with the new width; null when the two
/// ranks do not stand in this relation.
AffineExpr Partitioner::rewriteFlat(MapReduceOp op, AffineExpr expr) {
  int o = positionOf(op, outer), i = positionOf(op, inner);
  std::optional<LinearForm> form = getLinearForm(expr, op.getRanks().size());
  if (o < 0 || i < 0 || !form)
    return {};
  int64_t factor = form->coefficients[i];
  // With a single tile, or tiles of a single point, one rank is always 0.
  if (oldWidth == 1 && form->coefficients[o] != 0)
    factor = form->coefficients[o];
  else if (oldTiles > 1 && form->coefficients[o] != factor * oldWidth)
    return {};
  form->coefficients[o] = 0;
  // Outer first, as it is written.
  AffineExpr tile = getAffineDimExpr(o, context) * (factor * newWidth);
  form->coefficients[i] = 0;
  int64_t constant = form->constant;
  form->constant = 0;
  return form->toExpr(context) + tile + getAffineDimExpr(i, context) * factor +
         constant;
}

/// How many points there are: as many as some Einsum has. A ragged last tile
/// shows as a constraint (inherited by what reads the Einsum), or else in the
/// size of what is read at outer*W + inner. A constraint of one Einsum alone, a
/// prefix that its attention sees, says nothing about the others.
int64_t Partitioner::countPoints() {
  int64_t all = oldTiles * oldWidth, most = 0;
  EffectiveDomains domains;
  for (auto op : cascade.getBody().front().getOps<MapReduceOp>()) {
    int o = positionOf(op, outer), i = positionOf(op, inner);
    if (o < 0 || i < 0)
      continue;
    unsigned numRanks = op.getRanks().size();
    auto isPoint = [&](AffineExpr expr, int64_t sign, int64_t &constant) {
      std::optional<LinearForm> form = getLinearForm(expr, numRanks);
      if (!form)
        return false;
      for (auto [rank, c] : llvm::enumerate(form->coefficients)) {
        int64_t wanted = static_cast<int>(rank) == o   ? sign * oldWidth
                         : static_cast<int>(rank) == i ? sign
                                                       : 0;
        // A single tile is always tile 0.
        if (c != wanted && !(static_cast<int>(rank) == o && oldTiles == 1))
          return false;
      }
      constant = form->constant;
      return true;
    };
    int64_t constant, mine = all;
    if (IntegerSet domain = domains.get(op))
      for (unsigned c = 0, e = domain.getNumConstraints(); c < e; ++c)
        if (!domain.isEq(c) && isPoint(domain.getConstraint(c), -1, constant))
          mine = std::min(mine, constant + 1);
    if (mine == all) {
      int64_t read = 0;
      for (auto [k, operand] : llvm::enumerate(op->getOperands())) {
        ArrayRef<int64_t> shape =
            cast<RankedTensorType>(operand.getType()).getShape();
        AffineMap access = cast<AffineMapAttr>(op.getMaps()[k]).getValue();
        for (auto [d, expr] : llvm::enumerate(access.getResults()))
          if (isPoint(expr, 1, constant) && constant == 0)
            read = std::max(read, shape[d]);
      }
      if (read)
        mine = std::min(mine, read);
    }
    most = std::max(most, mine);
  }
  return most ? most : all;
}

FailureOr<AffineMap> Partitioner::planAccess(MapReduceOp op, unsigned operand) {
  AffineMap access = cast<AffineMapAttr>(op.getMaps()[operand]).getValue();
  MapReduceOp producer = getProducer(op->getOperand(operand), cascade);
  SmallVector<AffineExpr> results;
  for (unsigned d = 0, e = access.getNumResults(); d < e; ++d) {
    AffineExpr expr = access.getResult(d);
    Role role = getRole(op, expr);
    Role written = producer ? getResultRole(producer, d) : Role::None;
    auto refuse = [&](const Twine &why) -> LogicalResult {
      InFlightDiagnostic diag = op.emitOpError()
                                << "cannot follow a new width of '"
                                << inner.getName().getValue() << "': it reads ";
      if (producer)
        diag << producer.getEinsumName();
      else
        diag << "operand #" << operand;
      diag << " in dimension " << d << " " << why.str();
      return noteRemedy(std::move(diag));
    };
    StringRef outerName = outer.getName().getValue();
    StringRef innerName = inner.getName().getValue();
    if (written == Role::Tile) {
      if (role == Role::Tile) {
        results.push_back(expr);
        continue;
      }
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      Interval range =
          getRange(producer.getResultMap().getResult(d), producer.getExtents());
      if (constant && constant.getValue() == range.max) {
        int64_t last = range.max - (oldTiles - 1) + (newTiles - 1);
        results.push_back(getAffineConstantExpr(last, context));
        continue;
      }
      if (constant && constant.getValue() == 0 && range.min == 1) {
        results.push_back(expr);
        continue;
      }
      return refuse("at other than tile '" + outerName +
                    "', the first or the last slice");
    }
    if (written == Role::Within) {
      if (role == Role::Within) {
        results.push_back(expr);
        continue;
      }
      return refuse("at other than '" + innerName + "'");
    }
    // A dimension of the sequence itself, or one that has nothing to do with
    // it.
    if (role == Role::None) {
      results.push_back(expr);
      continue;
    }
    AffineExpr rewritten = rewriteFlat(op, expr);
    if (!rewritten)
      return refuse("per tile, but its shape does not depend on the width");
    results.push_back(rewritten);
  }
  return AffineMap::get(access.getNumDims(), 0, results, context);
}

/// True when an operand exists only where the point does: then the constraint
/// need not be stated again.
bool Partitioner::inheritsRaggedness(MapReduceOp op) {
  for (auto [k, operand] : llvm::enumerate(op->getOperands())) {
    MapReduceOp producer = getProducer(operand, cascade);
    if (!producer || producer == op)
      continue;
    AffineMap access = cast<AffineMapAttr>(op.getMaps()[k]).getValue();
    bool tile = false, within = false;
    for (unsigned d = 0, e = access.getNumResults(); d < e; ++d) {
      Role role = getResultRole(producer, d);
      tile |= role == Role::Tile &&
              getAdvance(producer, op, access, d) == std::optional<int64_t>(0);
      within |=
          role == Role::Within && getRole(op, access.getResult(d)) == role;
    }
    if (tile && within)
      return true;
  }
  return false;
}

LogicalResult Partitioner::planDomain(Rewrite &rewrite) {
  MapReduceOp op = rewrite.op;
  int o = positionOf(op, outer), i = positionOf(op, inner);
  SmallVector<int64_t> extents = op.getExtents();
  if (o >= 0)
    extents[o] = newTiles;
  if (i >= 0)
    extents[i] = newWidth;
  if (std::optional<IntegerSet> domain = op.getDomain())
    for (unsigned c = 0, e = domain->getNumConstraints(); c < e; ++c) {
      AffineExpr expr = domain->getConstraint(c);
      if (getRole(op, expr) != Role::None) {
        expr = rewriteFlat(op, expr);
        if (!expr)
          return noteRemedy(op.emitOpError()
                            << "cannot follow a new width of '"
                            << inner.getName().getValue() << "': constraint #"
                            << c << " is not about "
                            << outer.getName().getValue() << "*" << oldWidth
                            << " + " << inner.getName().getValue());
        std::optional<LinearForm> form =
            getLinearForm(expr, op.getRanks().size());
        expr = form->toExpr(context);
      }
      Interval range = getRange(expr, extents);
      if (!domain->isEq(c) && range.min >= 0)
        continue; // the tiles come out even
      rewrite.constraints.push_back(expr);
      rewrite.equalities.push_back(domain->isEq(c));
    }
  if (newTiles * newWidth == points || o < 0 || i < 0 || inheritsRaggedness(op))
    return success();
  LinearForm form;
  form.coefficients.assign(op.getRanks().size(), 0);
  form.coefficients[o] = -newWidth;
  form.coefficients[i] = -1;
  form.constant = points - 1;
  AffineExpr expr = form.toExpr(context);
  // A prefix says it already.
  bool isSaid = llvm::any_of(rewrite.constraints, [&](AffineExpr other) {
    std::optional<LinearForm> known =
        getLinearForm(other, op.getRanks().size());
    return known && known->coefficients == form.coefficients &&
           known->constant <= form.constant;
  });
  if (!isSaid) {
    rewrite.constraints.insert(rewrite.constraints.begin(), expr);
    rewrite.equalities.insert(rewrite.equalities.begin(), false);
  }
  return success();
}

/// einsum.index of one of the ranks needs both to be expressed anew.
LogicalResult Partitioner::checkIndices(MapReduceOp op) {
  if (positionOf(op, outer) >= 0 && positionOf(op, inner) >= 0)
    return success();
  WalkResult result = op.walk([&](IndexOp index) {
    if (index.getRankAttr() != outer.getName() &&
        index.getRankAttr() != inner.getName())
      return WalkResult::advance();
    (void)noteRemedy(index.emitOpError()
                     << "cannot follow a new width of '"
                     << inner.getName().getValue()
                     << "': the Einsum iterates only one of the two ranks");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void Partitioner::rewriteIndices(MapReduceOp op) {
  SmallVector<IndexOp> indices;
  op.walk([&](IndexOp index) {
    if (index.getRankAttr() == outer.getName() ||
        index.getRankAttr() == inner.getName())
      indices.push_back(index);
  });
  for (IndexOp index : indices) {
    bool isOuter = index.getRankAttr() == outer.getName();
    OpBuilder b(index);
    Location loc = index.getLoc();
    Value tile = IndexOp::create(b, loc, outer.getName());
    Value within = IndexOp::create(b, loc, inner.getName());
    Value width = arith::ConstantIndexOp::create(b, loc, newWidth);
    Value old = arith::ConstantIndexOp::create(b, loc, oldWidth);
    Value point = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, tile, width), within);
    Value value = isOuter
                      ? arith::DivUIOp::create(b, loc, point, old).getResult()
                      : arith::RemUIOp::create(b, loc, point, old).getResult();
    index.replaceAllUsesWith(value);
    index.erase();
  }
}

LogicalResult Partitioner::plan(MapReduceOp op, Rewrite &rewrite) {
  rewrite.op = op;
  if (positionOf(op, inner) >= 0 && positionOf(op, outer) < 0)
    return noteRemedy(op.emitOpError()
                      << "iterates '" << inner.getName().getValue()
                      << "' without '" << outer.getName().getValue()
                      << "', so it cannot follow a new width");
  for (unsigned k = 0, e = op->getNumOperands(); k < e; ++k) {
    FailureOr<AffineMap> access = planAccess(op, k);
    if (failed(access))
      return failure();
    rewrite.maps.push_back(AffineMapAttr::get(*access));
  }
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<AffineExpr> results;
  for (unsigned d = 0, e = shape.size(); d < e; ++d) {
    AffineExpr expr = op.getResultMap().getResult(d);
    switch (getRole(op, expr)) {
    case Role::None:
      break;
    case Role::Tile:
      shape[d] += newTiles - oldTiles;
      break;
    case Role::Within:
      shape[d] = newWidth;
      break;
    case Role::Flat:
      expr = rewriteFlat(op, expr);
      if (!expr)
        return noteRemedy(op.emitOpError()
                          << "cannot follow a new width of '"
                          << inner.getName().getValue() << "': dimension " << d
                          << " of its result is not defined at "
                          << outer.getName().getValue() << "*" << oldWidth
                          << " + " << inner.getName().getValue());
      break;
    }
    results.push_back(expr);
  }
  rewrite.resultMap = AffineMap::get(op.getRanks().size(), 0, results, context);
  rewrite.type = type.clone(shape);
  if (rewrite.type != type &&
      llvm::is_contained(cascade.getYield().getOperands(), op.getResult())) {
    InFlightDiagnostic diag =
        op.emitOpError() << "cannot follow a new width of '"
                         << inner.getName().getValue()
                         << "': the cascade yields its result, whose shape "
                            "would change";
    diag.attachNote(cascade.getYield().getLoc()) << "which is here";
    return noteRemedy(std::move(diag));
  }
  if (failed(checkIndices(op)))
    return failure();
  return planDomain(rewrite);
}

LogicalResult Partitioner::run() {
  if (newTiles == oldTiles && newWidth == oldWidth)
    return success();
  SmallVector<Rewrite> rewrites;
  for (auto op : cascade.getBody().front().getOps<MapReduceOp>())
    if (failed(plan(op, rewrites.emplace_back())))
      return failure();

  for (Rewrite &rewrite : rewrites) {
    rewriteIndices(rewrite.op);
    rewrite.op.setMapsAttr(ArrayAttr::get(context, rewrite.maps));
    rewrite.op.setResultMapAttr(AffineMapAttr::get(rewrite.resultMap));
    if (rewrite.constraints.empty())
      rewrite.op.removeDomainAttr();
    else
      rewrite.op.setDomainAttr(IntegerSetAttr::get(
          IntegerSet::get(rewrite.op.getRanks().size(), 0, rewrite.constraints,
                          rewrite.equalities)));
    rewrite.op.getResult().setType(rewrite.type);
  }
  SmallVector<Attribute> ranks;
  for (RankAttr rank : cascade.getRanks().getAsRange<RankAttr>()) {
    int64_t extent = rank == outer   ? newTiles
                     : rank == inner ? newWidth
                                     : rank.getExtent();
    ranks.push_back(
        RankAttr::get(context, rank.getName(), extent, rank.getIterative()));
  }
  cascade.setRanksAttr(ArrayAttr::get(context, ranks));
  return success();
}

LogicalResult transfusion::einsum::partitionIterativeRank(CascadeOp cascade,
                                                          StringRef outer,
                                                          StringRef inner,
                                                          int64_t width) {
  if (width < 1)
    return cascade.emitOpError() << "cannot be partitioned into tiles of "
                                 << width << " points; a tile has at least 1";
  RankAttr outerRank = cascade.lookupRank(outer);
  RankAttr innerRank = cascade.lookupRank(inner);
  if (!outerRank || !innerRank)
    return cascade.emitOpError()
           << "declares no rank '" << (outerRank ? inner : outer)
           << "'; name two ranks of it, the tiles and what is within one";
  return Partitioner(cascade, outerRank, innerRank, width).run();
}
