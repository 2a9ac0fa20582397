#ifndef TRANSFUSION_DIALECT_EINSUM_IR_EINSUMOPS
#define TRANSFUSION_DIALECT_EINSUM_IR_EINSUMOPS

include "mlir/IR/OpBase.td"
include "transfusion/Dialect/Einsum/IR/EinsumAttrs.td"
include "transfusion/Dialect/Einsum/IR/EinsumInterfaces.td"

#endif // TRANSFUSION_DIALECT_EINSUM_IR_EINSUMOPS
