//===- JsonCursor.h - Typed access to a JSON value --------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cursor knows where it is. What is missing, of another type or out of range
// is an error there, and reads as a harmless value: the reader goes on to find
// more, and nothing that it has read is used once there is an error.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_TARGET_SCHEDULEFILE_JSONCURSOR_H
#define TRANSFUSION_LIB_TARGET_SCHEDULEFILE_JSONCURSOR_H

#include "JsonPlace.h"
#include "transfusion/Target/ScheduleFile/ReadProgram.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <initializer_list>

namespace transfusion {

/// Names of one kind of thing, and their numbers.
struct NameTable {
  std::string kind; ///< "unit"
  llvm::StringMap<int32_t> ids;
};

struct JsonErrors {
  llvm::StringRef text;
  std::vector<FileError> list; ///< the first ones
  size_t count = 0;            ///< of all
  void add(const JsonPath &path, const std::string &message);
};

class JsonCursor {
public:
  JsonCursor(const llvm::json::Value *value, JsonErrors &errors)
      : value(value), errors(&errors) {}

  void error(const std::string &message) const { errors->add(path, message); }

  /// Is an object of these keys; a key that ends in '?' may be absent.
  void keys(std::initializer_list<llvm::StringRef> names) const;
  bool has(llvm::StringRef key) const;
  JsonCursor at(llvm::StringRef key) const;
  std::vector<JsonCursor> elements() const;
  /// Members of an object whose keys are names.
  std::vector<std::pair<std::string, JsonCursor>> members() const;

  int64_t integer(int64_t least, int64_t most) const;
  double number(double least) const;
  bool isNull() const;
  bool boolean() const;
  std::string string() const;
  /// Number of the name in the table.
  int32_t name(const NameTable &table) const;
  /// Makes the name known; an error where it is already.
  std::string define(NameTable &table, int32_t id) const;
  /// Index of the string among these.
  int32_t oneOf(std::initializer_list<llvm::StringRef> names) const;
  /// A key of an object that is a name.
  int32_t keyName(const std::string &key, const NameTable &table) const;

private:
  JsonCursor child(const llvm::json::Value *v, JsonStep step) const;
  void wrongType(const char *wanted) const;

  const llvm::json::Value *value; ///< null: missing, reported already
  JsonErrors *errors;
  JsonPath path;
};

} // namespace transfusion

#endif // TRANSFUSION_LIB_TARGET_SCHEDULEFILE_JSONCURSOR_H
