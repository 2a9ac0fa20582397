#include "transfusion/Dialect/Einsum/IR/Einsum.h"

using namespace mlir;
using namespace transfusion::einsum;

#include "transfusion/Dialect/Einsum/IR/EinsumDialect.cpp.inc"
#include "transfusion/Dialect/Einsum/IR/EinsumEnums.cpp.inc"
#include "transfusion/Dialect/Einsum/IR/EinsumInterfaces.cpp.inc"

void EinsumDialect::initialize() {}
