//===- Sink.cpp - Where rules put what they find --------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sink.h"
#include "transfusion/Core/Check/Rules.h"

#include <cstdio>
#include <cstring>

using namespace transfusion::core;
using namespace transfusion::core::check;

Violation &Sink::add(const char *ruleId, std::string what, std::string fix) {
  Violation v;
  v.rule = ruleId;
  for (const Rule &r : checkRules())
    if (!std::strcmp(r.id, ruleId))
      v.rule += std::string(" ") + r.name;
  v.what = std::move(what);
  v.notes.push_back(std::move(fix));
  found.push_back(std::move(v));
  return found.back();
}

void Sink::term(Violation &v, std::string note) {
  v.notes.insert(v.notes.end() - 1, std::move(note));
}

std::string check::quoted(const std::string &name) { return "'" + name + "'"; }

std::string check::num(int64_t n) { return std::to_string(n); }

std::string check::byteText(int64_t bytes) {
  if (bytes == kTooMuch)
    return "more than 2^63 bytes";
  if (bytes < 1024)
    return num(bytes) + " bytes";
  const char *units[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  int u = 0;
  for (; u < 3 && value >= 1024; ++u)
    value /= 1024;
  char text[64];
  std::snprintf(text, sizeof text, "%.2f %s (%lld bytes)", value, units[u],
                static_cast<long long>(bytes));
  return text;
}

int64_t check::mulSat(int64_t a, int64_t b) {
  int64_t r;
  if (a == kTooMuch || b == kTooMuch || __builtin_mul_overflow(a, b, &r))
    return a == 0 || b == 0 ? 0 : kTooMuch;
  return r;
}

int64_t check::addSat(int64_t a, int64_t b) {
  int64_t r;
  if (a == kTooMuch || b == kTooMuch || __builtin_add_overflow(a, b, &r))
    return kTooMuch;
  return r;
}
