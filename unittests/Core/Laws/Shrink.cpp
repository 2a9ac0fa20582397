//===- Shrink.cpp - A failing case made small and printed -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shrink.h"

#include <algorithm>
#include <sstream>

namespace transfusion::core::test {

namespace {

using Step = std::function<void(RandomCase &)>;

template <typename T> void eraseAt(std::vector<T> &v, size_t i) {
  v.erase(v.begin() + static_cast<std::ptrdiff_t>(i));
}

/// Every place of a Cascade that says which tensor is accessed how.
void forEachOperand(Cascade &c, const std::function<void(Operand &)> &visit) {
  for (Einsum &e : c.einsums) {
    for (Operand &o : e.inputs)
      visit(o);
    for (Operand &o : e.finishInputs)
      visit(o);
    visit(e.result);
  }
}

void setExtent(RandomCase &r, RankId rank, int64_t extent) {
  r.c.ranks[rank].extent = extent;
  std::vector<std::vector<int64_t>> shapes(r.c.tensors.size());
  forEachOperand(r.c, [&](Operand &o) {
    std::vector<int64_t> &shape = shapes[o.tensor];
    shape.resize(o.access.size(), 1);
    for (size_t d = 0; d < o.access.size(); ++d) {
      int64_t reach = o.access[d].constant;
      for (const auto &t : o.access[d].terms)
        reach +=
            std::max<int64_t>(t.second, 0) * (r.c.ranks[t.first].extent - 1);
      shape[d] = std::max(shape[d], reach + 1);
    }
  });
  for (size_t t = 0; t < shapes.size(); ++t)
    if (!shapes[t].empty())
      r.c.tensors[t].shape = shapes[t];
}

/// Slots that `gone` names, and what is empty without them.
void dropSlots(RandomCase &r, const std::function<bool(const Slot &)> &gone) {
  auto eraseIf = [](auto &list, auto condition) {
    list.erase(std::remove_if(list.begin(), list.end(), condition), list.end());
  };
  for (Group &g : r.s.groups) {
    for (Phase &p : g.phases) {
      for (Run &run : p.runs)
        eraseIf(run.slots, gone);
      eraseIf(p.runs, [](const Run &run) { return run.slots.empty(); });
    }
    eraseIf(g.phases, [](const Phase &p) { return p.runs.empty(); });
  }
  eraseIf(r.s.groups, [](const Group &g) { return g.phases.empty(); });
}

/// Whole ranks everywhere: no sum spans epochs, so none is finished later.
void dropLoops(RandomCase &r) {
  for (Group &g : r.s.groups)
    for (Phase &p : g.phases) {
      p.order.clear();
      p.inner.assign(p.inner.size(), 0);
      p.block = p.inner;
    }
  dropSlots(r, [](const Slot &s) { return s.finishOnly; });
}

/// The last Einsum, which nobody reads when it is gone.
void dropLast(RandomCase &r) {
  const EinsumId last = static_cast<EinsumId>(r.c.einsums.size()) - 1;
  Tensor &t = r.c.tensors[r.c.einsums[last].result.tensor];
  t.producer = -1;
  t.isInput = true;
  t.isOutput = false;
  r.c.einsums.pop_back();
  dropSlots(r, [&](const Slot &s) { return s.einsum == last; });
}

/// What could be taken away, the most first.
std::vector<Step> steps(const RandomCase &r) {
  std::vector<Step> all;
  if (r.c.einsums.size() > 1)
    all.push_back(dropLast);
  bool loops = false;
  for (const Group &g : r.s.groups)
    for (const Phase &p : g.phases)
      loops |= !p.order.empty();
  if (loops)
    all.push_back(dropLoops);
  for (RankId x = 0; x < static_cast<RankId>(r.c.ranks.size()); ++x)
    for (int64_t extent :
         {int64_t(1), r.c.ranks[x].extent / 2, r.c.ranks[x].extent - 1})
      if (extent > 0 && extent < r.c.ranks[x].extent)
        all.push_back([=](RandomCase &s) { setExtent(s, x, extent); });
  for (size_t g = 0; g < r.s.groups.size(); ++g) {
    const Group &group = r.s.groups[g];
    for (size_t i = 0; i < group.tileOrder.size(); ++i)
      all.push_back([=](RandomCase &s) {
        s.s.groups[g].tile[s.s.groups[g].tileOrder[i]] = 0;
        eraseAt(s.s.groups[g].tileOrder, i);
      });
    for (size_t i = 0; i < group.retain.size(); ++i)
      all.push_back([=](RandomCase &s) { eraseAt(s.s.groups[g].retain, i); });
    for (size_t p = 0; p < group.phases.size(); ++p) {
      auto add = [&](const std::function<void(Phase &)> &change) {
        all.push_back([=](RandomCase &s) { change(s.s.groups[g].phases[p]); });
      };
      const Phase &phase = group.phases[p];
      for (size_t i = 0; i < phase.order.size(); ++i)
        add([=](Phase &q) {
          q.inner[q.order[i]] = q.block[q.order[i]] = 0;
          eraseAt(q.order, i);
        });
      for (RankId x : phase.order)
        if (phase.block[x])
          add([=](Phase &q) { q.block[x] = 0; });
      for (size_t i = 0; i < phase.prefetch.size(); ++i)
        add([=](Phase &q) { eraseAt(q.prefetch, i); });
      for (size_t i = 0; i < phase.defer.size(); ++i)
        add([=](Phase &q) { eraseAt(q.defer, i); });
      if (phase.wrap)
        add([](Phase &q) { q.wrap = false; });
      if (phase.skip)
        add([](Phase &q) { q.skip = false; });
      for (const Run &run : phase.runs)
        for (const Slot &slot : run.slots)
          if (slot.stage > 0) {
            add([](Phase &q) {
              for (Run &of : q.runs)
                for (Slot &each : of.slots)
                  each.stage = 0;
            });
            break;
          }
    }
  }
  return all;
}

} // namespace

RandomCase shrink(RandomCase r,
                  const std::function<bool(const RandomCase &)> &fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const Step &step : steps(r)) {
      RandomCase next = r;
      step(next);
      if (!fails(next))
        continue;
      r = std::move(next);
      smaller = true;
      break; // the steps were those of the larger case
    }
  }
  return r;
}

