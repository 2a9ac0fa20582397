#ifndef TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_PASSES_H
#define TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace transfusion::einsum {

#define GEN_PASS_DECL
#include "transfusion/Dialect/Einsum/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transfusion/Dialect/Einsum/Transforms/Passes.h.inc"

} // namespace transfusion::einsum

#endif // TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_PASSES_H
