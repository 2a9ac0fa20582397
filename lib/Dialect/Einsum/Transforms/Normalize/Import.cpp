//===- Import.cpp - From a cascade to the normal form ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import.h"
#include "ConstantIndices.h"
#include "Indices.h"
#include "transfusion/Dialect/Einsum/IR/Domain.h"
#include "transfusion/Dialect/Einsum/IR/EquationGraph.h"
#include "transfusion/Dialect/Einsum/IR/LinearForm.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

SmallVector<Root> Imported::roots() {
  SmallVector<Root> result;
  auto add = [&](Tensor &tensor) {
    result.push_back({&tensor.frame, &tensor.ref});
    result.push_back({&tensor.coordinates, &tensor.byCoordinate});
  };
  llvm::for_each(results, add);
  for (auto &[value, einsum] : kept)
    for (auto &[i, tensor] : einsum.operands)
      add(tensor);
  for (Name &name : names)
    result.push_back({&name.frame, &name.ref});
  return result;
}

namespace {
class Importer {
public:
  Importer(CascadeOp cascade, const JumpFronts &fronts)
      : cascade(cascade), fronts(fronts), equations(cascade),
        result(cascade.getContext()) {}
  Imported run();

private:
  void findSlices();
  Frame frameOf(MapReduceOp op);
  bool mustKeep(MapReduceOp op, unsigned component);
  bool import(MapReduceOp op);
  Tensor whole(Value tensor);
  void keep(ArrayRef<MapReduceOp> ops);
  Ref read(const Frame &frame, Value tensor, AffineMap access);

  CascadeOp cascade;
  const JumpFronts &fronts;
  EquationGraph equations;
  EffectiveDomains domains;
  Imported result;
  std::map<const void *, Tensor> tensors;    // looked up only
  llvm::DenseSet<Value> slices;              // asked, never walked
  llvm::DenseMap<Value, unsigned> levels;    // of kept Einsums; looked up only
  llvm::DenseMap<Value, AffineExpr> indices; // constants; looked up only
};
} // namespace

Frame Importer::frameOf(MapReduceOp op) {
  Frame frame(op.getContext());
  SmallVector<int64_t> extents = op.getExtents();
  for (auto [name, extent] :
       llvm::zip(op.getRanks().getAsValueRange<StringAttr>(), extents))
    frame.add({extent, name.str()});
  return frame;
}

/// Whether an access along a dimension stays in a part of it.
static bool isSlice(AffineExpr expr, int64_t extent,
                    ArrayRef<int64_t> extents) {
  std::optional<LinearForm> form = getLinearForm(expr, extents.size());
  if (!form || extent == 1)
    return false;
  Interval range = getRange(expr, extents);
  // `rank + constant`, or a constant.
  unsigned ranks = 0;
  for (int64_t coefficient : form->coefficients) {
    if (coefficient != 0 && coefficient != 1)
      return false;
    ranks += coefficient == 1;
  }
  return ranks < 2 && range.max - range.min + 1 < extent;
}

/// Tensors of which every reader reads its own part, as of a fused projection:
/// each part is a computation of its own.
void Importer::findSlices() {
  llvm::DenseMap<Value, SmallVector<bool>> parts; // looked up only
  auto entry = [&](Value value) -> SmallVector<bool> & {
    auto [it, isNew] = parts.try_emplace(value);
    if (isNew)
      it->second.assign(cast<RankedTensorType>(value.getType()).getRank(),
                        true);
    return it->second;
  };
  for (MapReduceOp op : equations.einsums()) {
    SmallVector<int64_t> extents = op.getExtents();
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (!getProducer(operand, cascade))
        continue;
      SmallVector<bool> &dims = entry(operand);
      auto shape = cast<RankedTensorType>(operand.getType()).getShape();
      AffineMap access = cast<AffineMapAttr>(op.getMaps()[i]).getValue();
      for (auto [dim, expr] : llvm::enumerate(access.getResults()))
        dims[dim] = dims[dim] && isSlice(expr, shape[dim], extents);
    }
  }
  for (Value value : cascade.getYield().getOperands())
    if (getProducer(value, cascade))
      llvm::fill(entry(value), false);
  for (MapReduceOp op : equations.einsums())
    if (auto it = parts.find(op.getResult());
        it != parts.end() && llvm::is_contained(it->second, true))
      slices.insert(op.getResult());
}

/// The tensor at coordinates that are affine expressions over the frame.
Ref Importer::read(const Frame &frame, Value tensor, AffineMap access) {
  auto it = tensors.find(tensor.getAsOpaquePointer());
  if (it != tensors.end()) {
    Ref ref = result.graph.compose(it->second.byCoordinate, access.getResults(),
                                   frame);
    return slices.contains(tensor) ? result.graph.instantiate(ref, frame) : ref;
  }
  auto [known, isNew] = indices.try_emplace(tensor);
  if (isNew)
    known->second = indicesOf(tensor);
  if (AffineExpr index = known->second) {
    Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
    index = index.replaceDims(access.getResults());
    if (auto constant = dyn_cast<AffineConstantExpr>(index))
      return result.graph.constant(
          TypedAttr(IntegerAttr::get(type, constant.getValue())));
    return result.graph.index(frame, index, type);
  }
  auto level = levels.find(tensor);
  return result.graph.input(frame, tensor, access.getResults(),
                            level == levels.end() ? 0 : level->second);
}

