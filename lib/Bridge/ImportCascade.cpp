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
  Importer(ArrayRef<einsum::CascadeOp> cascades) : cascades(cascades) {}
  FailureOr<ImportedCascade> run();

private:
  LogicalResult addRanks();
  LogicalResult addTensors();
  LogicalResult addEinsum(einsum::MapReduceOp op, int32_t part);
  FailureOr<core::LinearExpr> linear(einsum::MapReduceOp op, AffineExpr expr,
                                     const char *what);
  FailureOr<core::Operand> operand(einsum::MapReduceOp op, Value value,
                                   AffineMap map);
  LogicalResult addDomain(einsum::MapReduceOp op, core::Einsum &einsum);
  void joinDimensions();

  ArrayRef<einsum::CascadeOp> cascades;
  ImportedCascade to;
  einsum::EffectiveDomains domains;
  llvm::DenseMap<Value, core::TensorId> ids; // looked up only
  std::vector<std::vector<unsigned>> joined; ///< by TensorId, see joinDims
};

} // namespace

LogicalResult Importer::addRanks() {
  for (einsum::CascadeOp cascade : cascades)
    for (auto rank : cascade.getRanks().getAsRange<einsum::RankAttr>()) {
      core::RankId known = to.rankId(rank.getName().getValue());
      if (known < 0) {
        to.cascade.ranks.push_back(
            {rank.getName().str(), rank.getExtent(), rank.getIterative()});
        continue;
      }
      const core::Rank &first = to.cascade.ranks[known];
      if (first.extent == rank.getExtent() &&
          first.iterative == rank.getIterative())
        continue;
      InFlightDiagnostic diag =
          cascade.emitOpError()
          << "declares rank '" << first.name << "' with extent "
          << rank.getExtent() << (rank.getIterative() ? " iterative" : "")
          << ", but another cascade of its function with extent "
          << first.extent << (first.iterative ? " iterative" : "");
      diag.attachNote() << "a schedule names ranks of all cascades of its "
                           "function; rename one of them";
      return diag;
    }
  return success();
}

/// Bytes follow the IR type; a value is never less than a byte.
static int32_t bitsOf(Type type) {
  if (!type.isIntOrFloat())
    return 64; // index
  return static_cast<int32_t>((type.getIntOrFloatBitWidth() + 7) / 8 * 8);
}

LogicalResult Importer::addTensors() {
  sched::TensorNames names(cascades);
  to.tensors.assign(names.inputs().begin(), names.inputs().end());
  const size_t numInputs = to.tensors.size();
  for (einsum::CascadeOp cascade : cascades)
    for (auto op : cascade.getBody().getOps<einsum::MapReduceOp>()) {
      core::EinsumId known = to.einsumId(op.getEinsumName());
      if (known >= 0) {
        InFlightDiagnostic diag = op.emitOpError()
                                  << "has the name \"" << op.getEinsumName()
                                  << "\" of another Einsum of its function";
        diag.attachNote(to.einsums[known].getLoc()) << "which is here";
        return diag;
      }
      to.cascade.einsums.emplace_back();
      to.cascade.einsums.back().name = op.getEinsumName().str();
      to.einsums.push_back(op);
      to.tensors.push_back(op.getResult());
    }
  // Who reads a result outside of the cascades wants it as an output.
  llvm::DenseSet<Value> yielded;
  for (einsum::CascadeOp cascade : cascades)
    for (Value result : cascade.getResults())
      if (cascades.size() == 1 ||
          llvm::any_of(result.getUsers(), [&](Operation *user) {
            auto reader = dyn_cast<einsum::MapReduceOp>(user);
            return !reader ||
                   !llvm::is_contained(cascades, reader.getCascade());
          }))
        yielded.insert(sched::tensorBehind(result));
  for (auto [number, value] : llvm::enumerate(to.tensors)) {
    ids[value] = static_cast<core::TensorId>(to.cascade.tensors.size());
    auto type = cast<RankedTensorType>(value.getType());
    core::Tensor tensor;
    tensor.name = names.of(value).str();
    tensor.shape.assign(type.getShape().begin(), type.getShape().end());
    tensor.bitsPerValue = bitsOf(type.getElementType());
    tensor.isInput = number < numInputs;
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
  result.tensor = ids.lookup(sched::tensorBehind(value));
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

LogicalResult Importer::addEinsum(einsum::MapReduceOp op, int32_t part) {
  core::EinsumId id = to.einsumId(op.getEinsumName());
  core::Einsum einsum = to.cascade.einsums[id];
  einsum.part = part;
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
    einsum.base = ids.lookup(sched::tensorBehind(op.getBase()));
  einsum.reduce = reduceKind(op.getReduce());
  einsum.accumulatorBits = bitsOf(op.getAccumulatorType());

  core::Tensor &tensor = to.cascade.tensors[einsum.result.tensor];
  tensor.producer = id;
  tensor.iterativeDim = op.getIterativeDim();
  if (tensor.iterativeDim >= 0)
    tensor.iterativeRank =
        einsum.result.access[tensor.iterativeDim].terms.front().first;
  to.cascade.einsums[id] = std::move(einsum);
  return success();
}

/// Of tensors that somebody reads or writes along two dimensions at once.
void Importer::joinDimensions() {
  std::vector<SmallVector<AffineMap>> accesses(to.tensors.size());
  std::vector<bool> isWhole(to.tensors.size(), false);
  auto idOf = [&](Value value) {
    return ids.lookup(sched::tensorBehind(value));
  };
  for (einsum::MapReduceOp op : to.einsums) {
    for (auto [i, value] : llvm::enumerate(op.getInputs()))
      accesses[idOf(value)].push_back(op.getInputMap(i));
    for (auto [i, value] : llvm::enumerate(op.getFinishInputs()))
      accesses[idOf(value)].push_back(op.getFinishInputMap(i));
    core::TensorId result = idOf(op.getResult());
    accesses[result].push_back(op.getResultMap());
    // A recurrence, and what is or has a beginning: both have one shape.
    if (op.getIterativeDim() >= 0 || op.getBase())
      isWhole[result] = true;
    if (op.getBase())
      isWhole[idOf(op.getBase())] = true;
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
  if (failed(addRanks()))
    return failure();
  // Extents of an epoch say that it runs; without any rank, none would.
  if (to.cascade.ranks.empty())
    to.cascade.ranks.push_back({"unit", 1, false});
  if (failed(addTensors()))
    return failure();
  joinDimensions();
  for (einsum::MapReduceOp op : to.einsums)
    if (failed(addEinsum(op, llvm::find(cascades, op.getCascade()) -
                                 cascades.begin())))
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
  if (!function.getFunctionBody().hasOneBlock()) {
    InFlightDiagnostic diag =
        emitError(function->getLoc())
        << "'" << function->getName() << "' op has "
        << function.getFunctionBody().getBlocks().size()
        << " blocks: how often each runs is not known, so their cascades "
           "cannot be costed";
    diag.attachNote(cascades.front().getLoc())
        << "make a function of one block of what each of them computes";
    return diag;
  }
  for (einsum::CascadeOp cascade : cascades) {
    Operation *parent = cascade->getParentOp();
    if (parent == function.getOperation())
      continue;
    InFlightDiagnostic diag = cascade.emitOpError()
                              << "stands in a region of '" << parent->getName()
                              << "': how often it runs is not known, so it "
                                 "cannot be costed";
    diag.attachNote(parent->getLoc())
        << "move the region into a function of its own";
    return diag;
  }
  FailureOr<ImportedCascade> imported = Importer(cascades).run();
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
