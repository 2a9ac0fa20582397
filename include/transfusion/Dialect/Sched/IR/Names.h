//===- Names.h - Names of tensors and of near misses ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule names tensors from outside the cascade: what an Einsum makes by
// the name of the Einsum ("BK"), the n-th argument of the function "%argn", a
// value that another op makes "%extn", counted in the order of first use.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_SCHED_IR_NAMES_H
#define TRANSFUSION_DIALECT_SCHED_IR_NAMES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace transfusion::einsum {
class CascadeOp;
} // namespace transfusion::einsum

namespace transfusion::sched {

/// Names of the tensors that a cascade reads or makes.
class TensorNames {
public:
  explicit TensorNames(llvm::ArrayRef<einsum::CascadeOp> cascades);
  /// Null when there is no such tensor.
  mlir::Value lookup(llvm::StringRef name) const { return byName.lookup(name); }
  llvm::StringRef of(mlir::Value value) const { return byValue.at(value); }
  /// What the cascades read from outside, in the order of first use.
  llvm::ArrayRef<mlir::Value> inputs() const { return outside; }

private:
  void add(mlir::Value value, std::string name);
  llvm::DenseMap<mlir::Value, std::string> byValue;
  llvm::StringMap<mlir::Value> byName;
  llvm::SmallVector<mlir::Value> outside;
};

/// The tensor that a result of a cascade is, within it; other values are what
/// they are.
mlir::Value tensorBehind(mlir::Value value);

/// " (did you mean 'capacity_bytes'?)" when a known word is near, else " (known
/// WHATs are ...)", else "".
std::string suggest(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known,
                    llvm::StringRef what);

} // namespace transfusion::sched

#endif // TRANSFUSION_DIALECT_SCHED_IR_NAMES_H
