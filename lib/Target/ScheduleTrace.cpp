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
  /// Epochs that run one after another without a gap: of the nest, from
  /// `epoch` on; the pipeline over them starts at step `step`.
  struct Pipeline {
    int64_t epoch = 0, length = 0, step = 0;
  };
  /// Of the first outer tile.
  std::vector<Pipeline> pipelines() const;
  /// Epoch of the nest in a stage at a step; -1: none.
  int64_t epochAt(int64_t step, int32_t stage) const;
  bool startsPiece(const Buffer &b, int64_t epoch, int64_t before) const;
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
  std::vector<double> portFree; ///< by memory, in microseconds
  std::vector<Pipeline> running;
};

std::vector<TraceWriter::Pipeline> TraceWriter::pipelines() const {
  int64_t epochs = 1;
  for (RankId r : phase.order)
    epochs *= trips(r);
  if (!plan.active.skips())
    return {{0, epochs, 0}};
  const int64_t steps = trips(plan.active.rank);
  std::vector<Pipeline> all;
  for (int64_t row = 0, step = 0; row < epochs; row += steps) {
    std::vector<Span> box;
    for (const RankCut &cut : plan.cuts)
      box.push_back({0, cut.tile});
    const std::vector<int64_t> index = indexOf(row);
    for (size_t k = 0; k < index.size(); ++k)
      if (RankId r = phase.order[k]; r != plan.active.rank) {
        const RankCut &cut = plan.cuts[r];
        box[r] = {index[k] * cut.inner,
                  std::min(cut.inner, cut.tile - index[k] * cut.inner)};
      }
    const StepRun run = runOf(plan.active, box);
    all.push_back({row + run.first, run.steps(), step});
    step += run.steps() + plan.stages - 1;
  }
  return all;
}

int64_t TraceWriter::epochAt(int64_t step, int32_t stage) const {
  auto after =
      std::upper_bound(running.begin(), running.end(), step,
                       [](int64_t s, const Pipeline &p) { return s < p.step; });
  if (after == running.begin())
    return -1;
  const Pipeline &p = *--after;
  const int64_t i = step - p.step - stage;
  return i >= 0 && i < p.length ? p.epoch + i : -1;
}

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

/// The epoch needs another piece than the one that runs before it (-1: none).
bool TraceWriter::startsPiece(const Buffer &b, int64_t epoch,
                              int64_t before) const {
  if (before < 0)
    return true;
  const std::vector<int64_t> x = indexOf(epoch), y = indexOf(before);
  const RankCut &cut = plan.cuts[phase.order[b.fetchPosition]];
  const int64_t perBlock = cut.block / cut.inner;
  bool same = x[b.fetchPosition] / perBlock == y[b.fetchPosition] / perBlock;
  for (int32_t k = 0; k < b.fetchPosition; ++k)
    same &= x[k] == y[k];
  return !same;
}

/// Blocks that the next step needs anew, one after another on their port.
void TraceWriter::loads(int64_t step, int64_t start) {
  for (int32_t id : v.plan.groups[w.group].buffers) {
    const Buffer &b = v.plan.buffers[id];
    const Memory &outer = v.arch.memories[b.outer];
    if (b.role != BufferRole::Input || b.phase != w.phase ||
        b.fetchPosition < 0)
      continue;
    int64_t epoch = epochAt(step + 1, b.minStage);
    if (epoch < 0)
      continue;
    // The one before it may have been the last of an earlier pipeline.
    int64_t before = -1;
    for (int64_t k = step; k >= 0 && before < 0; --k)
      before = epochAt(k, b.minStage);
    if (!startsPiece(b, epoch, before) || outer.readBytesPerS <= 0)
      continue;
    double duration = double(b.bytesPerSlot) * 1e6 / outer.readBytesPerS;
    double &free = portFree[b.outer];
    free = std::max(free, microseconds(start));
    event("load " + c.tensors[b.tensor].name,
          static_cast<int64_t>(v.arch.units.size()) + b.outer, free, duration,
          step, epoch);
    free += duration;
  }
}

void TraceWriter::write() {
  running = pipelines();
  int64_t steps = running.back().step + running.back().length + plan.stages - 1;
  int64_t end = w.firstStep >= steps            ? w.firstStep
                : w.steps > steps - w.firstStep ? steps
                                                : w.firstStep + w.steps;
  j.object([&] {
    j.attribute("displayTimeUnit", "ns");
    j.attributeObject("otherData", [&] {
      j.attribute("schedule", v.name);
      j.attribute("phase", phaseName(w.group, w.phase));
      j.attribute("steps", steps);
      // Of the function, which no track here shows.
      j.attribute("unscheduled_ops",
                  static_cast<int64_t>(v.unscheduled.size()));
    });
    j.attributeArray("traceEvents", [&] {
      for (size_t u = 0; u < v.arch.units.size(); ++u)
        track(static_cast<int64_t>(u), v.arch.units[u].name);
      // Of every memory that tensors are loaded from.
      const MemoryId inner = v.arch.units.front().memory;
      for (MemoryId m = 0; m < inner; ++m)
        track(static_cast<int64_t>(v.arch.units.size()) + m,
              portName(v.arch.memories[m], /*write=*/false));
      portFree.assign(inner, 0);
      int64_t start = 0;
      // Steps with the same inner tiles take the same time.
      std::map<std::vector<Extents>, PhaseTiming> known;
      for (int64_t k = w.firstStep; k < end; ++k) {
        std::vector<Extents> perStage(plan.stages);
        for (int32_t s = 0; s < plan.stages; ++s)
          if (int64_t epoch = epochAt(k, s); epoch >= 0)
            perStage[s] = extentsOf(epoch);
        auto found = known.find(perStage);
        if (found == known.end())
          found = known.emplace(perStage, timePhase(c, v.arch, phase, perStage))
                      .first;
        for (const SlotTiming &t : found->second.slots)
          event(c.einsums[t.einsum].name + (t.finishOnly ? ".finish" : ""),
                phase.runs[t.run].unit, microseconds(start + t.start),
                microseconds(t.cycles), k, epochAt(k, t.stage));
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
