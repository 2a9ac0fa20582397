//===- ImportCascade.cpp - A function's Einsums as Core sees them ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Bridge/ImportCascade.h"
#include "EmptySteps.h"
#include "FactorDims.h"
#include "JoinDims.h"
#include "transfusion/Bridge/Appends.h"
#include "transfusion/Bridge/OpClasses.h"
#include "transfusion/Dialect/Einsum/IR/Domain.h"
#include "transfusion/Dialect/Sched/IR/Names.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace transfusion;

namespace {

class Importer {
public:
  Importer(einsum::CascadeOp op) { to.op = op; }
  FailureOr<ImportedCascade> run();

private:
  void addRanks();
  LogicalResult addTensors();
  LogicalResult addEinsum(einsum::MapReduceOp op);
  FailureOr<core::LinearExpr> linear(einsum::MapReduceOp op, AffineExpr expr,
                                     const char *what);
  FailureOr<core::Operand> operand(einsum::MapReduceOp op, Value value,
                                   AffineMap map);
  LogicalResult addDomain(einsum::MapReduceOp op, core::Einsum &einsum);
  void joinDimensions();

  ImportedCascade to;
  einsum::EffectiveDomains domains;
  llvm::DenseMap<Value, core::TensorId> ids; // looked up only
  std::vector<std::vector<unsigned>> joined; ///< by TensorId, see joinDims
};

} // namespace

void Importer::addRanks() {
  for (auto rank : to.op.getRanks().getAsRange<einsum::RankAttr>())
    to.cascade.ranks.push_back(
        {rank.getName().str(), rank.getExtent(), rank.getIterative()});
}

/// Bytes follow the IR type; a value is never less than a byte.
static int32_t bitsOf(Type type) {
  if (!type.isIntOrFloat())
    return 64; // index
  return static_cast<int32_t>((type.getIntOrFloatBitWidth() + 7) / 8 * 8);
}

LogicalResult Importer::addTensors() {
  sched::TensorNames names(to.op);
  to.tensors.assign(names.inputs().begin(), names.inputs().end());
  for (auto op : to.op.getBody().getOps<einsum::MapReduceOp>()) {
    to.einsums.push_back(op);
    to.tensors.push_back(op.getResult());
  }
  llvm::DenseSet<Value> yielded;
  for (Value value : to.op.getYield().getOperands())
    yielded.insert(value);
  for (Value value : to.tensors) {
    ids[value] = static_cast<core::TensorId>(to.cascade.tensors.size());
    auto type = cast<RankedTensorType>(value.getType());
    core::Tensor tensor;
    tensor.name = names.of(value).str();
    tensor.shape.assign(type.getShape().begin(), type.getShape().end());
    tensor.bitsPerValue = bitsOf(type.getElementType());
    tensor.isInput = value.getParentRegion() != &to.op.getBody();
    tensor.isOutput = yielded.contains(value);
    to.cascade.tensors.push_back(std::move(tensor));
  }
  return success();
}

FailureOr<core::LinearExpr>
Importer::linear(einsum::MapReduceOp op, AffineExpr expr, const char *what) {
  std::optional<std::vector<int64_t>> flat =
      linearForm(expr, op.getRanks().size());
  if (!flat) {
    InFlightDiagnostic diag = op.emitOpError();
    diag << "has " << what << " that is no sum of multiples of ranks, so its "
         << "tiles cannot be costed";
    diag.attachNote() << "split the rank that is divided into two, so that "
                         "quotient and remainder are ranks of their own";
    return diag;
  }
  core::LinearExpr result;
  result.constant = flat->back();
  for (auto [i, name] : llvm::enumerate(op.getRanks().getAsRange<StringAttr>()))
    if ((*flat)[i])
      result.terms.push_back({to.rankId(name), (*flat)[i]});
  llvm::sort(result.terms);
  return result;
}

FailureOr<core::Operand> Importer::operand(einsum::MapReduceOp op, Value value,
                                           AffineMap map) {
  core::Operand result;
  result.tensor = ids.lookup(value);
  for (AffineExpr expr :
       joinAccess(map, cast<RankedTensorType>(value.getType()).getShape(),
                  joined[result.tensor])) {
    FailureOr<core::LinearExpr> x = linear(op, expr, "an access");
    if (failed(x))
      return failure();
    result.access.push_back(*x);
  }
  return result;
}

LogicalResult Importer::addDomain(einsum::MapReduceOp op,
                                  core::Einsum &einsum) {
  IntegerSet domain = domains.get(op);
  if (!domain)
    return success();
  for (unsigned i = 0; i < domain.getNumConstraints(); ++i) {
    FailureOr<core::LinearExpr> x =
        linear(op, domain.getConstraint(i), "a domain constraint");
    if (failed(x))
      return failure();
    einsum.domain.push_back({*x});
    if (domain.isEq(i)) {
      for (auto &term : x->terms)
        term.second = -term.second;
      x->constant = -x->constant;
      einsum.domain.push_back({*x});
    }
  }
  return success();
}

static core::ReduceKind reduceKind(std::optional<einsum::ReduceKind> kind) {
  if (!kind)
    return core::ReduceKind::None;
  switch (*kind) {
  case einsum::ReduceKind::Add:
    return core::ReduceKind::Add;
  case einsum::ReduceKind::Mul:
    return core::ReduceKind::Mul;
  case einsum::ReduceKind::Max:
    return core::ReduceKind::Max;
  case einsum::ReduceKind::Min:
    return core::ReduceKind::Min;
  case einsum::ReduceKind::And:
    return core::ReduceKind::And;
  case einsum::ReduceKind::Or:
    return core::ReduceKind::Or;
  }
  return core::ReduceKind::None;
}

