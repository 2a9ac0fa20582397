#ifndef TRANSFUSION_DIALECT_EINSUM_IR_EINSUMDIALECT
#define TRANSFUSION_DIALECT_EINSUM_IR_EINSUMDIALECT

include "mlir/IR/DialectBase.td"

def Einsum_Dialect : Dialect {
  let name = "einsum";
  let summary = "extended Einsums over named ranks";
  let cppNamespace = "::transfusion::einsum";
}

#endif // TRANSFUSION_DIALECT_EINSUM_IR_EINSUMDIALECT
