#ifndef TRANSFUSION_DIALECT_EINSUM_IR_EINSUMATTRS
#define TRANSFUSION_DIALECT_EINSUM_IR_EINSUMATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "transfusion/Dialect/Einsum/IR/EinsumDialect.td"

#endif // TRANSFUSION_DIALECT_EINSUM_IR_EINSUMATTRS
