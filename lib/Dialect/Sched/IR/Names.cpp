//===- Names.cpp - Names of tensors and of near misses --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Dialect/Sched/IR/Names.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::sched;

void TensorNames::add(Value value, std::string name) {
  byName[name] = value;
  byValue[value] = std::move(name);
}

Value transfusion::sched::tensorBehind(Value value) {
  while (auto cascade = value.getDefiningOp<einsum::CascadeOp>())
    value =
        cascade.getYield().getOperand(cast<OpResult>(value).getResultNumber());
  return value;
}

TensorNames::TensorNames(ArrayRef<einsum::CascadeOp> cascades) {
  if (cascades.empty())
    return;
  auto function = einsum::CascadeOp(cascades.front())
                      ->getParentOfType<FunctionOpInterface>();
  unsigned external = 0;
  for (einsum::CascadeOp cascade : cascades)
    for (auto op : cascade.getBody().getOps<einsum::MapReduceOp>())
      add(op.getResult(), op.getEinsumName().str());
  auto addOutside = [&](Value value) {
    if (byValue.contains(value))
      return;
    outside.push_back(value);
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && function && !function.isExternal() &&
        argument.getOwner() == &function.getFunctionBody().front())
      add(value, "%arg" + std::to_string(argument.getArgNumber()));
    else
      add(value, "%ext" + std::to_string(external++));
  };
  for (einsum::CascadeOp cascade : cascades)
    for (auto op : cascade.getBody().getOps<einsum::MapReduceOp>())
      for (Value operand : op->getOperands())
        addOutside(tensorBehind(operand));
}

std::string transfusion::sched::suggest(StringRef word,
                                        ArrayRef<StringRef> known,
                                        StringRef what) {
  // Two slips in a word, or one in a short one.
  unsigned best =
      word.size() < 4 ? 2 : std::max<size_t>(2, word.size() / 3) + 1;
  StringRef nearest;
  for (StringRef candidate : known) {
    unsigned distance = word.edit_distance(candidate, true, best);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  if (!nearest.empty())
    return " (did you mean '" + nearest.str() + "'?)";
  if (known.empty())
    return "";
  std::string text = " (known " + what.str() + ": ";
  for (auto [i, candidate] : llvm::enumerate(known))
    text += (i ? ", " : "") + candidate.str();
  return text + ")";
}
