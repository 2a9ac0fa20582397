//===- Structure.cpp - What an Einsum's ranks are for ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/Structure.h"

#include <algorithm>
#include <tuple>

namespace transfusion::core {

static bool isExactly(const LinearExpr &x, RankId r) {
  return x.terms.size() == 1 && x.terms[0].first == r &&
         x.terms[0].second == 1 && x.constant == 0;
}

/// `r` is iterative, or stands beside an iterative rank in one coordinate.
static bool isPartOfIterative(const Cascade &c, const Access &a, RankId r) {
  for (const LinearExpr &x : a) {
    bool named = false, iterative = false;
    for (const auto &t : x.terms) {
      named |= t.first == r;
      iterative |= c.ranks[t.first].iterative;
    }
    if (named && iterative)
      return true;
  }
  return false;
}

int32_t resultDim(const Einsum &e, RankId r) {
  for (size_t d = 0; d < e.result.access.size(); ++d)
    if (isExactly(e.result.access[d], r))
      return static_cast<int32_t>(d);
  return -1;
}

bool readsSliceBySlice(const Cascade &c, EinsumId producer, EinsumId reader,
                       RankId r) {
  const Einsum &p = c.einsums[producer], &e = c.einsums[reader];
  int32_t dim = resultDim(p, r);
  if (dim < 0)
    return false;
  auto fine = [&](const Operand &o) {
    return o.tensor != p.result.tensor || isExactly(o.access[dim], r);
  };
  return std::all_of(e.inputs.begin(), e.inputs.end(), fine) &&
         std::all_of(e.finishInputs.begin(), e.finishInputs.end(), fine);
}

namespace {

class Analysis {
public:
  explicit Analysis(const Cascade &c) : c(c) {}
  Structure run();

private:
  std::vector<RankId> rowCandidates(EinsumId e, size_t operand) const;
  void chooseActivation(EinsumId e);
  bool inheritRow(EinsumId e);
  void agreeOnRows(RankId iterative);
  RankId last(const std::vector<RankId> &among, const Access &a) const;

