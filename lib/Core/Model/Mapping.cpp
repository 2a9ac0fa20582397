//===- Mapping.cpp - Loop nests over a hierarchy of memories --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Model/Mapping.h"

namespace transfusion::core {

bool isPerLane(const Arch &a, const Unit &u) {
  return u.isGrid && u.lanes() > 1 && u.memory >= 0 &&
         a.memories[u.memory].instances == u.instances * u.lanes();
}

OperandRole roleOf(const Einsum &e, TensorId t) {
  if (e.result.tensor == t)
    return OperandRole::Output;
  return e.inputs.size() > 1 && e.inputs[1].tensor == t ? OperandRole::Weight
                                                        : OperandRole::Input;
}

std::vector<TensorId> tensorsOf(const Einsum &e) {
  std::vector<TensorId> tensors{e.result.tensor};
  for (const std::vector<Operand> *list : {&e.inputs, &e.finishInputs})
    for (const Operand &o : *list)
      if (!has(tensors, o.tensor))
        tensors.push_back(o.tensor);
  return tensors;
}

const char *roleName(OperandRole r) {
  return r == OperandRole::Weight   ? "weights"
         : r == OperandRole::Output ? "outputs"
                                    : "inputs";
}

std::optional<OperandRole> passesBy(const Cascade &c, const Memory &m,
                                    TensorId t, bool isPiece) {
  for (const Einsum &e : c.einsums)
    if (has(tensorsOf(e), t) && !(isPiece && e.result.tensor == t) &&
        !m.keeps[static_cast<int>(roleOf(e, t))])
      return roleOf(e, t);
  return std::nullopt;
}

} // namespace transfusion::core
