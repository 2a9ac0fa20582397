//===- DPipe.cpp - Groups, phases and pipelines ---------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A complete schedule: the groups of the fixed rule. Where one does not fit
// even with the smallest epochs, they are formed for a smaller buffer.
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/DPipe.h"

#include "ChooseResidents.h"
#include "GroupBuilder.h"
#include "SkipSteps.h"

#include "transfusion/Core/Search/Feasible.h"
#include "transfusion/Core/Search/PhaseShape.h"

namespace transfusion::core {

namespace {

class Builder {
public:
  Builder(const Cascade &c, const Arch &a, const Arch &cutFor, Policy policy)
      : c(c), a(a), cutFor(cutFor), policy(policy), solver(c, a, policy),
        builder(c, a, cutFor, solver) {}
  DPipeResult run();

private:
  bool tryWithin(int64_t epochBytes, EpochSize size, DPipeResult &result);

  const Cascade &c;
  const Arch &a, &cutFor;
  const Policy policy;
  SlotSolver solver;
  GroupBuilder builder;
};

} // namespace

bool Builder::tryWithin(int64_t epochBytes, EpochSize size,
                        DPipeResult &result) {
  const std::vector<GroupMembers> members =
      policyGroups(policy, c, cutFor, solver.analysis(), epochBytes, size);
  Schedule schedule;
  for (const GroupMembers &m : members)
    schedule.groups.push_back(builder.build(m));
  for (size_t g = 0; g < members.size(); ++g) {
    std::optional<Violation> v =
        builder.fit(schedule, static_cast<int32_t>(g), members[g]);
    if (!v)
      continue;
    // Of several limits, the one that lacks least is said.
    if (result.infeasible.empty() ||
        (v->demand > 0 && v->demand < result.infeasible.front().demand))
      result.infeasible = {*v};
    return false;
  }
  chooseSkips(c, a, schedule);
  if (!memoriesBetween(a).empty()) {
    Evaluator evaluator(c, a);
    chooseResidents(c, a, schedule, evaluator, Objective::Latency);
  }
  result.schedule = std::move(schedule);
  result.infeasible.clear();
  return true;
}

DPipeResult Builder::run() {
  DPipeResult result;
  result.infeasible = unsupportedEinsums(c, a);
  if (!result.infeasible.empty())
    return result;
  // Each smaller limit splits phases whose epochs held too much.
  for (int64_t bytes = unitMemoryBytes(a); bytes > 0; bytes /= 2)
    for (EpochSize size : {EpochSize::Default, EpochSize::Smallest})
      if (tryWithin(bytes, size, result))
        return result;
  return result;
}

DPipeResult dpipe(const Cascade &c, const Arch &a, Policy policy) {
  if (c.einsums.empty() || a.units.empty() || a.memories.size() < 2)
    return {}; // what is wrong is for checkCascade and checkArch to say
  DPipeResult result = Builder(c, a, a, policy).run();
  if (gridOf(a).instances == 1)
    return result;
  // Epochs for every instance ask for more of the buffer than those for one,
  // which may leave less of it for what is worth more.
  Arch one = a;
  for (Unit &u : one.units)
    u.instances = 1;
  DPipeResult smaller = Builder(c, a, one, policy).run();
  if (!smaller.infeasible.empty())
    return result;
  return result.infeasible.empty() &&
                 evaluate(c, a, result.schedule).latencyCycles <=
                     evaluate(c, a, smaller.schedule).latencyCycles
             ? result
             : smaller;
}

} // namespace transfusion::core