  const Cascade &c;
  Structure s;
  std::vector<std::vector<EinsumId>> readersOf;
  std::vector<bool> everReduced; ///< by RankId
};

} // namespace

/// The one that stands in the last dimension: layouts put batches first.
RankId Analysis::last(const std::vector<RankId> &among, const Access &a) const {
  for (size_t d = a.size(); d-- > 0;)
    for (const auto &t : a[d].terms)
      if (has(among, t.first))
        return t.first;
  return among.empty() ? -1 : among.back();
}

/// Ranks of the operand that the result keeps and that another operand lacks.
/// The inner part of an iterative rank (m0 of m1*256+m0) is none: its rows
/// would not be the same from one step to the next.
std::vector<RankId> Analysis::rowCandidates(EinsumId e, size_t operand) const {
  const Einsum &einsum = c.einsums[e];
  const Access &access = einsum.inputs[operand].access;
  std::vector<RankId> all, notBatch;
  for (RankId r : accessRanks(access)) {
    if (resultDim(einsum, r) < 0 || isPartOfIterative(c, access, r))
      continue;
    bool lacking = false;
    for (const Operand &o : einsum.inputs)
      lacking |= !has(accessRanks(o.access), r);
    if (!lacking)
      continue;
    all.push_back(r);
    if (!s.batchLike[r])
      notBatch.push_back(r);
  }
  return notBatch.empty() ? all : notBatch;
}

/// What was computed streams past what was given; what many read streams past
/// what one reads; rows survive to the end; else the first operand.
void Analysis::chooseActivation(EinsumId e) {
  const Einsum &einsum = c.einsums[e];
  using Score = std::tuple<bool, bool, size_t, bool>;
  Score best;
  std::vector<RankId> bestRanks;
  for (size_t i = 0; i < einsum.inputs.size(); ++i) {
    const Tensor &t = c.tensors[einsum.inputs[i].tensor];
    std::vector<RankId> ranks = rowCandidates(e, i);
    bool survives = false;
    for (RankId r : ranks)
      survives |= !everReduced[r];
    Score score = {!ranks.empty(), t.producer >= 0,
                   readersOf[einsum.inputs[i].tensor].size(), survives};
    if (s.activation[e] < 0 || score > best) {
      best = score;
      bestRanks = ranks;
      s.activation[e] = static_cast<int32_t>(i);
    }
  }
  if (bestRanks.empty())
    return;
  const Operand &o = einsum.inputs[s.activation[e]];
  EinsumId producer = c.tensors[o.tensor].producer;
  RankId inherited = producer < 0 ? -1 : s.row[producer];
  s.row[e] = has(bestRanks, inherited) ? inherited : last(bestRanks, o.access);
}

/// From what it reads, or else from who reads it.
bool Analysis::inheritRow(EinsumId e) {
  const Einsum &einsum = c.einsums[e];
  auto from = [&](EinsumId other) {
    if (other < 0 || other == e || s.row[e] >= 0 || s.row[other] < 0 ||
        resultDim(einsum, s.row[other]) < 0)
      return;
    s.row[e] = s.row[other];
  };
  for (const Operand &o : einsum.inputs)
    from(c.tensors[o.tensor].producer);
  for (const Operand &o : einsum.finishInputs)
    from(c.tensors[o.tensor].producer);
  if (s.row[e] < 0) {
    std::vector<EinsumId> users = readersOf[einsum.result.tensor];
    std::sort(users.begin(), users.end(), [&](EinsumId x, EinsumId y) {
      return s.position[x] < s.position[y];
    });
    for (EinsumId user : users)
      from(user);
  }
  return s.row[e] >= 0;
}

/// A recurrence is never parted, so its Einsums have one row rank. Where some
/// have chosen what others do not keep (one query: the features of the values
/// would be rows), it is the last rank that all of them keep.
void Analysis::agreeOnRows(RankId iterative) {
  std::vector<EinsumId> members;
  for (EinsumId e : s.order)
    if (c.einsums[e].hasRank(iterative))
      members.push_back(e);
  auto kept = [&](RankId r) {
    return std::all_of(members.begin(), members.end(), [&](EinsumId e) {
      return resultDim(c.einsums[e], r) >= 0;
    });
  };
  RankId row = -1;
  bool agreed = true;
  for (EinsumId e : members) {
    if (s.row[e] < 0)
      continue;
    agreed &= kept(s.row[e]) && (row < 0 || row == s.row[e]);
    row = s.row[e];
  }
  if (agreed)
    return;
  row = -1;
  for (RankId r : c.einsums[members.front()].ranks)
    if (!c.ranks[r].iterative && kept(r))
      row = r;
  for (EinsumId e : s.order)
    if (has(members, e))
      s.row[e] = row;
    else if (!s.contraction[e])
      s.row[e] = -1; // it may have followed one of them
}

Structure Analysis::run() {
  size_t n = c.einsums.size();
  s.order = canonicalOrder(c);
  s.position.assign(n, 0);
  for (size_t i = 0; i < n; ++i)
    s.position[s.order[i]] = static_cast<int32_t>(i);
  s.row.assign(n, -1);
  s.activation.assign(n, -1);
  s.contraction.assign(n, false);
  s.batchLike.assign(c.ranks.size(), false);
  s.dependences = dependences(c);
  readersOf = readers(c);
  everReduced.assign(c.ranks.size(), false);
  for (EinsumId e : s.order) {
    const Einsum &einsum = c.einsums[e];
    std::vector<RankId> reduced = reducedRanks(c, e);
    for (RankId r : reduced) {
      everReduced[r] = true;
      int operands = 0;
      for (const Operand &o : einsum.inputs)
        operands += has(accessRanks(o.access), r);
      s.contraction[e] = s.contraction[e] || operands >= 2;
    }
    if (!s.contraction[e])
      continue;
    for (RankId r : einsum.ranks) {
      bool everywhere = !c.ranks[r].iterative && !has(reduced, r);
      for (const Operand &o : einsum.inputs)
        everywhere &= has(accessRanks(o.access), r);
      if (everywhere)
        s.batchLike[r] = true;
    }
  }
  // Contractions know their rows; the others follow their neighbours.
  for (EinsumId e : s.order)
    if (s.contraction[e])
      chooseActivation(e);
    else
      inheritRow(e);
  for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r)
    if (c.ranks[r].iterative)
      agreeOnRows(r);
  for (size_t round = 0; round <= n; ++round) {
    bool changed = false;
    for (EinsumId e : s.order)
      if (s.row[e] < 0 && inheritRow(e))
        changed = true;
    if (changed)
      continue;
    // A component without contractions: the last rank that a reduction keeps,
    // or the last but one of what is only mapped.
    EinsumId seed = -1;
    for (EinsumId e : s.order)
      if (s.row[e] < 0 && !accessRanks(c.einsums[e].result.access).empty() &&
          (seed < 0 ||
           (reducedRanks(c, seed).empty() && !reducedRanks(c, e).empty())))
        seed = e;
    if (seed < 0)
      break;
    const Einsum &einsum = c.einsums[seed];
    std::vector<RankId> kept;
    for (const LinearExpr &x : einsum.result.access)
      for (const auto &t : x.terms)
        if (resultDim(einsum, t.first) >= 0 && !c.ranks[t.first].iterative)
          kept.push_back(t.first);
    if (reducedRanks(c, seed).empty() && kept.size() > 1)
      kept.pop_back();
    if (kept.empty())
      break;
    s.row[seed] = kept.back();
  }
  return s;
}

Structure analyse(const Cascade &c) { return Analysis(c).run(); }

} // namespace transfusion::core
