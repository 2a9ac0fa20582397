//===- Passes.h - Passes that decide and check ------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TRANSFORMS_PASSES_H
#define TRANSFUSION_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"
#include "transfusion/Dialect/Sched/IR/Sched.h"
#include "transfusion/Transforms/SearchChoices.h"

namespace transfusion {

#define GEN_PASS_DECL
#include "transfusion/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transfusion/Transforms/Passes.h.inc"

} // namespace transfusion

#endif // TRANSFUSION_TRANSFORMS_PASSES_H
