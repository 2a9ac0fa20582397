#include "transfusion/Dialect/Sched/IR/Sched.h"

using namespace mlir;
using namespace transfusion::sched;

#include "transfusion/Dialect/Sched/IR/SchedDialect.cpp.inc"
#include "transfusion/Dialect/Sched/IR/SchedEnums.cpp.inc"

void SchedDialect::initialize() {}
