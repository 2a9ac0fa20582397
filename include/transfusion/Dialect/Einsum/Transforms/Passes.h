#ifndef TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_PASSES_H
#define TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"
#include "transfusion/Options/Choice.h"

namespace transfusion::einsum {

/// What decomposed Einsums reduce and carry in.
enum class AccumulatorKind { F32, Storage };

} // namespace transfusion::einsum

template <>
class llvm::cl::parser<transfusion::einsum::AccumulatorKind>
    : public transfusion::ChoiceParser<transfusion::einsum::AccumulatorKind> {
  using ChoiceParser::ChoiceParser;
};

namespace transfusion::einsum {

#define GEN_PASS_DECL
#include "transfusion/Dialect/Einsum/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transfusion/Dialect/Einsum/Transforms/Passes.h.inc"

} // namespace transfusion::einsum

#endif // TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_PASSES_H