bool normal::isConcatPiece(MapReduceOp op) {
  return op.getBase() ||
         llvm::any_of(op.getResult().getUsers(), [&](Operation *user) {
           auto reader = dyn_cast<MapReduceOp>(user);
           return reader && reader.getBase() == op.getResult();
         });
}

bool Importer::mustKeep(MapReduceOp op, unsigned component) {
  if (equations.isCyclic(component) || op.getInit() || domains.get(op))
    return true;
  if (isConcatPiece(op))
    return true;
  for (Attribute rank : op.getRanks())
    if (cascade.lookupRank(cast<StringAttr>(rank).getValue()).getIterative())
      return true;
  // A slice of a recurrence.
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    MapReduceOp producer = getProducer(operand, cascade);
    return producer && producer.getIterativeDim() >= 0;
  });
}

bool Importer::import(MapReduceOp op) {
  Graph &graph = result.graph;
  Frame frame = frameOf(op);
  SmallVector<Ref> inputs, finishInputs;
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    inputs.push_back(read(frame, input, op.getInputMap(i)));
  for (auto [i, input] : llvm::enumerate(op.getFinishInputs()))
    finishInputs.push_back(read(frame, input, op.getFinishInputMap(i)));

  std::optional<Ref> value =
      importBody(graph, frame, op.getMap(), inputs, op.getRanks(), fronts);
  if (!value)
    return false;
  if (op.getReduce()) {
    Exprs reduced;
    for (auto [i, isReduced] : llvm::enumerate(op.getReducedRanks()))
      if (isReduced)
        reduced.push_back(getAffineDimExpr(i, op.getContext()));
    // What is summed over a rank it does not depend on is multiplied instead:
    // not an integer, nor what is a product over the rank, nor in front of a
    // jump.
    if (!graph[*value].type.isFloat() || *op.getReduce() == ReduceKind::Mul ||
        (*op.getReduce() == ReduceKind::Add && fronts.isExact(op)))
      for (AffineExpr dim : reduced)
        if (!graph.dependsOn(*value, dim))
          return false;
    value = graph.reduce(frame, *op.getReduce(), *value, reduced);
  }
  finishInputs.insert(finishInputs.begin(), *value);
  value = importBody(graph, frame, op.getFinish(), finishInputs, op.getRanks(),
                     fronts);
  if (!value)
    return false;

  auto type = cast<RankedTensorType>(op.getResult().getType());
  Tensor tensor{
      frame, *value, {}, type, op.getEinsumName().str(), Frame(op.getContext()),
      {}};
  llvm::append_range(tensor.layout, op.getResultMap().getResults());
  // Ranks as functions of coordinates. A unit rank beside others is 0.
  SmallVector<AffineExpr> inverse = getInverseResultMap(op);
  for (AffineExpr &rank : inverse)
    if (!rank)
      rank = getAffineConstantExpr(0, op.getContext());
  for (int64_t extent : type.getShape())
    tensor.coordinates.add({extent, {}});
  tensor.byCoordinate = graph.compose(*value, inverse, tensor.coordinates);
  result.names.push_back({tensor.name, op.getLoc(), frame, *value});
  tensors.insert({op.getResult().getAsOpaquePointer(), std::move(tensor)});
  return true;
}

/// `tensor` as itself: coordinates in, its value out.
Tensor Importer::whole(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Frame frame(cascade.getContext());
  Tensor result{frame, {}, {}, type, {}, frame, {}};
  for (int64_t extent : type.getShape())
    result.layout.push_back(result.frame.add({extent, {}}));
  result.ref = read(result.frame, tensor,
                    AffineMap::getMultiDimIdentityMap(result.layout.size(),
                                                      cascade.getContext()));
  result.coordinates = result.frame;
  result.byCoordinate = result.ref;
  return result;
}

/// Keeps Einsums that read each other.
void Importer::keep(ArrayRef<MapReduceOp> ops) {
  unsigned level = 0;
  for (MapReduceOp op : ops)
    for (Value operand : op->getOperands())
      if (auto it = tensors.find(operand.getAsOpaquePointer());
          it != tensors.end())
        level = std::max(level, result.graph[it->second.ref].level);
      else if (auto known = levels.find(operand); known != levels.end())
        level = std::max(level, known->second);
  for (MapReduceOp op : ops)
    levels[op.getResult()] = level + 1;
  for (MapReduceOp op : ops) {
    Kept kept{op, whole(op.getResult()).ref.node, {}};
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (!getProducer(operand, cascade))
        continue;
      auto it = tensors.find(operand.getAsOpaquePointer());
      kept.operands.insert(
          {i, it != tensors.end() ? it->second : whole(operand)});
    }
    result.kept.insert({op.getResult(), std::move(kept)});
  }
}

Imported Importer::run() {
  findSlices();
  for (auto [component, members] : llvm::enumerate(equations.components())) {
    SmallVector<MapReduceOp> ops;
    for (unsigned member : members)
      ops.push_back(equations.einsum(member));
    result.numEinsums += ops.size();
    // A component of several is a cycle.
    if (mustKeep(ops.front(), component) || !import(ops.front()))
      keep(ops);
  }
  for (Value value : cascade.getYield().getOperands()) {
    auto it = tensors.find(value.getAsOpaquePointer());
    result.results.push_back(it != tensors.end() ? it->second : whole(value));
  }
  return std::move(result);
}

Imported normal::importCascade(CascadeOp cascade, const JumpFronts &fronts) {
  return Importer(cascade, fronts).run();
}