std::string print(const RandomCase &r) {
  std::ostringstream out;
  auto expr = [&](const LinearExpr &x) {
    std::string text;
    for (const auto &[rank, coefficient] : x.terms)
      text += (text.empty() ? "" : " + ") +
              (coefficient == 1 ? "" : std::to_string(coefficient) + "*") +
              r.c.ranks[rank].name;
    if (x.constant || text.empty())
      text += (text.empty() ? "" : " + ") + std::to_string(x.constant);
    return text;
  };
  auto operand = [&](const Operand &o) {
    std::string text = r.c.tensors[o.tensor].name + "[";
    for (size_t d = 0; d < o.access.size(); ++d)
      text += (d ? ", " : "") + expr(o.access[d]);
    return text + "]";
  };
  auto sizes = [&](const std::vector<RankId> &order,
                   const std::vector<int64_t> &of) {
    std::string text;
    for (RankId x : order)
      text += " " + r.c.ranks[x].name + "=" +
              std::to_string(x < static_cast<RankId>(of.size()) ? of[x] : 0);
    return text;
  };
  out << "ranks";
  for (const Rank &x : r.c.ranks)
    out << " " << x.name << "=" << x.extent << (x.iterative ? "*" : "");
  out << "\n";
  for (const Einsum &e : r.c.einsums) {
    out << operand(e.result) << " <-";
    for (const Operand &o : e.inputs)
      out << " " << operand(o);
    for (const Operand &o : e.finishInputs)
      out << " finish " << operand(o);
    for (const Constraint &k : e.domain)
      out << " where " << expr(k.expr) << " >= 0";
    out << "\n";
  }
  for (const Memory &m : r.a.memories)
    out << m.name << " " << m.readBytesPerS / r.a.clockHz << " "
        << m.writeBytesPerS / r.a.clockHz << " bytes a cycle, shared "
        << m.sharedPort << "\n";
  for (const Unit &u : r.a.units)
    out << u.instances << " of " << u.name << " " << u.rows << "x" << u.cols
        << "\n";
  for (const Group &g : r.s.groups) {
    out << "group tile" << sizes(g.tileOrder, g.tile);
    for (const Retain &x : g.retain)
      out << " retain " << r.c.tensors[x.tensor].name << " at "
          << static_cast<int>(x.level);
    out << "\n";
    for (const Phase &p : g.phases) {
      out << "  phase inner" << sizes(p.order, p.inner) << " block"
          << sizes(p.order, p.block) << (p.wrap ? " wrap" : "")
          << (p.skip ? " skip" : "");
      for (const Prefetch &x : p.prefetch)
        out << " prefetch " << r.c.tensors[x.tensor].name << " " << x.ahead;
      for (const Defer &x : p.defer)
        out << " defer " << r.c.tensors[x.tensor].name << " " << x.by;
      out << "\n";
      for (const Run &run : p.runs) {
        out << "    " << r.a.units[run.unit].name << ":";
        for (const Slot &s : run.slots)
          out << " " << r.c.einsums[s.einsum].name
              << (s.finishOnly ? ".finish" : "") << "@" << s.stage;
        out << "\n";
      }
    }
  }
  return out.str();
}

} // namespace transfusion::core::test
