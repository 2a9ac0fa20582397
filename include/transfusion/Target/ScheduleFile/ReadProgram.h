//===- ReadProgram.h - Reads a schedule file --------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/schemas/schedule-v1.schema.json into the simulator's own struct. Depends
// on LLVM's JSON parser and nothing else of LLVM or MLIR: who runs a schedule
// file does not need a compiler.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TARGET_SCHEDULEFILE_READPROGRAM_H
#define TRANSFUSION_TARGET_SCHEDULEFILE_READPROGRAM_H

#include "transfusion/Core/Sim/Program.h"

#include "llvm/ADT/StringRef.h"

namespace transfusion {

struct FileError {
  std::string path; ///< "groups[0].phases[1].slots[2].unit"
  std::string message;
  unsigned line = 1, column = 1;
};

/// What is wrong with the file, at most a few dozen errors; when there is none,
/// every id in `out` exists, every size is positive and no two buffers share
/// bytes while both live.
std::vector<FileError> readProgram(llvm::StringRef text,
                                   core::sim::Program &out);

} // namespace transfusion

#endif // TRANSFUSION_TARGET_SCHEDULEFILE_READPROGRAM_H
