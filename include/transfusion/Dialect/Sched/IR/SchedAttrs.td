#ifndef TRANSFUSION_DIALECT_SCHED_IR_SCHEDATTRS
#define TRANSFUSION_DIALECT_SCHED_IR_SCHEDATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "transfusion/Dialect/Sched/IR/SchedDialect.td"

#endif // TRANSFUSION_DIALECT_SCHED_IR_SCHEDATTRS
