//===- CheckCascade.cpp - Rules C01 to C11: one Einsum at a time ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CascadeRules.h"
#include "Reads.h"

#include <algorithm>

using namespace transfusion::core;
using namespace transfusion::core::check;

namespace {

constexpr int64_t kLargest = int64_t{1} << 60;

struct CascadeChecker {
  const Cascade &c;
  Sink sink;

  bool rank(RankId r) const {
    return r >= 0 && r < static_cast<int64_t>(c.ranks.size());
  }
  bool tensor(TensorId t) const {
    return t >= 0 && t < static_cast<int64_t>(c.tensors.size());
  }
  bool einsum(EinsumId e) const {
    return e >= 0 && e < static_cast<int64_t>(c.einsums.size());
  }

  void ids();
  void names();
  void sizes();
  void producers();
  void operand(EinsumId e, const Operand &o, const char *role,
               const std::vector<RankId> &allowed);
  void ranksOf(EinsumId e);
  void reduction(EinsumId e);
  void operations(EinsumId e);

private:
  void expression(const LinearExpr &x, EinsumId e, const char *role);
  Violation &at(EinsumId e, const char *rule, const std::string &what,
                const std::string &fix) {
    Violation &v = sink.add(rule, quoted(c.einsums[e].name) + " " + what, fix);
    v.einsum = e;
    return v;
  }
};

void CascadeChecker::expression(const LinearExpr &x, EinsumId e,
                                const char *role) {
  // Sums of such terms cannot leave 128 bits, whatever the extents.
  auto large = [](int64_t n) { return n > kLargest || n < -kLargest; };
  bool tooLarge = large(x.constant);
  for (const auto &term : x.terms)
    tooLarge |= large(term.second);
  if (tooLarge)
    at(e, "C12",
       std::string("has an access of its ") + role +
           " with a coefficient beyond 2^60",
       "use smaller coefficients");
  for (size_t i = 0; i < x.terms.size(); ++i) {
    if (!rank(x.terms[i].first))
      at(e, "C01",
         std::string("has an access of its ") + role + " by rank " +
             num(x.terms[i].first) + ", which does not exist",
         "use a rank of the cascade");
    if (x.terms[i].second == 0 ||
        (i && x.terms[i - 1].first >= x.terms[i].first))
      at(e, "C01",
         std::string("has an access of its ") + role +
             " whose terms are not sorted by rank or hold a zero",
         "sort the terms, add equal ranks, leave zeros out");
  }
}

/// C01: everything that is indexed later exists.
void CascadeChecker::ids() {
  if (c.einsums.empty())
    sink.add("C01", "cascade " + quoted(c.name) + " has no Einsum",
             "give it at least one");
  for (const Tensor &t : c.tensors) {
    bool iterative = t.iterativeDim >= 0 || t.iterativeRank >= 0;
    if (iterative && (t.iterativeDim < 0 || !rank(t.iterativeRank) ||
                      t.iterativeDim >= static_cast<int64_t>(t.shape.size())))
      sink.add("C01",
               "tensor " + quoted(t.name) +
                   " has an iterative dimension that does not exist",
               "name a dimension of the tensor and a rank of the cascade");
    if (t.producer != -1 && !einsum(t.producer))
      sink.add("C01",
               "tensor " + quoted(t.name) +
                   " has a producer that does not exist",
               "name an Einsum of the cascade, or none for an input");
  }
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    const Einsum &x = c.einsums[e];
    for (RankId r : x.ranks)
      if (!rank(r))
        at(e, "C01", "iterates rank " + num(r) + ", which does not exist",
           "use a rank of the cascade");
    auto visit = [&](const Operand &o, const char *role) {
      if (!tensor(o.tensor)) {
        at(e, "C01", std::string("has a ") + role + " that does not exist",
           "use a tensor of the cascade");
        return;
      }
      for (const LinearExpr &dim : o.access)
        expression(dim, e, role);
      const Tensor &t = c.tensors[o.tensor];
      if (o.access.size() != t.shape.size())
        at(e, "C01",
           std::string("has a ") + role + " " + quoted(t.name) + " of " +
               num(t.shape.size()) + " dimensions, but " +
               num(o.access.size()) + " expressions for it",
           "give one expression per dimension");
    };
    for (const Operand &o : x.inputs)
      visit(o, "map operand");
    for (const Operand &o : x.finishInputs)
      visit(o, "finish operand");
    visit(x.result, "result");
    if (x.base != -1 && !tensor(x.base))
      at(e, "C01", "extends a tensor that does not exist",
         "use a tensor of the cascade");
    for (const Constraint &d : x.domain)
      expression(d.expr, e, "domain");
  }
}

