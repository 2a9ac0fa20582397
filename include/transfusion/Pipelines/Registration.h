//===- Registration.h -------------------------------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything here may be called when the same things are registered already: a
// host that knows all of upstream loses nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_PIPELINES_REGISTRATION_H
#define TRANSFUSION_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace transfusion {

/// Our dialects and the upstream ones that a layer, its schedule or the program
/// emitted for it can hold, with the interfaces that inlining and bufferization
/// need. Nothing else: every dialect registered here costs start-up time.
void registerToolDialects(mlir::DialectRegistry &registry);

/// Our passes and pipelines, for a tool that has upstream's.
void registerPassesAndPipelines();

/// Our passes and pipelines, and the upstream passes that these are used with.
void registerToolPasses();

} // namespace transfusion

#endif // TRANSFUSION_PIPELINES_REGISTRATION_H
