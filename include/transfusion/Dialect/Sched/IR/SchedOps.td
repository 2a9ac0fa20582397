#ifndef TRANSFUSION_DIALECT_SCHED_IR_SCHEDOPS
#define TRANSFUSION_DIALECT_SCHED_IR_SCHEDOPS

include "mlir/IR/OpBase.td"
include "transfusion/Dialect/Sched/IR/SchedAttrs.td"


#endif // TRANSFUSION_DIALECT_SCHED_IR_SCHEDOPS