/// C02
void CascadeChecker::names() {
  auto unique = [&](const char *kind, auto begin, auto end) {
    std::vector<std::string> names;
    for (auto it = begin; it != end; ++it)
      names.push_back(it->name);
    std::sort(names.begin(), names.end());
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i].empty())
        sink.add("C02", std::string("a ") + kind + " has no name",
                 "give it a name");
      else if (i && names[i] == names[i - 1])
        sink.add("C02",
                 std::string("the name of ") + kind + " " + quoted(names[i]) +
                     " is used twice",
                 "give each its own name");
    }
  };
  unique("rank", c.ranks.begin(), c.ranks.end());
  unique("tensor", c.tensors.begin(), c.tensors.end());
  unique("Einsum", c.einsums.begin(), c.einsums.end());
}

/// C03, C04
void CascadeChecker::sizes() {
  for (const Rank &r : c.ranks)
    if (r.extent <= 0 || r.extent == INT64_MAX)
      sink.add("C03", "rank " + quoted(r.name) + " has extent " + num(r.extent),
               "give an extent above 0 and below 2^63 - 1");
  for (const Tensor &t : c.tensors) {
    int64_t bits = t.bitsPerValue;
    for (int64_t d : t.shape) {
      if (d <= 0)
        sink.add("C04",
                 "tensor " + quoted(t.name) + " has a dimension of " + num(d),
                 "give dimensions above 0");
      bits = mulSat(bits, std::max<int64_t>(d, 0));
    }
    if (t.bitsPerValue > 64)
      sink.add("C04",
               "tensor " + quoted(t.name) + " has values of " +
                   num(t.bitsPerValue) + " bits, at most 64 are supported",
               "give it a type of at most 64 bits");
    else if (t.bitsPerValue <= 0)
      sink.add("C04",
               "tensor " + quoted(t.name) + " has values of " +
                   num(t.bitsPerValue) + " bits",
               "give values of at least one bit");
    else if (bits == kTooMuch)
      sink.add("C12", "tensor " + quoted(t.name) + " has more than 2^63 bits",
               "use smaller dimensions");
    if (t.iterativeDim < 0)
      continue;
    const Rank &r = c.ranks[t.iterativeRank];
    if (!r.iterative)
      sink.add("C04",
               "tensor " + quoted(t.name) + " is a recurrence along " +
                   quoted(r.name) + ", which is not iterative",
               "make the rank iterative");
    else if (t.shape[t.iterativeDim] != r.extent + 1)
      sink.add("C04",
               "tensor " + quoted(t.name) + " has " +
                   num(t.shape[t.iterativeDim]) + " slices along " +
                   quoted(r.name) + " of extent " + num(r.extent),
               "give it " + num(r.extent + 1) + " slices");
  }
}

/// C05
void CascadeChecker::producers() {
  std::vector<int> made(c.tensors.size());
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    TensorId t = c.einsums[e].result.tensor;
    if (++made[t] > 1)
      at(e, "C05",
         "makes " + quoted(c.tensors[t].name) +
             ", which another Einsum makes too",
         "give each Einsum a result of its own");
    else if (c.tensors[t].isInput)
      at(e, "C05", "makes " + quoted(c.tensors[t].name) + ", which is an input",
         "give it a result of its own");
    else if (c.tensors[t].producer != e)
      at(e, "C05",
         "makes " + quoted(c.tensors[t].name) +
             ", which names another producer",
         "let the tensor name the Einsum that makes it");
  }
  for (size_t t = 0; t < c.tensors.size(); ++t)
    if (!made[t] && !c.tensors[t].isInput)
      sink.add("C05", "nobody makes tensor " + quoted(c.tensors[t].name),
               "make it an input, or add the Einsum that makes it");
    else if (!made[t] && c.tensors[t].producer != -1)
      sink.add("C05",
               "input " + quoted(c.tensors[t].name) +
                   " names a producer that does not make it",
               "leave the producer of an input out");
}

