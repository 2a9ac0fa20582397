//===- JsonPlace.cpp - Where a value is in a JSON text --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's parser keeps no locations. The text is known to be JSON here, so that
// brackets and strings are all there is to look at.
//
//===----------------------------------------------------------------------===//

#include "JsonPlace.h"

#include <algorithm>

using namespace transfusion;

std::string transfusion::toString(const JsonPath &path) {
  std::string text;
  for (const JsonStep &s : path) {
    if (s.key.empty())
      text += "[" + std::to_string(s.index) + "]";
    else
      text += (text.empty() ? "" : ".") + s.key;
  }
  return text.empty() ? "the file" : text;
}

namespace {

class Scanner {
public:
  explicit Scanner(llvm::StringRef text) : text(text) {}

  size_t find(const JsonPath &path) {
    size_t found = skipSpace();
    for (const JsonStep &step : path) {
      if (!enter(step))
        return found;
      found = skipSpace();
    }
    return found;
  }

private:
  size_t skipSpace() {
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    return at;
  }
  bool isAt(char c) { return at < text.size() && text[at] == c; }

  /// From before a container to before one of its values.
  bool enter(const JsonStep &step) {
    const bool isArray = step.key.empty();
    if (!isAt(isArray ? '[' : '{'))
      return false;
    ++at;
    for (size_t i = 0; at < text.size(); ++i) {
      skipSpace();
      if (isAt(']') || isAt('}'))
        return false;
      bool here = isArray && i == step.index;
      if (!isArray) {
        const size_t begin = at + 1;
        skipString();
        here = text.slice(begin, at - 1) == step.key;
        skipSpace();
        ++at; // the colon
        skipSpace();
      }
      if (here)
        return true;
      skipValue();
      skipSpace();
      if (isAt(','))
        ++at;
    }
    return false;
  }

  void skipString() {
    for (++at; at < text.size() && text[at] != '"'; ++at)
      if (text[at] == '\\')
        ++at;
    ++at;
  }

  void skipValue() {
    size_t depth = 0;
    do {
      if (isAt('"')) {
        skipString();
      } else if (isAt('[') || isAt('{')) {
        ++depth;
        ++at;
      } else if (isAt(']') || isAt('}')) {
        --depth;
        ++at;
      } else {
        at = text.find_first_of("\"[]{},", std::min(at + 1, text.size()));
        if (at == llvm::StringRef::npos)
          at = text.size();
        while (depth > 0 && isAt(','))
          ++at;
      }
      if (depth > 0)
        skipSpace();
    } while (depth > 0 && at < text.size());
  }

  llvm::StringRef text;
  size_t at = 0;
};

} // namespace

std::pair<unsigned, unsigned> transfusion::placeOf(llvm::StringRef text,
                                                   const JsonPath &path) {
  const llvm::StringRef before = text.take_front(Scanner(text).find(path));
  const size_t line = before.rfind('\n');
  return {static_cast<unsigned>(before.count('\n')) + 1,
          static_cast<unsigned>(line == llvm::StringRef::npos
                                    ? before.size() + 1
                                    : before.size() - line)};
}

size_t transfusion::nestingOf(llvm::StringRef text) {
  size_t depth = 0, deepest = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\')
          ++i;
    } else if (text[i] == '[' || text[i] == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((text[i] == ']' || text[i] == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}
