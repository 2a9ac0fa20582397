//===- ArchFiles.h - Machines described in YAML -----------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine file says what sched.arch says, with the same names:
//
//   name: toy
//   clock_hz: 1000000000
//   memories:                       # from outer to inner
//     - {name: dram, bandwidth_bytes_per_s: 32000000000}
//     - {name: buffer, capacity_bytes: 16384}
//   units:
//     - name: vec1d
//       lanes: 8
//       memory: buffer
//       whole_einsum: true
//       ops:
//         mac: {cycles: 1, energy_pj: 17.16}
//         exp: {mac: 6}             # an expansion
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_BRIDGE_ARCHFILES_H
#define TRANSFUSION_BRIDGE_ARCHFILES_H

#include "mlir/IR/Builders.h"
#include "transfusion/Dialect/Sched/IR/Sched.h"

#include <string>
#include <vector>

namespace transfusion {

/// Makes the machines of a folder known by name, before all others: for a host
/// that is not installed where TransFusion is.
void addArchFolder(llvm::StringRef folder);

/// Names of the machines that come with the tools, sorted.
std::vector<std::string> knownArchNames();

/// File of a known machine, or `nameOrFile` itself where it is a path. Fails,
/// with an error at `loc` that lists the known names, where it is neither.
mlir::FailureOr<std::string> findArchFile(mlir::Location loc,
                                          llvm::StringRef nameOrFile);

/// Builds a sched.arch from a file. Errors are at file:line:col.
mlir::FailureOr<sched::ArchOp> readArchFile(mlir::OpBuilder &builder,
                                            llvm::StringRef path);

/// The same from text; `name` stands in the errors.
mlir::FailureOr<sched::ArchOp> readArchText(mlir::OpBuilder &builder,
                                            llvm::StringRef text,
                                            llvm::StringRef name);

/// The one machine of the module; an error, with the known names, where there
/// is none, or several.
mlir::FailureOr<sched::ArchOp> findArch(mlir::Operation *module);

} // namespace transfusion

#endif // TRANSFUSION_BRIDGE_ARCHFILES_H