/// C07, C08
void CascadeChecker::operand(EinsumId e, const Operand &o, const char *role,
                             const std::vector<RankId> &allowed) {
  const Tensor &t = c.tensors[o.tensor];
  for (const LinearExpr &dim : o.access)
    for (const auto &term : dim.terms)
      if (std::find(allowed.begin(), allowed.end(), term.first) ==
          allowed.end())
        at(e, "C07",
           "accesses its " + std::string(role) + " " + quoted(t.name) +
               " by rank " + quoted(c.ranks[term.first].name) +
               ", which it does not iterate there",
           "add the rank to the Einsum, or access by another");
  for (size_t d = 0; d < o.access.size(); ++d) {
    Interval range = rangeInDomain(c, c.einsums[e], o.access[d]);
    if (range.lo >= 0 && range.hi < t.shape[d])
      continue;
    auto text = [](__int128 x) {
      return x > INT64_MAX   ? std::string("beyond 2^63")
             : x < INT64_MIN ? std::string("below -2^63")
                             : num(static_cast<int64_t>(x));
    };
    Violation &v =
        at(e, "C08",
           "accesses dimension " + num(static_cast<int64_t>(d)) + " of its " +
               role + " " + quoted(t.name) + " from " + text(range.lo) +
               " to " + text(range.hi) + ", but it has " + num(t.shape[d]),
           "enlarge the tensor, or cut the points off by a domain constraint");
    v.bound = t.shape[d];
  }
}

/// C06, C09
void CascadeChecker::ranksOf(EinsumId e) {
  const Einsum &x = c.einsums[e];
  for (size_t i = 0; i < x.ranks.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (x.ranks[i] == x.ranks[j])
        at(e, "C06",
           "iterates rank " + quoted(c.ranks[x.ranks[i]].name) + " twice",
           "list each rank once");
  std::vector<RankId> ofResult;
  for (RankId r : x.ranks)
    for (const LinearExpr &dim : x.result.access)
      if (dim.uses(r)) {
        ofResult.push_back(r);
        break;
      }
  for (size_t i = 0; i < ofResult.size(); ++i)
    if (x.ranks[i] != ofResult[i]) {
      at(e, "C06", "iterates a reduced rank before a rank of its result",
         "list the ranks of the result first");
      break;
    }
  for (const Operand &o : x.inputs)
    operand(e, o, "map operand", x.ranks);
  for (const Operand &o : x.finishInputs)
    operand(e, o, "finish operand", ofResult);
  operand(e, x.result, "result", x.ranks);
  for (const Constraint &d : x.domain)
    for (const auto &term : d.expr.terms)
      if (!x.hasRank(term.first))
        at(e, "C07",
           "restricts rank " + quoted(c.ranks[term.first].name) +
               ", which it does not iterate",
           "restrict ranks of the Einsum only");
  if (!oneToOne(c, x.result.access))
    at(e, "C09",
       "writes a point of " + quoted(c.tensors[x.result.tensor].name) +
           " more than once",
       "give each dimension of the result ranks whose strides do not overlap");
}

/// C10
void CascadeChecker::reduction(EinsumId e) {
  const Einsum &x = c.einsums[e];
  for (RankId r : x.ranks) {
    bool inResult = false;
    for (const LinearExpr &dim : x.result.access)
      inResult |= dim.uses(r);
    if (!inResult && x.reduce == ReduceKind::None) {
      at(e, "C10",
         "has no reduction, but its result lacks rank " +
             quoted(c.ranks[r].name),
         "give a reduction, or add the rank to the result");
      return;
    }
  }
}

/// C11: nothing is costed at zero.
void CascadeChecker::operations(EinsumId e) {
  const Einsum &x = c.einsums[e];
  for (int k = 0; k < kNumOpClasses; ++k)
    if (x.pointOps.count[k] < 0 || x.finishOps.count[k] < 0) {
      at(e, "C11",
         std::string("has a negative number of operations of class ") +
             quoted(opClassName(OpClass(k))),
         "count operations from 0");
      return;
    }
  if (x.pointOps.empty() && x.finishOps.empty())
    at(e, "C11", "has no operations, so it would cost nothing",
       "count its operations; a value that is only moved is one copy");
  if (!x.hasFinish && (!x.finishOps.empty() || !x.finishInputs.empty()))
    at(e, "C11", "has operations or operands of a finish that it lacks",
       "say that it has a finish");
}

} // namespace

std::vector<Violation> transfusion::core::checkCascade(const Cascade &c) {
  CascadeChecker checker{c, {}};
  // Each step may index what the one before has shown to exist.
  checker.ids();
  if (!checker.sink.empty())
    return std::move(checker.sink.found);
  checker.names();
  checker.sizes();
  checker.producers();
  if (!checker.sink.empty())
    return std::move(checker.sink.found);
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    checker.ranksOf(e);
    checker.reduction(e);
    checker.operations(e);
  }
  if (checker.sink.empty()) {
    checkPointCounts(c, checker.sink);
    checkRecurrences(c, checker.sink);
    checkBases(c, checker.sink);
  }
  if (checker.sink.empty()) {
    checkDefined(c, checker.sink);
  }
  return std::move(checker.sink.found);
}
