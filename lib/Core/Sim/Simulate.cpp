//===- Simulate.cpp - Runs a schedule file event by event -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Sim/Simulate.h"

#include "GroupRun.h"

#include <algorithm>

namespace transfusion::core::sim {

const char *stallName(Stall s) {
  switch (s) {
  case Stall::Data:
    return "data";
  case Stall::Recurrence:
    return "recurrence";
  case Stall::Load:
    return "load";
  case Stall::Port:
    return "port";
  case Stall::Buffer:
    return "buffer";
  case Stall::Store:
    return "store";
  case Stall::FillDrain:
    return "fill_drain";
  case Stall::Idle:
    return "idle";
  }
  return "";
}

namespace {

class Simulator {
public:
  Simulator(const Program &p, const SimOptions &options)
      : p(p), options(options), ledger(p, countEntries(p)),
        firstStart(countEntries(p), -1) {}
  SimReport run();

private:
  static size_t countEntries(const Program &p) {
    size_t n = 0;
    for (const Group &g : p.groups)
      n += g.phases.size() + 2;
    return n;
  }
  void runGroup(int32_t g);
  void checkLoads(const GroupLinks &links);
  int32_t missingPiece(int32_t tensor) const;
  void report();
  PhaseUse entryOf(size_t entry, const std::string &name);
  std::vector<int64_t> liveBytes(int32_t group, int64_t phase) const;
  void checkClaims();
  void refuse(const std::string &where, const std::string &what) {
    out.refusals.push_back({where, what});
  }

