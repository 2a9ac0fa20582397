//===- SkipRules.cpp - Rules S35 and P12: steps that do not run -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// S35: nothing depends on a step that may be left out. P12: the steps that a
// plan runs are those that have points, by counting points.
//
//===----------------------------------------------------------------------===//

#include "CascadeRules.h"
#include "ScheduleRules.h"

#include "transfusion/Core/Model/Plan.h"

#include <algorithm>

using namespace transfusion::core;
using namespace transfusion::core::check;

namespace {

const char *const runAll = "run every step: leave out 'skip'";

/// More rows than this are checked at even distances.
constexpr int64_t kMaxRows = 65536;

/// The rank along which a phase recurs; -1: none or several.
RankId recurrenceOf(const View &v, const Phase &phase) {
  RankId found = -1;
  for (const Run &run : phase.runs)
    for (const Slot &slot : run.slots) {
      const Tensor &t = v.c.tensors[v.c.einsums[slot.einsum].result.tensor];
      if (t.iterativeDim < 0 || slot.finishOnly)
        continue;
      if (found >= 0 && found != t.iterativeRank)
        return -1;
      found = t.iterativeRank;
    }
  return found;
}

struct SkipChecker {
  const View &v;
  Sink &sink;
  int32_t g, p;

  const Phase &phase() const { return v.s.groups[g].phases[p]; }
  void wrong(const std::string &what, EinsumId e = -1) {
    Violation &x =
        sink.add("S35", phaseText(g, p) + " skips steps, but " + what, runAll);
    x.group = g;
    x.phase = p;
    x.einsum = e;
  }
  bool madeHere(TensorId t) const {
    const Place at = v.madeAt(t);
    return at.exists() && at.group == g && at.phase == p;
  }
  void run();
  bool slots(RankId r);
  void reads(RankId r);
};

/// What runs in the phase, and what its steps do where no point exists.
bool SkipChecker::slots(RankId r) {
  const std::string rank = quoted(v.c.ranks[r].name);
  const std::vector<Constraint> *domain = nullptr;
  for (const Run &run : phase().runs)
    for (const Slot &slot : run.slots) {
      const Einsum &e = v.c.einsums[slot.einsum];
      const Tensor &t = v.c.tensors[e.result.tensor];
      if (slot.finishOnly || v.accumulates(slot.einsum) || !e.hasRank(r)) {
        wrong(quoted(e.name) + " does not run along rank " + rank, slot.einsum);
        return false;
      }
      if (t.iterativeDim >= 0 && t.emptySteps == EmptySteps::Counts) {
        wrong("a step without points may change " + quoted(t.name) +
                  (t.whyTheyCount.empty() ? "" : ": " + t.whyTheyCount),
              slot.einsum);
        return false;
      }
      if (e.domain.empty())
        continue;
      auto within = [](const std::vector<Constraint> &xs,
                       const std::vector<Constraint> &ys) {
        for (const Constraint &x : xs)
          if (std::none_of(ys.begin(), ys.end(), [&](const Constraint &y) {
                return x.expr.constant == y.expr.constant &&
                       x.expr.terms == y.expr.terms;
              }))
            return false;
        return true;
      };
      if (domain && !(within(*domain, e.domain) && within(e.domain, *domain))) {
        wrong(quoted(e.name) + " has another domain than the Einsums before it",
              slot.einsum);
        return false;
      }
      domain = &e.domain;
    }
  if (!domain)
    wrong("none of its Einsums has a domain");
  return domain;
}

/// Only the last slices of recurrences leave; what a step without points would
/// read from outside does not count.
void SkipChecker::reads(RankId r) {
  for (const Read &read : v.reads) {
    const Place at = v.readAt(read);
    const bool here = at.exists() && at.group == g && at.phase == p;
    const Tensor &t = v.c.tensors[read.tensor];
    const std::string who =
        quoted(v.c.einsums[read.reader].name) + " reads " + quoted(t.name);
    if (madeHere(read.tensor)) {
      if (!here && read.kind != ReadKind::Last)
        wrong(who + " outside, also of steps that did not run", read.reader);
      continue;
    }
    if (!here || !usesRank(*read.access, r))
      continue;
    if (v.c.einsums[read.reader].domain.empty())
      wrong(who + " in every step", read.reader);
    for (const LinearExpr &x : *read.access)
      if (x.uses(r) && x.terms.size() > 1 && !oneToOne(v.c, {x}))
        wrong(who + " in pieces that overlap", read.reader);
  }
  for (const Run &run : phase().runs)
    for (const Slot &slot : run.slots)
      if (v.c.tensors[v.c.einsums[slot.einsum].result.tensor].isOutput)
        wrong(quoted(v.c.einsums[slot.einsum].name) +
                  " makes an output, also in steps that do not run",
              slot.einsum);
}

void SkipChecker::run() {
  if (!phase().skip)
    return;
  const RankId r = recurrenceOf(v, phase());
  if (r < 0)
    return wrong("its Einsums do not recur along one rank");
  const Cut &cut = v.cuts[g][p][r];
  if (cut.position < 0)
    return wrong("its order does not list rank " + quoted(v.c.ranks[r].name));
  if (slots(r))
    reads(r);
}

//===----------------------------------------------------------------------===//
// P12
//===----------------------------------------------------------------------===//

struct StepChecker {
  const View &v;
  const Plan &plan;
  Sink &sink;
  int32_t g, p;
  RankId steps = -1;
  const Einsum *cut = nullptr; ///< an Einsum with the phase's domain
  std::vector<RankId> ranks;   ///< of the domain
  bool neutralBefore = true;   ///< a step without points never counts

