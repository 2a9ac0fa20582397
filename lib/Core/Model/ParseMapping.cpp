//===- ParseMapping.cpp - The text of a mapping ---------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   scope  ::= step* (einsum | fuse)*
//   step   ::= `keep` MEMORY `:` TENSOR (`,` TENSOR)*
//            | `for` RANK `by` NUMBER
//            | `split` RANK `by` NUMBER `over` (MEMORY | UNIT.rows | UNIT.cols)
//   einsum ::= `einsum` NAME `on` UNIT `{` step* `}`
//   fuse   ::= `fuse` `{` scope `}`
//
// `#` starts a comment.
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Model/Mapping.h"

#include <algorithm>
#include <cctype>

namespace transfusion::core {

/// Whoever walks a mapping recurses into its scopes.
static constexpr int kMaxDepth = 64;

namespace {

struct Token {
  std::string text; ///< empty: the end
  TextPlace place;
};

std::vector<Token> tokensOf(const std::string &text) {
  std::vector<Token> tokens;
  TextPlace at{1, 1};
  auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           c == '.' || c == '-' || c == '$' || c == '%';
  };
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (text[i] == '\n') {
      ++at.line;
      at.column = 1;
      i = end;
      continue;
    }
    if (text[i] == '#') {
      end = std::min(text.find('\n', i), text.size());
    } else if (!std::isspace(static_cast<unsigned char>(text[i]))) {
      if (isWord(text[i]))
        while (end < text.size() && isWord(text[end]))
          ++end;
      tokens.push_back({text.substr(i, end - i), at});
    }
    at.column += static_cast<int32_t>(end - i);
    i = end;
  }
  tokens.push_back({"", at});
  return tokens;
}

class Parser {
public:
  Parser(const std::string &text, const Cascade &c, const Arch &a,
         MappingFault &fault)
      : tokens(tokensOf(text)), c(c), a(a), fault(fault) {}
  bool file(Mapping &m) {
    return scope(m.root, 0) && (now().text.empty() || unexpected("a scope"));
  }

private:
  const Token &now() const { return tokens[next]; }
  bool fail(const Token &at, std::string what, std::string fix) {
    fault = {at.place, std::move(what), std::move(fix)};
    return false;
  }
  bool unexpected(const std::string &wanted) {
    return fail(now(),
                "expected " + wanted + ", found " +
                    (now().text.empty() ? "the end" : "'" + now().text + "'"),
                "a line is 'keep', 'for', 'split', 'einsum' or 'fuse'");
  }
  bool take(const char *text) {
    if (now().text != text)
      return unexpected("'" + std::string(text) + "'");
    ++next;
    return true;
  }
  template <typename List, typename Id>
  bool name(const char *kind, const List &list, Id &id) {
    return find(now(), now().text, kind, list, id) && (++next, true);
  }
  template <typename List, typename Id>
  bool find(const Token &at, const std::string &name, const char *kind,
            const List &list, Id &id) {
    std::string known;
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].name == name) {
        id = static_cast<Id>(i);
        return true;
      }
      known += (known.empty() ? "" : ", ") + list[i].name;
    }
    return fail(at, "no " + std::string(kind) + " is called '" + name + "'",
                "known are " + known);
  }

  bool scope(MapScope &s, int depth);
  bool steps(MapScope &s);
  bool loop(MapStep &step);
  bool over(MapStep &step);
  bool keep(MapStep &step);

  std::vector<Token> tokens;
  size_t next = 0;
  const Cascade &c;
  const Arch &a;
  MappingFault &fault;
};

bool Parser::keep(MapStep &step) {
  if (!name("memory", a.memories, step.memory) || !take(":"))
    return false;
  do {
    TensorId t = -1;
    if (!name("tensor", c.tensors, t))
      return false;
    step.tensors.push_back(t);
  } while (now().text == "," && ++next);
  return true;
}

bool Parser::loop(MapStep &step) {
  if (!name("rank", c.ranks, step.rank) || !take("by"))
    return false;
  const std::string &text = now().text;
  step.tile = 0;
  if (!text.empty() && text.size() < 19 &&
      text.find_first_not_of("0123456789") == std::string::npos)
    step.tile = std::stoll(text);
  if (step.tile < 1)
    return fail(now(), "'" + text + "' is no size of a tile",
                "give a whole number above 0");
  ++next;
  return true;
}

bool Parser::over(MapStep &step) {
  const std::string &text = now().text;
  const size_t dot = text.rfind('.');
  const std::string dim = dot == std::string::npos ? "" : text.substr(dot + 1);
  if (dim != "rows" && dim != "cols") {
    step.kind = MapStep::SplitMemory;
    return name("memory", a.memories, step.memory);
  }
  step.kind = dim == "rows" ? MapStep::SplitRows : MapStep::SplitColumns;
  if (!find(now(), text.substr(0, dot), "unit", a.units, step.unit))
    return false;
  if (!a.units[step.unit].isGrid)
    return fail(now(), "unit '" + a.units[step.unit].name + "' is no grid",
                "lanes need no split, they take what there is");
  ++next;
  return true;
}

bool Parser::steps(MapScope &s) {
  for (;;) {
    MapStep step;
    step.place = now().place;
    const std::string &text = now().text;
    bool ok = true;
    if (text == "keep") {
      ++next;
      step.kind = MapStep::Keep;
      ok = keep(step);
    } else if (text == "for") {
      ++next;
      ok = loop(step);
    } else if (text == "split") {
      ++next;
      ok = loop(step) && take("over") && over(step);
    } else {
      return true;
    }
    if (!ok)
      return false;
    s.steps.push_back(std::move(step));
  }
}

bool Parser::scope(MapScope &s, int depth) {
  if (depth > kMaxDepth)
    return fail(now(),
                "scopes are nested more than " + std::to_string(kMaxDepth) +
                    " deep",
                "put loops that share a scope into one 'fuse'");
  if (!steps(s))
    return false;
  for (;;) {
    MapScope inner;
    inner.place = now().place;
    if (now().text == "einsum") {
      ++next;
      if (!name("Einsum", c.einsums, inner.einsum) || !take("on") ||
          !name("unit", a.units, inner.unit) || !take("{") || !steps(inner) ||
          !take("}"))
        return false;
    } else if (now().text == "fuse") {
      ++next;
      if (!take("{") || !scope(inner, depth + 1) || !take("}"))
        return false;
    } else {
      return true;
    }
    s.scopes.push_back(std::move(inner));
  }
}

} // namespace

bool parseMapping(const std::string &text, const Cascade &c, const Arch &a,
                  Mapping &mapping, MappingFault &fault) {
  mapping = {};
  return Parser(text, c, a, fault).file(mapping);
}

} // namespace transfusion::core
