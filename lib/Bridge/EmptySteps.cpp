//===- EmptySteps.cpp - Steps of a recurrence that change nothing ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "EmptySteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "transfusion/Dialect/Einsum/IR/Reduce.h"
#include "llvm/ADT/DenseMap.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace transfusion;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What is known of a scalar: nothing, its number, or that it is the finite
/// value of a recurrence before the step.
struct Known {
  enum Kind { Nothing, Number, State } kind = Nothing;
  double number = 0;
  core::TensorId state = -1;

  static Known of(double n) { return {Number, n, -1}; }
  bool is(double n) const { return kind == Number && number == n; }
  bool operator==(const Known &o) const {
    if (kind != o.kind || kind == Nothing)
      return false;
    return kind == State ? state == o.state
                         : number == o.number ||
                               (std::isnan(number) && std::isnan(o.number));
  }
};

/// One step along one rank.
class Step {
public:
  Step(const core::Cascade &c, ArrayRef<einsum::MapReduceOp> ops,
       core::RankId rank, llvm::DenseMap<core::TensorId, Known> before)
      : c(c), ops(ops), rank(rank), before(std::move(before)) {}

  /// Of a tensor, at this step.
  Known made(core::TensorId t);
  /// Why a value is not known, of the first one.
  std::string why;

private:
  Known compute(core::EinsumId e);
  Known read(const core::Operand &o, core::EinsumId reader);
  Known body(Region &region, ArrayRef<Known> args);
  Known apply(Operation &op, ArrayRef<Known> in);
  Known nothing(const std::string &reason) {
    if (why.empty())
      why = reason;
    return {};
  }

  const core::Cascade &c;
  ArrayRef<einsum::MapReduceOp> ops;
  core::RankId rank;
  llvm::DenseMap<core::TensorId, Known> before; // looked up only
  llvm::DenseMap<core::TensorId, Known> known;  // looked up only
};

} // namespace

static std::optional<double> numberOf(Attribute attr) {
  if (auto f = dyn_cast_or_null<FloatAttr>(attr))
    return f.getValueAsDouble();
  return std::nullopt;
}

Known Step::apply(Operation &op, ArrayRef<Known> in) {
  using namespace arith;
  auto isNumber = [&](size_t i) { return in[i].kind == Known::Number; };
  auto type = [](Value v) { return v.getType(); };
  if (Attribute value; matchPattern(&op, m_Constant(&value))) {
    if (auto n = numberOf(value))
      return Known::of(*n);
    return {};
  }
  if (in.size() == 1) {
    if (isa<ExtFOp>(op))
      return in[0];
    // The value of a recurrence fits the type in which it is kept.
    if (isa<TruncFOp>(op)) {
      if (in[0].kind != Known::State)
        return in[0];
      einsum::MapReduceOp maker = ops[c.tensors[in[0].state].producer];
      Type kept = maker.getResult().getType().getElementType();
      return type(op.getResult(0)) == kept ? in[0] : Known();
    }
    if (!isNumber(0))
      return {};
    if (isa<NegFOp>(op))
      return Known::of(-in[0].number);
    if (isa<math::ExpOp>(op))
      return Known::of(std::exp(in[0].number));
    if (isa<math::Exp2Op>(op))
      return Known::of(std::exp2(in[0].number));
    return {};
  }
  if (isa<SelectOp>(op) && isNumber(0))
    return in[0].number != 0 ? in[1] : in[2];
  if (in.size() != 2)
    return {};
  if (auto compare = dyn_cast<CmpFOp>(op)) {
    const CmpFPredicate p = compare.getPredicate();
    const bool equal = p == CmpFPredicate::OEQ || p == CmpFPredicate::UEQ;
    const bool unequal = p == CmpFPredicate::ONE || p == CmpFPredicate::UNE;
    if (!equal && !unequal)
      return {};
    if (isNumber(0) && isNumber(1) && !std::isnan(in[0].number) &&
        !std::isnan(in[1].number))
      return Known::of((in[0].number == in[1].number) == equal);
    for (int i : {0, 1}) // a finite value is no infinity
      if (in[i].kind == Known::State && isNumber(1 - i) &&
          std::isinf(in[1 - i].number))
        return Known::of(unequal);
    return {};
  }
  const bool numbers = isNumber(0) && isNumber(1);
  const double x = in[0].number, y = in[1].number;
  auto whenOther = [&](double neutral) -> Known {
    return in[1].is(neutral) ? in[0] : in[0].is(neutral) ? in[1] : Known();
  };
  if (isa<AddFOp>(op))
    return numbers ? Known::of(x + y) : whenOther(0);
  if (isa<MulFOp>(op)) {
    if (numbers)
      return Known::of(x * y);
    for (int i : {0, 1})
      if (in[i].is(0) && in[1 - i].kind == Known::State)
        return Known::of(0);
    return whenOther(1);
  }
  if (isa<SubFOp>(op)) {
    if (numbers)
      return Known::of(x - y);
    if (in[0].kind == Known::State && in[0] == in[1])
      return Known::of(0);
    return in[1].is(0) ? in[0] : Known();
  }
  if (isa<DivFOp>(op))
    return numbers ? Known::of(x / y) : in[1].is(1) ? in[0] : Known();
  if (isa<MaximumFOp, MaxNumFOp, MinimumFOp, MinNumFOp>(op)) {
    const bool most = isa<MaximumFOp, MaxNumFOp>(op);
    const bool ignoresNaN = isa<MaxNumFOp, MinNumFOp>(op);
    if (in[0] == in[1])
      return in[0];
    if (!numbers)
      return whenOther(most ? -kInfinity : kInfinity);
    if (std::isnan(x) || std::isnan(y))
      return Known::of(ignoresNaN ? (std::isnan(x) ? y : x) : x + y);
    return Known::of(most ? std::max(x, y) : std::min(x, y));
  }
  return {};
}

