//===- JsonPlace.h - Where a value is in a JSON text ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_TARGET_SCHEDULEFILE_JSONPLACE_H
#define TRANSFUSION_LIB_TARGET_SCHEDULEFILE_JSONPLACE_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace transfusion {

/// A key, or with an empty key an index.
struct JsonStep {
  std::string key;
  size_t index = 0;
};
using JsonPath = std::vector<JsonStep>;

/// "groups[0].phases[1].name"; "the file" for the empty path.
std::string toString(const JsonPath &path);

/// Line and column, from 1, of the value; of the last value on the way where
/// there is none.
std::pair<unsigned, unsigned> placeOf(llvm::StringRef text,
                                      const JsonPath &path);

/// Deepest nesting of arrays and objects.
size_t nestingOf(llvm::StringRef text);

} // namespace transfusion

#endif // TRANSFUSION_LIB_TARGET_SCHEDULEFILE_JSONPLACE_H