  void run();
  void row(const std::vector<Span> &box);
  bool anyPoint(std::vector<Span> box, int64_t first, int64_t last) const {
    if (first >= last)
      return false;
    box[steps] = {first, last - first};
    std::vector<Span> spans;
    for (RankId r : ranks)
      spans.push_back(box[r]);
    return countPoints(ranks, spans, cut->domain) != 0;
  }
  /// A constraint that fails in the whole box: no point, for certain.
  bool surelyNone(std::vector<Span> box, int64_t step) const {
    box[steps] = {step, 1};
    for (const Constraint &k : cut->domain) {
      __int128 most = k.expr.constant;
      for (const auto &[r, c] : k.expr.terms)
        most += __int128(c) *
                (c > 0 ? box[r].begin + box[r].extent - 1 : box[r].begin);
      if (most < 0)
        return true;
    }
    return false;
  }
  void wrong(const std::vector<Span> &box, const std::string &what) {
    std::string where;
    for (RankId r : ranks)
      if (r != steps && box[r].extent < v.c.ranks[r].extent)
        where += ", " + v.c.ranks[r].name + " in [" + num(box[r].begin) + ", " +
                 num(box[r].begin + box[r].extent) + ")";
    Violation &x = sink.add("P12", phaseText(g, p) + where + " " + what,
                            "make the plan anew from the schedule");
    x.group = g;
    x.phase = p;
  }
};

void StepChecker::row(const std::vector<Span> &box) {
  const int64_t extent = v.c.ranks[steps].extent;
  const StepRun run = runOf(plan.groups[g].phases[p].active, box);
  const std::string name = v.c.ranks[steps].name;
  if (run.first < 0 || run.last > extent || run.steps() == 0)
    return wrong(box, "runs steps [" + num(run.first) + ", " + num(run.last) +
                          ") of " + num(extent) + " of rank " + quoted(name));
  if (anyPoint(box, 0, run.first) || anyPoint(box, run.last, extent))
    return wrong(box, "runs steps [" + num(run.first) + ", " + num(run.last) +
                          ") of rank " + quoted(name) +
                          " only, but others have points");
  // Steps before the first with points run where they are not neutral.
  for (int64_t step : {neutralBefore ? run.first : run.last - 1, run.last - 1})
    if (run.steps() > 1 && surelyNone(box, step))
      return wrong(box, "runs step " + num(step) + " of rank " + quoted(name) +
                            ", which has no points");
}

void StepChecker::run() {
  const Phase &phase = v.s.groups[g].phases[p];
  if (!phase.skip) {
    if (plan.groups[g].phases[p].active.skips())
      sink.add("P12",
               phaseText(g, p) + " of the plan skips steps, but the "
                                 "schedule does not",
               "make the plan anew from the schedule");
    return;
  }
  steps = recurrenceOf(v, phase);
  for (const Run &run : phase.runs)
    for (const Slot &slot : run.slots) {
      const Einsum &e = v.c.einsums[slot.einsum];
      if (!e.domain.empty())
        cut = &e;
      const Tensor &t = v.c.tensors[e.result.tensor];
      neutralBefore &=
          t.iterativeDim < 0 || t.emptySteps == EmptySteps::Neutral;
    }
  if (!cut || steps < 0 || plan.groups[g].phases[p].active.rank != steps) {
    sink.add("P12", phaseText(g, p) + " of the plan skips nothing",
             "make the plan anew from the schedule");
    return;
  }
  ranks.assign(1, steps);
  for (const Constraint &k : cut->domain)
    for (const auto &t : k.expr.terms)
      if (std::find(ranks.begin(), ranks.end(), t.first) == ranks.end())
        ranks.push_back(t.first);
  // Rows: the inner tiles of all outer tiles, of the ranks that are cut.
  std::vector<Span> box = wholeSpans(v.c);
  std::vector<RankId> rows;
  std::vector<std::vector<Span>> pieces;
  int64_t total = 1;
  for (RankId r : ranks) {
    const Cut &sizes = v.cuts[g][p][r];
    const int64_t extent = v.c.ranks[r].extent;
    if (r == steps || sizes.inner >= extent)
      continue;
    rows.push_back(r);
    pieces.emplace_back();
    for (int64_t tile = 0; tile < extent; tile += sizes.tile)
      for (int64_t at = tile; at < std::min(tile + sizes.tile, extent);
           at += sizes.inner)
        pieces.back().push_back(
            {at, std::min({sizes.inner, tile + sizes.tile - at, extent - at})});
    total = mulSat(total, static_cast<int64_t>(pieces.back().size()));
  }
  const int64_t stride = std::max<int64_t>(1, total / kMaxRows);
  for (int64_t n = 0; n < total && sink.empty(); n += stride) {
    int64_t rest = n;
    for (size_t i = rows.size(); i-- > 0;) {
      const int64_t count = static_cast<int64_t>(pieces[i].size());
      box[rows[i]] = pieces[i][rest % count];
      rest /= count;
    }
    row(box);
  }
}

} // namespace

void check::checkSkips(const View &v, Sink &sink) {
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g)
    for (int32_t p = 0; p < static_cast<int32_t>(v.s.groups[g].phases.size());
         ++p)
      SkipChecker{v, sink, g, p}.run();
}

void check::checkActiveSteps(const View &v, const Plan &plan, Sink &sink) {
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g)
    for (int32_t p = 0; p < static_cast<int32_t>(v.s.groups[g].phases.size());
         ++p)
      StepChecker{v, plan, sink, g, p, -1, nullptr, {}, true}.run();
}
