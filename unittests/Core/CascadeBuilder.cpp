//===- CascadeBuilder.cpp - Cascades from text, for tests -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCascades.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace transfusion::core::test {

RankId CascadeBuilder::rank(const std::string &name, int64_t extent,
                            bool iterative) {
  c.ranks.push_back({name, extent, iterative});
  return static_cast<RankId>(c.ranks.size()) - 1;
}

RankId CascadeBuilder::rankId(const std::string &name) const {
  return test::rankId(c, name);
}

TensorId CascadeBuilder::tensorId(const std::string &name) {
  for (size_t i = 0; i < c.tensors.size(); ++i)
    if (c.tensors[i].name == name)
      return static_cast<TensorId>(i);
  // Named before it is defined: a recurrence.
  c.tensors.push_back({});
  c.tensors.back().name = name;
  return static_cast<TensorId>(c.tensors.size()) - 1;
}

TensorId CascadeBuilder::input(const std::string &name,
                               std::vector<int64_t> shape, int32_t bits) {
  TensorId t = tensorId(name);
  c.tensors[t].shape = std::move(shape);
  c.tensors[t].bitsPerValue = bits;
  c.tensors[t].isInput = true;
  return t;
}

LinearExpr CascadeBuilder::parseExpr(const std::string &text) const {
  LinearExpr expr;
  std::map<RankId, int64_t> terms;
  for (size_t i = 0; i < text.size();) {
    int64_t sign = 1;
    if (text[i] == '+' || text[i] == '-')
      sign = text[i++] == '-' ? -1 : 1;
    size_t end = std::min(text.find('+', i), text.find('-', i));
    std::string term = text.substr(i, end == std::string::npos ? end : end - i);
    i = end == std::string::npos ? text.size() : end;
    size_t star = term.find('*');
    if (star != std::string::npos)
      terms[rankId(term.substr(0, star))] +=
          sign * std::stoll(term.substr(star + 1));
    else if (std::isdigit(static_cast<unsigned char>(term[0])))
      expr.constant += sign * std::stoll(term);
    else
      terms[rankId(term)] += sign;
  }
  for (const auto &t : terms)
    if (t.second)
      expr.terms.push_back(t);
  return expr;
}

Operand CascadeBuilder::parseOperand(const std::string &text) {
  Operand o;
  size_t open = text.find('[');
  o.tensor = tensorId(text.substr(0, open));
  if (open == std::string::npos)
    return o;
  std::string inside = text.substr(open + 1, text.size() - open - 2);
  for (size_t i = 0; i < inside.size();) {
    size_t comma = std::min(inside.find(',', i), inside.size());
    o.access.push_back(parseExpr(inside.substr(i, comma - i)));
    i = comma + 1;
  }
  return o;
}

EinsumId CascadeBuilder::einsum(const std::string &result,
                                const std::vector<std::string> &inputs,
                                ReduceKind reduce, Ops pointOps, int32_t bits) {
  Einsum e;
  e.result = parseOperand(result);
  e.reduce = reduce;
  for (const auto &op : pointOps)
    e.pointOps[op.first] += op.second;
  auto addRanks = [&](const Access &access) {
    for (const LinearExpr &x : access)
      for (const auto &t : x.terms)
        if (!e.hasRank(t.first))
          e.ranks.push_back(t.first);
  };
  addRanks(e.result.access);
  for (const std::string &text : inputs) {
    e.inputs.push_back(parseOperand(text));
    addRanks(e.inputs.back().access);
  }
  EinsumId id = static_cast<EinsumId>(c.einsums.size());
  Tensor &t = c.tensors[e.result.tensor];
  e.name = t.name;
  t.bitsPerValue = bits;
  t.producer = id;
  for (size_t d = 0; d < e.result.access.size(); ++d) {
    const LinearExpr &x = e.result.access[d];
    int64_t last = x.constant;
    for (const auto &term : x.terms) {
      last += term.second * (c.ranks[term.first].extent - 1);
      if (c.ranks[term.first].iterative && x.constant == 1) {
        t.iterativeDim = static_cast<int32_t>(d);
        t.iterativeRank = term.first;
      }
    }
    t.shape.push_back(last + 1);
  }
  c.einsums.push_back(std::move(e));
  return id;
}

void CascadeBuilder::finish(EinsumId e, Ops ops,
                            const std::vector<std::string> &inputs) {
  Einsum &einsum = c.einsums[e];
  einsum.hasFinish = true;
  for (const auto &op : ops)
    einsum.finishOps[op.first] += op.second;
  for (const std::string &text : inputs)
    einsum.finishInputs.push_back(parseOperand(text));
}

void CascadeBuilder::domain(EinsumId e, const std::string &expr) {
  c.einsums[e].domain.push_back({parseExpr(expr)});
}

void CascadeBuilder::output(const std::string &tensor) {
  c.tensors[tensorId(tensor)].isOutput = true;
}

void CascadeBuilder::emptySteps(const std::string &tensor, EmptySteps empty) {
  c.tensors[tensorId(tensor)].emptySteps = empty;
}

Cascade CascadeBuilder::take() { return std::move(c); }

EinsumId einsumId(const Cascade &c, const std::string &name) {
  for (size_t i = 0; i < c.einsums.size(); ++i)
    if (c.einsums[i].name == name)
      return static_cast<EinsumId>(i);
  return -1;
}

RankId rankId(const Cascade &c, const std::string &name) {
  for (size_t i = 0; i < c.ranks.size(); ++i)
    if (c.ranks[i].name == name)
      return static_cast<RankId>(i);
  return -1;
}

TensorId tensorId(const Cascade &c, const std::string &name) {
  for (size_t i = 0; i < c.tensors.size(); ++i)
    if (c.tensors[i].name == name)
      return static_cast<TensorId>(i);
  return -1;
}

} // namespace transfusion::core::test
