//===- ScheduleTrace.cpp - A window of a schedule to look at --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Target/ScheduleTrace.h"

#include "PhaseJson.h"
#include "transfusion/Core/Cost/Timing.h"

#include <algorithm>
#include <map>

using namespace transfusion;
using namespace transfusion::core;

namespace {

class TraceWriter {
public:
  TraceWriter(const ScheduleView &v, const TraceWindow &w,
              llvm::json::OStream &j)
      : v(v), c(v.cascade), w(w), j(j),
        phase(v.schedule.groups[w.group].phases[w.phase]),
        plan(v.plan.groups[w.group].phases[w.phase]) {}
  void write();

private:
  int64_t trips(RankId r) const {
    return (plan.cuts[r].tile + plan.cuts[r].inner - 1) / plan.cuts[r].inner;
  }
  /// Index of the epoch along each loop.
  std::vector<int64_t> indexOf(int64_t epoch) const;
  Extents extentsOf(int64_t epoch) const;
  double microseconds(int64_t cycles) const {
    return double(cycles) * 1e6 / v.arch.clockHz;
  }
  void track(int64_t id, llvm::StringRef name);
  void event(llvm::StringRef name, int64_t trackId, double start,
             double duration, int64_t step, int64_t epoch);
  void loads(int64_t step, int64_t start);

  const ScheduleView &v;
  const Cascade &c;
  const TraceWindow &w;
  llvm::json::OStream &j;
  const Phase &phase;
  const PhasePlan &plan;
  double portFree = 0;
};

std::vector<int64_t> TraceWriter::indexOf(int64_t epoch) const {
  std::vector<int64_t> index(phase.order.size());
  for (size_t k = phase.order.size(); k-- > 0;) {
    index[k] = epoch % trips(phase.order[k]);
    epoch /= trips(phase.order[k]);
  }
  return index;
}

Extents TraceWriter::extentsOf(int64_t epoch) const {
  Extents extents;
  for (const RankCut &cut : plan.cuts)
    extents.push_back(cut.inner);
  std::vector<int64_t> index = indexOf(epoch);
  for (size_t k = 0; k < index.size(); ++k) {
    const RankCut &cut = plan.cuts[phase.order[k]];
    extents[phase.order[k]] =
        std::min(cut.inner, cut.tile - index[k] * cut.inner);
  }
  return extents;
}

void TraceWriter::track(int64_t id, llvm::StringRef name) {
  j.object([&] {
    j.attribute("ph", "M");
    j.attribute("name", "thread_name");
    j.attribute("pid", 0);
    j.attribute("tid", id);
    j.attributeObject("args", [&] { j.attribute("name", name); });
  });
}

void TraceWriter::event(llvm::StringRef name, int64_t trackId, double start,
                        double duration, int64_t step, int64_t epoch) {
  j.object([&] {
    j.attribute("ph", "X");
    j.attribute("name", name);
    j.attribute("pid", 0);
    j.attribute("tid", trackId);
    j.attribute("ts", start);
    j.attribute("dur", duration);
    j.attributeObject("args", [&] {
      j.attribute("step", step);
      j.attribute("epoch", epoch);
    });
  });
}

/// Blocks that the next step needs anew, one after another on their port.
void TraceWriter::loads(int64_t step, int64_t start) {
  const Memory &outer = v.arch.memories[0];
  int64_t epochs = 1;
  for (RankId r : phase.order)
    epochs *= trips(r);
  for (int32_t id : v.plan.groups[w.group].buffers) {
    const Buffer &b = v.plan.buffers[id];
    int64_t epoch = step + 1 - b.minStage;
    if (b.role != BufferRole::Input || b.phase != w.phase ||
        b.fetchPosition < 0 || epoch < 0 || epoch >= epochs)
      continue;
    std::vector<int64_t> index = indexOf(epoch);
    const RankCut &cut = plan.cuts[phase.order[b.fetchPosition]];
    bool fetched = index[b.fetchPosition] % (cut.block / cut.inner) == 0;
    for (size_t k = b.fetchPosition + 1; k < index.size(); ++k)
      fetched &= index[k] == 0;
    if (!fetched || outer.readBytesPerS <= 0)
      continue;
    double duration = double(b.bytesPerSlot) * 1e6 / outer.readBytesPerS;
    portFree = std::max(portFree, microseconds(start));
    event("load " + c.tensors[b.tensor].name,
          static_cast<int64_t>(v.arch.units.size()), portFree, duration, step,
          epoch);
    portFree += duration;
  }
}

void TraceWriter::write() {
  int64_t epochs = 1;
  for (RankId r : phase.order)
    epochs *= trips(r);
  int64_t steps = epochs + plan.stages - 1;
  int64_t end = w.firstStep >= steps            ? w.firstStep
                : w.steps > steps - w.firstStep ? steps
                                                : w.firstStep + w.steps;
  j.object([&] {
    j.attribute("displayTimeUnit", "ns");
    j.attributeObject("otherData", [&] {
      j.attribute("schedule", v.name);
      j.attribute("phase", phaseName(w.group, w.phase));
      j.attribute("steps", steps);
    });
    j.attributeArray("traceEvents", [&] {
      for (size_t u = 0; u < v.arch.units.size(); ++u)
        track(static_cast<int64_t>(u), v.arch.units[u].name);
      track(static_cast<int64_t>(v.arch.units.size()),
            portName(v.arch.memories[0], /*write=*/false));
      int64_t start = 0;
      // Steps with the same inner tiles take the same time.
      std::map<std::vector<Extents>, PhaseTiming> known;
      for (int64_t k = w.firstStep; k < end; ++k) {
        std::vector<Extents> perStage(plan.stages);
        for (int32_t s = 0; s < plan.stages; ++s)
          if (k - s >= 0 && k - s < epochs)
            perStage[s] = extentsOf(k - s);
        auto found = known.find(perStage);
        if (found == known.end())
          found = known.emplace(perStage, timePhase(c, v.arch, phase, perStage))
                      .first;
        for (const SlotTiming &t : found->second.slots)
          event(c.einsums[t.einsum].name + (t.finishOnly ? ".finish" : ""),
                phase.runs[t.run].unit, microseconds(start + t.start),
                microseconds(t.cycles), k, k - t.stage);
        loads(k, start);
        start += found->second.ii;
      }
    });
  });
}

} // namespace

void transfusion::writeScheduleTrace(const ScheduleView &view,
                                     const TraceWindow &window,
                                     llvm::raw_ostream &os) {
  llvm::json::OStream j(os);
  TraceWriter(view, window, j).write();
  os << "\n";
}
