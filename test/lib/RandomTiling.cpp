//===- RandomTiling.cpp - A legal schedule with other sizes ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests of the emission: tiles, epochs, blocks and retention that no search
// would choose. Groups are drawn one after another; a draw that the checker
// refuses is drawn again.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "transfusion/Bridge/ImportSchedule.h"
#include "transfusion/Core/Check/Check.h"
#include "transfusion/Core/Search/DPipe.h"
#include "transfusion/Core/Search/Rng.h"

#include <algorithm>

using namespace mlir;
using namespace transfusion;

namespace {
struct RandomTilingPass
    : PassWrapper<RandomTilingPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RandomTilingPass)
  RandomTilingPass() = default;
  RandomTilingPass(const RandomTilingPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "test-random-tiling"; }
  StringRef getDescription() const final {
    return "draw the sizes of every schedule anew, legal ones";
  }
  void runOnOperation() override;

  Option<uint64_t> seed{*this, "seed", llvm::cl::desc("of the draws"),
                        llvm::cl::init(1)};
};

/// Draws sizes of one group.
class Draw {
public:
  Draw(const core::Cascade &c, const core::Arch &a, core::Rng &rng)
      : c(c), a(a), rng(rng) {}
  void group(core::Group &g);

private:
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(rng.below(high - low + 1));
  }
  void phase(const core::Group &g, core::Phase &p);

  void parts(const core::Group &g, const core::Phase &p, int64_t instances,
             core::Slot &slot);

  const core::Cascade &c;
  const core::Arch &a;
  core::Rng &rng;
};
} // namespace

/// No more parts than there are instances.
void Draw::parts(const core::Group &g, const core::Phase &p, int64_t instances,
                 core::Slot &slot) {
  for (core::InstancePart &part : slot.instances) {
    const core::RankId r = part.rank;
    const int64_t tile = g.tile[r] ? g.tile[r] : c.ranks[r].extent;
    const int64_t extent = p.inner[r] ? std::min(p.inner[r], tile) : tile;
    const int64_t count = between(1, std::min(instances, extent));
    part.points = (extent + count - 1) / count;
    instances /= part.parts(extent);
  }
}

void Draw::phase(const core::Group &g, core::Phase &p) {
  p.inner.resize(c.ranks.size());
  p.block.resize(c.ranks.size());
  for (core::RankId r : p.order) {
    int64_t tile = g.tile[r] ? g.tile[r] : c.ranks[r].extent;
    if (!c.ranks[r].iterative)
      p.inner[r] = between(1, tile);
    int64_t inner = p.inner[r] ? p.inner[r] : tile;
    p.block[r] = rng.below(2) ? 0 : std::min(tile, inner * between(1, 3));
    if (p.block[r] == tile)
      p.block[r] = 0;
  }
  for (core::Run &run : p.runs)
    for (core::Slot &slot : run.slots)
      parts(g, p, a.units[run.unit].instances, slot);
}

void Draw::group(core::Group &g) {
  g.tile.resize(c.ranks.size());
  for (core::RankId r : g.tileOrder)
    g.tile[r] = between(1, c.ranks[r].extent);
  g.retain.clear();
  for (size_t t = 0; t < c.tensors.size(); ++t)
    if (c.tensors[t].isInput && rng.below(3) == 0)
      g.retain.push_back({static_cast<core::TensorId>(t),
                          static_cast<core::RetainLevel>(rng.below(3))});
  for (core::Phase &p : g.phases)
    phase(g, p);
}

/// A retained tensor must be read by its group.
static void dropUnread(const core::Cascade &c, core::Group &g) {
  auto reads = [&](core::TensorId t) {
    for (const core::Phase &p : g.phases)
      for (const core::Run &run : p.runs)
        for (const core::Slot &slot : run.slots) {
          const core::Einsum &e = c.einsums[slot.einsum];
          for (const auto *operands : {&e.inputs, &e.finishInputs})
            for (const core::Operand &o : *operands)
              if (o.tensor == t)
                return true;
        }
    return false;
  };
  g.retain.erase(
      std::remove_if(g.retain.begin(), g.retain.end(),
                     [&](const core::Retain &r) { return !reads(r.tensor); }),
      g.retain.end());
}

/// All rules, also that the buffers found places.
static bool isLegal(const core::Cascade &c, const core::Arch &a,
                    const core::Schedule &s) {
  return core::checkSchedule(c, a, s).empty() &&
         core::checkPlan(c, a, s, core::makePlan(c, a, s)).empty();
}

/// What lies in a memory in between, where the machine has one.
static void drawResidents(const core::Cascade &c, const core::Arch &a,
                          core::Rng &rng, core::Schedule &s) {
  const std::vector<core::MemoryId> between = core::memoriesBetween(a);
  if (between.empty())
    return;
  const core::MemoryId m = between.front();
  s.residents.clear();
  for (size_t t = 0; t < c.tensors.size(); ++t) {
    if (rng.below(2) == 0)
      continue;
    core::Schedule more = s;
    more.residents.push_back({static_cast<core::TensorId>(t), m});
    if (isLegal(c, a, more))
      s = std::move(more);
  }
  // Pieces of what is left.
  for (size_t g = 0; g < s.groups.size(); ++g) {
    s.groups[g].residents.clear();
    for (size_t t = 0; t < c.tensors.size(); ++t) {
      if (rng.below(2) == 0)
        continue;
      core::Schedule more = s;
      more.groups[g].residents.push_back({static_cast<core::TensorId>(t), m});
      if (isLegal(c, a, more))
        s = std::move(more);
    }
  }
}

static core::Schedule drawLegal(const core::Cascade &c, const core::Arch &a,
                                const core::Schedule &base, uint64_t seed) {
  core::Rng rng(seed);
  core::Schedule s = base;
  for (size_t g = 0; g < s.groups.size(); ++g)
    for (int tries = 0; tries < 500; ++tries) {
      core::Schedule next = s;
      Draw(c, a, rng).group(next.groups[g]);
      dropUnread(c, next.groups[g]);
      if (!isLegal(c, a, next))
        continue;
      s = std::move(next);
      break;
    }
  // Other sizes may ask for other pipelines.
  core::Schedule solved = s;
  core::solveSlots(c, a, solved);
  if (isLegal(c, a, solved))
    s = std::move(solved);
  drawResidents(c, a, rng, s);
  return s;
}

void RandomTilingPass::runOnOperation() {
  SmallVector<sched::ScheduleOp> schedules(
      getOperation().getOps<sched::ScheduleOp>());
  for (sched::ScheduleOp op : schedules) {
    FailureOr<ImportedSchedule> imported = importSchedule(op);
    if (failed(imported))
      return signalPassFailure();
    core::Schedule drawn = drawLegal(imported->cascade(), imported->arch,
                                     imported->schedule, seed);
    OpBuilder b(op);
    exportSchedule(b, op.getLoc(), op.getSymName(), imported->source,
                   imported->function, imported->archOp, drawn,
                   imported->search);
    op.erase();
  }
}

namespace transfusion::test {
void registerRandomTilingPass() { PassRegistration<RandomTilingPass>(); }
} // namespace transfusion::test