  const Program &p;
  const SimOptions &options;
  Ledger ledger;
  std::vector<double> firstStart; ///< by entry of the ledger; -1: never
  SimReport out;
  Wide now = 0;
  std::vector<bool> stored; ///< by tensor: whole where it lies
  size_t entry = 0;         ///< first one of the group
};

/// What of a tensor is not where it lies: itself, or a tensor that it
/// begins with; -1: it is whole.
int32_t Simulator::missingPiece(int32_t tensor) const {
  while (tensor >= 0 && stored[tensor])
    tensor = p.tensors[tensor].extends;
  return tensor;
}

/// What a group loads is an input or what an earlier group has stored.
void Simulator::checkLoads(const GroupLinks &links) {
  for (const Copy &copy : links.group.copies)
    if (copy.piece < 0)
      stored[copy.tensor] = true;
  for (const TransferLink &link : links.transfers) {
    if (!link.transfer->isLoad)
      continue;
    if (int32_t missing = missingPiece(link.transfer->tensor); missing >= 0)
      refuse(link.where,
             std::string("reads what was not written: no earlier group ") +
                 (p.tensors[missing].isInput ? "copies " : "stores ") +
                 p.tensors[missing].name);
  }
}

void Simulator::runGroup(int32_t g) {
  const GroupLinks links(p, g);
  out.refusals = links.refusals;
  checkLoads(links);
  if (!out.refusals.empty())
    return;
  Machine m(links, options, ledger, now);
  m.stepsRun = out.stepsRun;
  if (!m.refused())
    GroupRun(m, entry, firstStart).run();
  out.refusals = m.refusals;
  out.stepsRun = m.stepsRun;
  now = m.now;
  entry += links.group.phases.size() + 2;
  for (const TransferLink &link : links.transfers)
    if (!link.transfer->isLoad)
      stored[link.transfer->tensor] = true;
}

SimReport Simulator::run() {
  for (const Tensor &t : p.tensors)
    stored.push_back(t.isInput && t.memory == 0);
  for (int32_t g = 0; g < static_cast<int32_t>(p.groups.size()); ++g) {
    runGroup(g);
    if (!out.refusals.empty())
      return std::move(out);
  }
  for (size_t t = 0; t < p.tensors.size(); ++t)
    if (int32_t missing = missingPiece(static_cast<int32_t>(t));
        p.tensors[t].isOutput && missing >= 0)
      refuse(p.name, "never stores its output " + p.tensors[missing].name);
  report();
  checkClaims();
  return std::move(out);
}

PhaseUse Simulator::entryOf(size_t e, const std::string &name) {
  PhaseUse use;
  use.name = name;
  use.firstStart = firstStart[e];
  ledger.enter(e);
  use.cycles = cyclesOf(ledger.ticks());
  out.steps += double(ledger.steps());
  for (size_t u = 0; u < p.units.size(); ++u) {
    UnitUse of;
    of.busyCycles = cyclesOf(ledger.busy(u));
    for (int s = 0; s < kNumStalls; ++s)
      of.stallCycles[s] = cyclesOf(ledger.stall(u, static_cast<Stall>(s)));
    use.units.push_back(of);
  }
  for (size_t port = 0; port < p.ports.size(); ++port)
    use.portBusyCycles.push_back(cyclesOf(ledger.carried(port) / kWholePort));
  return use;
}

std::vector<int64_t> Simulator::liveBytes(int32_t g, int64_t phase) const {
  const int64_t phases = static_cast<int64_t>(p.groups[g].phases.size());
  std::vector<int64_t> live(p.memories.size(), 0);
  for (const Buffer &b : p.buffers)
    for (int64_t at : {phase - phases, phase, phase + phases})
      if (b.group == g && b.firstUse <= at && at <= b.lastUse) {
        live[b.memory] += b.bytes;
        break;
      }
  for (const Resident &r : p.residents)
    if (r.firstGroup <= g && g <= r.lastGroup)
      live[r.memory] += r.bytes;
  return live;
}

void Simulator::report() {
  out.cycles = cyclesOf(now);
  out.units.resize(p.units.size());
  out.portBusyCycles.assign(p.ports.size(), 0);
  size_t e = 0;
  for (int32_t g = 0; g < static_cast<int32_t>(p.groups.size()); ++g) {
    const Group &group = p.groups[g];
    const size_t last = group.phases.size() + 1;
    for (size_t i = 0; i <= last; ++i, ++e) {
      PhaseUse use = entryOf(e, i == 0      ? group.name + ".load"
                                : i == last ? group.name + ".store"
                                            : group.phases[i - 1].name);
      const bool isPhase = i > 0 && i < last;
      if (isPhase)
        use.claimedCycles = group.phases[i - 1].claimedCycles;
      use.liveBytes = liveBytes(g, isPhase ? int64_t(i) - 1 : i == 0 ? 0 : -1);
      for (size_t u = 0; u < p.units.size(); ++u) {
        out.units[u].busyCycles += use.units[u].busyCycles;
        for (int s = 0; s < kNumStalls; ++s)
          out.units[u].stallCycles[s] += use.units[u].stallCycles[s];
      }
      for (size_t port = 0; port < p.ports.size(); ++port)
        out.portBusyCycles[port] += use.portBusyCycles[port];
      if (isPhase || use.cycles > 0)
        out.phases.push_back(std::move(use));
    }
  }
}

/// A claim below what its ports and units must be busy for is no schedule of
/// this machine. One part in a million is left to rounding.
void Simulator::checkClaims() {
  const double claimed = p.claimedCycles * (1 + 1e-6) + 1;
  for (size_t port = 0; port < p.ports.size(); ++port)
    if (out.portBusyCycles[port] > claimed)
      refuse(p.name, "oversubscribes port " + p.ports[port].name +
                         ": its transfers take " +
                         std::to_string(out.portBusyCycles[port]) +
                         " cycles of the " + std::to_string(p.claimedCycles) +
                         " that the schedule claims");
  for (size_t u = 0; u < p.units.size(); ++u)
    if (out.units[u].busyCycles > claimed)
      refuse(p.name,
             "oversubscribes unit " + p.units[u].name + ": its slots take " +
                 std::to_string(out.units[u].busyCycles) + " cycles of the " +
                 std::to_string(p.claimedCycles) + " that the schedule claims");
}

} // namespace

SimReport simulate(const Program &p, const SimOptions &options) {
  return Simulator(p, options).run();
}

} // namespace transfusion::core::sim
