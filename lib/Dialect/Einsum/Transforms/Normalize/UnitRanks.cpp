//===- UnitRanks.cpp - Ranks of extent 1 are none -------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitRanks.h"
#include "Import.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

namespace {
class Dropper {
public:
  explicit Dropper(CascadeOp cascade)
      : cascade(cascade), context(cascade.getContext()) {}
  void run();

private:
  void findTiles();
  /// By position, the ranks that become index 0.
  llvm::SmallBitVector unitRanks(MapReduceOp op);
  void replaceRanks(MapReduceOp op, const llvm::SmallBitVector &drop);
  void dropDimensions(MapReduceOp op);
  void dropUnusedRanks();

  CascadeOp cascade;
  MLIRContext *context;
  llvm::StringSet<> tiles; ///< ranks within tiles of an iterative rank
};
} // namespace

/// Tiles of one key are tiles: m0 in m1 + m0 has the extent that it has been
/// given, and will be given another.
void Dropper::findTiles() {
  for (auto op : cascade.getBody().front().getOps<MapReduceOp>()) {
    SmallVector<RankAttr> ranks;
    for (StringRef name : op.getRanks().getAsValueRange<StringAttr>())
      ranks.push_back(cascade.lookupRank(name));
    for (AffineMap map : op.getMaps().getAsValueRange<AffineMapAttr>())
      for (AffineExpr expr : map.getResults()) {
        auto takesPart = [&](bool iterative) {
          return llvm::make_filter_range(
              llvm::seq<unsigned>(ranks.size()), [&, iterative](unsigned i) {
                return expr.isFunctionOfDim(i) &&
                       ranks[i].getIterative() == iterative;
              });
        };
        if (!takesPart(/*iterative=*/true).empty())
          for (unsigned i : takesPart(/*iterative=*/false))
            tiles.insert(ranks[i].getName());
      }
  }
}

llvm::SmallBitVector Dropper::unitRanks(MapReduceOp op) {
  llvm::SmallBitVector result(op.getRanks().size());
  for (auto [i, name] :
       llvm::enumerate(op.getRanks().getAsValueRange<StringAttr>())) {
    RankAttr rank = cascade.lookupRank(name);
    if (rank.getExtent() == 1 && !rank.getIterative() &&
        !tiles.contains(name) && op.getResultMap().isFunctionOfDim(i))
      result.set(i);
  }
  return result;
}

void Dropper::replaceRanks(MapReduceOp op, const llvm::SmallBitVector &drop) {
  SmallVector<AffineExpr> places;
  SmallVector<Attribute> names;
  llvm::StringSet<> dropped;
  for (auto [i, name] : llvm::enumerate(op.getRanks())) {
    if (drop.test(i)) {
      dropped.insert(cast<StringAttr>(name).getValue());
      places.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    places.push_back(getAffineDimExpr(names.size(), context));
    names.push_back(name);
  }
  auto replaced = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(places, {}, names.size(), 0);
  };
  SmallVector<Attribute> maps;
  for (AffineMap map : op.getMaps().getAsValueRange<AffineMapAttr>())
    maps.push_back(AffineMapAttr::get(replaced(map)));
  Builder b(context);
  op.setMapsAttr(b.getArrayAttr(maps));
  op.setResultMap(replaced(op.getResultMap()));
  op.setRanksAttr(b.getArrayAttr(names));
  if (std::optional<IntegerSet> domain = op.getDomain())
    op.setDomainAttr(IntegerSetAttr::get(
        domain->replaceDimsAndSymbols(places, {}, names.size(), 0)));
  op.walk([&](IndexOp index) {
    if (!dropped.contains(index.getRank()))
      return;
    OpBuilder at(index);
    index.replaceAllUsesWith(Value(
        arith::ConstantOp::create(at, index.getLoc(), at.getIndexAttr(0))));
    index.erase();
  });
}

/// Dimensions of extent 1 at index 0, unless somebody outside sees them, or
/// pieces of a concat share them.
void Dropper::dropDimensions(MapReduceOp op) {
  if (isConcatPiece(op) || llvm::any_of(op->getUsers(), [](Operation *user) {
        return !isa<MapReduceOp>(user);
      }))
    return;
  AffineMap resultMap = op.getResultMap();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  llvm::SmallBitVector drop(type.getRank());
  SmallVector<int64_t> shape;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    auto constant = dyn_cast<AffineConstantExpr>(resultMap.getResult(i));
    if (extent == 1 && constant && constant.getValue() == 0)
      drop.set(i);
    else
      shape.push_back(extent);
  }
  if (drop.none())
    return;
  op.setResultMap(resultMap.dropResults(drop));
  op.getResult().setType(type.clone(shape));
  for (Operation *user : op->getUsers()) {
    auto reader = cast<MapReduceOp>(user);
    SmallVector<Attribute> maps(reader.getMaps().begin(),
                                reader.getMaps().end());
    for (auto [i, operand] : llvm::enumerate(reader->getOperands())) {
      AffineMap map = cast<AffineMapAttr>(maps[i]).getValue();
      // A user is listed once per use.
      if (operand == op.getResult() && map.getNumResults() == drop.size())
        maps[i] = AffineMapAttr::get(map.dropResults(drop));
    }
    reader.setMapsAttr(ArrayAttr::get(context, maps));
  }
}

void Dropper::dropUnusedRanks() {
  llvm::StringSet<> used;
  for (auto op : cascade.getBody().front().getOps<MapReduceOp>())
    for (StringRef name : op.getRanks().getAsValueRange<StringAttr>())
      used.insert(name);
  SmallVector<Attribute> ranks;
  for (auto rank : cascade.getRanks().getAsRange<RankAttr>())
    if (used.contains(rank.getName()))
      ranks.push_back(rank);
  cascade.setRanksAttr(ArrayAttr::get(context, ranks));
}

void Dropper::run() {
  findTiles();
  bool changed = false;
  for (auto op : cascade.getBody().front().getOps<MapReduceOp>()) {
    llvm::SmallBitVector drop = unitRanks(op);
    if (drop.none())
      continue;
    replaceRanks(op, drop);
    changed = true;
  }
  if (!changed)
    return;
  for (auto op : cascade.getBody().front().getOps<MapReduceOp>())
    dropDimensions(op);
  dropUnusedRanks();
}

void normal::dropUnitRanks(CascadeOp cascade) { Dropper(cascade).run(); }
