//===- YamlTree.h - A YAML document with positions --------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm::yaml reads a document once, in order. A small tree can be asked for
// keys in any order, and knows for each of them where it stands in the file.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_BRIDGE_YAMLTREE_H
#define TRANSFUSION_LIB_BRIDGE_YAMLTREE_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include <string>
#include <vector>

namespace transfusion {

struct YamlNode {
  enum Kind { Scalar, Mapping, Sequence, Null };
  Kind kind = Null;
  mlir::Location loc;
  std::string text;            ///< scalar
  std::vector<YamlNode> items; ///< sequence; values of a mapping
  std::vector<YamlNode> keys;  ///< mapping: scalars, as many as items

  explicit YamlNode(mlir::Location loc) : loc(loc) {}
  mlir::InFlightDiagnostic error() const { return mlir::emitError(loc); }
  /// "a mapping", ...
  const char *kindName() const;
};

/// The one document of `text`, a mapping or a sequence of scalars, mappings and
/// sequences. Errors are at name:line:col.
mlir::FailureOr<YamlNode> parseYaml(mlir::MLIRContext *context,
                                    llvm::StringRef text, llvm::StringRef name);

} // namespace transfusion

#endif // TRANSFUSION_LIB_BRIDGE_YAMLTREE_H
