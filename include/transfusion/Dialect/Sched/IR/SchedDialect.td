//===- SchedDialect.td - The sched dialect -----------------*- tablegen -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_SCHED_IR_SCHEDDIALECT
#define TRANSFUSION_DIALECT_SCHED_IR_SCHEDDIALECT

include "mlir/IR/DialectBase.td"

def Sched_Dialect : Dialect {
  let name = "sched";
  let summary = "machines, and the decisions of a schedule";
  let description = [{
    A machine (`sched.arch`) and what was decided for one function on it
    (`sched.schedule`). Decisions only: latency, energy, addresses and start
    cycles follow from them and are computed where they are wanted. A schedule
    refers to Einsums by name from outside the cascade, so that erasing it
    leaves the function as it was.

    Names. An Einsum is named by its `einsum_name` (`"QK"`, `"ln1.SAV"`); the
    finish of an Einsum whose reduction spans the epochs of an earlier phase by
    `"FFN2.finish"`. A tensor that an Einsum makes has the name of that Einsum
    (`"BK"`); the n-th argument of the function is `"%argn"`, as the function
    prints it; a value that another op makes is `"%extn"`, counted in the order
    in which the cascade first reads them.
  }];
  let cppNamespace = "::transfusion::sched";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

#endif // TRANSFUSION_DIALECT_SCHED_IR_SCHEDDIALECT
