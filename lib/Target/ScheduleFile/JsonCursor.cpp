//===- JsonCursor.cpp - Typed access to a JSON value ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonCursor.h"

#include <algorithm>
#include <cmath>

using namespace transfusion;
namespace json = llvm::json;

static constexpr size_t kMostErrors = 20;

void JsonErrors::add(const JsonPath &path, const std::string &message) {
  if (++count > kMostErrors)
    return;
  FileError e;
  e.path = toString(path);
  e.message = message;
  std::tie(e.line, e.column) = placeOf(text, path);
  list.push_back(std::move(e));
}

static const char *typeName(const json::Value &v) {
  switch (v.kind()) {
  case json::Value::Null:
    return "null";
  case json::Value::Boolean:
    return "a boolean";
  case json::Value::Number:
    return "a number";
  case json::Value::String:
    return "a string";
  case json::Value::Array:
    return "an array";
  case json::Value::Object:
    return "an object";
  }
  return "";
}

/// "; did you mean 'x'?" where one of the names is close.
template <typename Names>
static std::string suggestion(llvm::StringRef name, const Names &names) {
  llvm::StringRef best;
  unsigned least = static_cast<unsigned>(name.size()) / 2 + 1;
  for (llvm::StringRef n : names) {
    const unsigned distance = name.edit_distance(n);
    // The first in alphabetical order of equals.
    if (distance < least || (distance == least && !best.empty() && n < best)) {
      least = distance;
      best = n;
    }
  }
  return best.empty() ? "" : "; did you mean '" + best.str() + "'?";
}

JsonCursor JsonCursor::child(const json::Value *v, JsonStep step) const {
  JsonCursor c(v, *errors);
  c.path = path;
  c.path.push_back(std::move(step));
  return c;
}

void JsonCursor::wrongType(const char *wanted) const {
  if (value)
    error(std::string("is ") + typeName(*value) + ", not " + wanted);
}

void JsonCursor::keys(std::initializer_list<llvm::StringRef> names) const {
  const json::Object *o = value ? value->getAsObject() : nullptr;
  if (!o)
    return wrongType("an object");
  std::vector<llvm::StringRef> known;
  for (llvm::StringRef n : names) {
    const bool optional = n.consume_back("?");
    known.push_back(n);
    if (!optional && !o->get(n))
      error("has no key '" + n.str() + "'");
  }
  std::vector<std::string> unknown;
  for (const auto &[key, v] : *o)
    if (std::find(known.begin(), known.end(), llvm::StringRef(key)) ==
        known.end())
      unknown.push_back(key.str());
  std::sort(unknown.begin(), unknown.end());
  for (const std::string &key : unknown)
    error("has a key '" + key + "' that the schema does not know" +
          suggestion(key, known));
}

bool JsonCursor::has(llvm::StringRef key) const {
  const json::Object *o = value ? value->getAsObject() : nullptr;
  return o && o->get(key);
}

JsonCursor JsonCursor::at(llvm::StringRef key) const {
  const json::Object *o = value ? value->getAsObject() : nullptr;
  return child(o ? o->get(key) : nullptr, {key.str(), 0});
}

std::vector<JsonCursor> JsonCursor::elements() const {
  std::vector<JsonCursor> all;
  const json::Array *a = value ? value->getAsArray() : nullptr;
  if (!a) {
    wrongType("an array");
    return all;
  }
  for (size_t i = 0; i < a->size(); ++i)
    all.push_back(child(&(*a)[i], {"", i}));
  return all;
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members() const {
  std::vector<std::pair<std::string, JsonCursor>> all;
  const json::Object *o = value ? value->getAsObject() : nullptr;
  if (!o) {
    wrongType("an object");
    return all;
  }
  for (const auto &[key, v] : *o)
    all.push_back({key.str(), child(&v, {key.str(), 0})});
  // Not in the order of the hash table.
  std::sort(all.begin(), all.end(),
            [](const auto &x, const auto &y) { return x.first < y.first; });
  return all;
}

int64_t JsonCursor::integer(int64_t least, int64_t most) const {
  if (!value)
    return least > 0 ? least : 0;
  const std::optional<int64_t> n = value->getAsInteger();
  if (!n) {
    if (value->getAsNumber())
      error("is not an integer below 2^63");
    else
      wrongType("an integer");
  } else if (*n < least || *n > most) {
    error("is " + std::to_string(*n) + ", outside of " + std::to_string(least) +
          " to " + std::to_string(most));
  } else {
    return *n;
  }
  return least > 0 ? least : 0;
}

double JsonCursor::number(double least) const {
  if (!value)
    return 1;
  const std::optional<double> n = value->getAsNumber();
  if (!n)
    wrongType("a number");
  else if (!std::isfinite(*n) || *n < least)
    error("is " + std::to_string(*n) + ", not a finite number of at least " +
          std::to_string(least));
  else
    return *n;
  return 1;
}

bool JsonCursor::isNull() const {
  return value && value->kind() == json::Value::Null;
}

bool JsonCursor::boolean() const {
  const std::optional<bool> b = value ? value->getAsBoolean() : std::nullopt;
  if (!b)
    wrongType("a boolean");
  return b.value_or(false);
}

std::string JsonCursor::string() const {
  const auto s = value ? value->getAsString() : std::nullopt;
  if (!s)
    wrongType("a string");
  return s.value_or("").str();
}

int32_t JsonCursor::keyName(const std::string &key,
                            const NameTable &table) const {
  auto found = table.ids.find(key);
  if (found != table.ids.end())
    return found->second;
  std::vector<llvm::StringRef> known;
  for (const auto &entry : table.ids)
    known.push_back(entry.first());
  error("there is no " + table.kind + " '" + key + "'" +
        suggestion(key, known));
  return 0;
}

int32_t JsonCursor::name(const NameTable &table) const {
  const size_t before = errors->count;
  const std::string s = string();
  if (!value || errors->count != before)
    return 0;
  return keyName(s, table);
}

std::string JsonCursor::define(NameTable &table, int32_t id) const {
  const std::string s = string();
  if (value && !table.ids.try_emplace(s, id).second)
    error("there is another " + table.kind + " '" + s + "'");
  return s;
}

int32_t JsonCursor::oneOf(std::initializer_list<llvm::StringRef> names) const {
  const size_t before = errors->count;
  const std::string s = string();
  int32_t i = 0;
  for (llvm::StringRef n : names) {
    if (s == n)
      return i;
    ++i;
  }
  if (value && errors->count == before)
    error("is '" + s + "', which is none of its values" + suggestion(s, names));
  return 0;
}