Known Step::body(Region &region, ArrayRef<Known> args) {
  if (region.empty())
    return args.front();
  llvm::DenseMap<Value, Known> values; // looked up only
  for (auto [arg, value] : llvm::zip_equal(region.getArguments(), args))
    values[arg] = value;
  for (Operation &op : region.front().without_terminator()) {
    SmallVector<Known> in;
    for (Value v : op.getOperands())
      in.push_back(values.lookup(v));
    if (op.getNumResults() == 1)
      values[op.getResult(0)] = apply(op, in);
  }
  return values.lookup(region.front().getTerminator()->getOperand(0));
}

Known Step::read(const core::Operand &o, core::EinsumId reader) {
  const core::Tensor &t = c.tensors[o.tensor];
  const std::string who = c.einsums[reader].name + " reads " + t.name;
  if (t.producer < 0 || !c.einsums[t.producer].hasRank(rank))
    return nothing(who + " in every step");
  if (t.iterativeDim < 0 || t.iterativeRank != rank)
    return made(o.tensor);
  const core::LinearExpr &slice = o.access[t.iterativeDim];
  if (!slice.uses(rank))
    return nothing(who + " after all steps");
  const int64_t distance =
      c.einsums[t.producer].result.access[t.iterativeDim].constant -
      slice.constant;
  if (distance == 0)
    return made(o.tensor);
  if (distance == 1)
    return before.lookup(o.tensor);
  return nothing(who + " of several steps before");
}

Known Step::compute(core::EinsumId e) {
  const core::Einsum &einsum = c.einsums[e];
  einsum::MapReduceOp op = ops[e];
  Known value;
  bool reduces = !core::reducedRanks(c, e).empty();
  if (!einsum.domain.empty()) {
    bool onReduced = false; // an empty reduction, not a missing result
    for (const core::Constraint &k : einsum.domain)
      for (const auto &term : k.expr.terms)
        onReduced |= core::isReducedRank(c, e, term.first);
    if (!onReduced)
      return nothing(einsum.name + " has a domain, its readers have none");
    std::optional<double> identity;
    if (op.getReduce() && isa<FloatType>(op.getAccumulatorType()))
      identity = numberOf(
          einsum::identityOf(*op.getReduce(), op.getAccumulatorType()));
    if (!identity)
      return nothing(einsum.name + " has no number over no point");
    value = Known::of(*identity);
  } else if (reduces) {
    return nothing(einsum.name + " has no domain");
  } else {
    SmallVector<Known> args;
    for (const core::Operand &o : einsum.inputs)
      args.push_back(read(o, e));
    value = body(op.getMap(), args);
  }
  SmallVector<Known> args = {value};
  for (const core::Operand &o : einsum.finishInputs)
    args.push_back(read(o, e));
  return body(op.getFinish(), args);
}

Known Step::made(core::TensorId t) {
  if (auto it = known.find(t); it != known.end())
    return it->second;
  known[t] = {}; // in a cycle that does not advance: nothing is known
  Known value = compute(c.tensors[t].producer);
  known[t] = value;
  return value;
}

void transfusion::findEmptySteps(core::Cascade &c,
                                 ArrayRef<einsum::MapReduceOp> ops) {
  for (core::RankId rank = 0; rank < static_cast<core::RankId>(c.ranks.size());
       ++rank) {
    SmallVector<core::TensorId> recurrences;
    llvm::DenseMap<core::TensorId, Known> finite, initial;
    for (core::TensorId t = 0;
         t < static_cast<core::TensorId>(c.tensors.size()); ++t) {
      const core::Tensor &tensor = c.tensors[t];
      if (tensor.iterativeRank != rank || tensor.producer < 0)
        continue;
      recurrences.push_back(t);
      finite[t] = {Known::State, 0, t};
      einsum::MapReduceOp maker = ops[tensor.producer];
      if (auto n = numberOf(maker.getInitAttr()))
        initial[t] = Known::of(*n);
    }
    if (recurrences.empty())
      continue;
    Step any(c, ops, rank, finite), first(c, ops, rank, initial);
    llvm::DenseMap<core::TensorId, Known> afterFirst;
    for (core::TensorId t : recurrences)
      afterFirst[t] = first.made(t);
    Step second(c, ops, rank, afterFirst);
    for (core::TensorId t : recurrences) {
      core::Tensor &tensor = c.tensors[t];
      if (!(any.made(t) == finite[t]))
        tensor.whyTheyCount = any.why.empty() ? "its body changes it" : any.why;
      else if (first.made(t) == initial.lookup(t))
        tensor.emptySteps = core::EmptySteps::Neutral;
      else if (second.made(t) == afterFirst[t])
        tensor.emptySteps = core::EmptySteps::NeutralAfterFirst;
      else
        tensor.whyTheyCount = "from its initial value on, steps change it";
    }
  }
}