LogicalResult Importer::addEinsum(einsum::MapReduceOp op) {
  core::Einsum einsum;
  einsum.name = op.getEinsumName().str();
  for (bool reduced : {false, true}) // result ranks first
    for (auto [name, isReduced] : llvm::zip(
             op.getRanks().getAsRange<StringAttr>(), op.getReducedRanks()))
      if (isReduced == reduced)
        einsum.ranks.push_back(to.rankId(name));
  auto add = [&](std::vector<core::Operand> &list, Value value,
                 AffineMap map) -> LogicalResult {
    FailureOr<core::Operand> read = operand(op, value, map);
    if (failed(read))
      return failure();
    list.push_back(*read);
    return success();
  };
  for (auto [i, value] : llvm::enumerate(op.getInputs()))
    if (failed(add(einsum.inputs, value, op.getInputMap(i))))
      return failure();
  for (auto [i, value] : llvm::enumerate(op.getFinishInputs()))
    if (failed(add(einsum.finishInputs, value, op.getFinishInputMap(i))))
      return failure();
  FailureOr<core::Operand> result =
      operand(op, op.getResult(), op.getResultMap());
  if (failed(result) || failed(addDomain(op, einsum)) ||
      failed(classifyEinsum(op, einsum)))
    return failure();
  einsum.result = *result;
  if (op.getBase())
    einsum.base = ids.lookup(op.getBase());
  einsum.reduce = reduceKind(op.getReduce());
  einsum.accumulatorBits = bitsOf(op.getAccumulatorType());

  core::Tensor &tensor = to.cascade.tensors[einsum.result.tensor];
  tensor.producer = static_cast<core::EinsumId>(to.cascade.einsums.size());
  tensor.iterativeDim = op.getIterativeDim();
  if (tensor.iterativeDim >= 0)
    tensor.iterativeRank =
        einsum.result.access[tensor.iterativeDim].terms.front().first;
  to.cascade.einsums.push_back(std::move(einsum));
  return success();
}

/// Of tensors that somebody reads or writes along two dimensions at once.
void Importer::joinDimensions() {
  std::vector<SmallVector<AffineMap>> accesses(to.tensors.size());
  std::vector<bool> isWhole(to.tensors.size(), false);
  for (einsum::MapReduceOp op : to.einsums) {
    for (auto [i, value] : llvm::enumerate(op.getInputs()))
      accesses[ids.lookup(value)].push_back(op.getInputMap(i));
    for (auto [i, value] : llvm::enumerate(op.getFinishInputs()))
      accesses[ids.lookup(value)].push_back(op.getFinishInputMap(i));
    core::TensorId result = ids.lookup(op.getResult());
    accesses[result].push_back(op.getResultMap());
    isWhole[result] = op.getIterativeDim() >= 0;
  }
  for (auto [t, value] : llvm::enumerate(to.tensors)) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    joined.push_back(isWhole[t] ? std::vector<unsigned>(shape.size(), 1)
                                : joinDims(shape, accesses[t]));
    to.cascade.tensors[t].shape = joinShape(shape, joined.back());
  }
}

FailureOr<ImportedCascade> Importer::run() {
  addRanks();
  // Extents of an epoch say that it runs; without any rank, none would.
  if (to.cascade.ranks.empty())
    to.cascade.ranks.push_back({"unit", 1, false});
  if (failed(addTensors()))
    return failure();
  joinDimensions();
  for (einsum::MapReduceOp op : to.einsums)
    if (failed(addEinsum(op)))
      return failure();
  findEmptySteps(to.cascade, to.einsums);
  to.digits = factorDims(to.cascade);
  return std::move(to);
}

FailureOr<ImportedCascade>
transfusion::importCascade(FunctionOpInterface function) {
  SmallVector<einsum::CascadeOp> cascades;
  function->walk([&](einsum::CascadeOp op) { cascades.push_back(op); });
  if (cascades.empty())
    return emitError(function->getLoc())
           << "'" << function->getName()
           << "' op holds no einsum.cascade (--einsum-decompose makes one)";
  if (cascades.size() > 1) {
    InFlightDiagnostic diag = emitError(cascades[1].getLoc())
                              << "'einsum.cascade' op is the second cascade of "
                                 "its function; scheduling several is not "
                                 "supported yet";
    diag.attachNote(cascades[0].getLoc()) << "the first one";
    diag.attachNote(function->getLoc())
        << "move the op between them out of the function";
    return diag;
  }
  FailureOr<ImportedCascade> imported = Importer(cascades.front()).run();
  if (failed(imported) || failed(checkAppends(function, *imported)))
    return failure();
  imported->cascade.name = SymbolTable::getSymbolName(function).str();
  return imported;
}

template <typename List>
static int32_t indexOf(const List &list, StringRef name) {
  for (auto [i, item] : llvm::enumerate(list))
    if (item.name == name)
      return static_cast<int32_t>(i);
  return -1;
}

core::EinsumId ImportedCascade::einsumId(StringRef name) const {
  return indexOf(cascade.einsums, name);
}
core::TensorId ImportedCascade::tensorId(StringRef name) const {
  return indexOf(cascade.tensors, name);
}
core::RankId ImportedCascade::rankId(StringRef name) const {
  return indexOf(cascade.ranks, name);
}
