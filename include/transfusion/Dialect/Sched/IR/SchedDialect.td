#ifndef TRANSFUSION_DIALECT_SCHED_IR_SCHEDDIALECT
#define TRANSFUSION_DIALECT_SCHED_IR_SCHEDDIALECT

include "mlir/IR/DialectBase.td"

def Sched_Dialect : Dialect {
  let name = "sched";
  let summary = "machines, and the decisions of a schedule";
  let cppNamespace = "::transfusion::sched";
}

#endif // TRANSFUSION_DIALECT_SCHED_IR_SCHEDDIALECT
