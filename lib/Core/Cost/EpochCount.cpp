//===- EpochCount.cpp - Which epochs meet in a pipeline step --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpochCount.h"

#include <algorithm>

namespace transfusion::core {

namespace {

constexpr int64_t kMaxEpochs = int64_t(1) << 62;

/// A text of classes, known by its length, its ends and the number of times
/// that each window occurs in it.
struct Text {
  int64_t length = 0;
  std::u16string head, tail;                            ///< up to S - 1 classes
  std::vector<std::pair<EpochWindow, int64_t>> windows; ///< sorted
};

/// Turns of a loop that are alike.
struct Turns {
  int64_t count = 0;
  bool last = false, first = false;
};
using LoopTurns = std::vector<std::vector<Turns>>; // by loop

class Counter {
public:
  Counter(const LoopTurns &loops, int32_t stages)
      : loops(loops), stages(stages), reach(stages - 1) {}

  EpochCounts run(bool wrap) {
    Text text = nest(0, {});
    counts.epochs = text.length;
    const std::u16string ends(reach, wrap && !text.head.empty() ? text.head[0]
                                                                : kIdle);
    Text padded = concat(literal(ends), text);
    if (!wrap)
      padded = concat(padded, literal(ends));
    counts.windows = std::move(padded.windows);
    return std::move(counts);
  }

private:
  Text letter(char16_t c) const { return literal(std::u16string(1, c)); }

  Text literal(const std::u16string &s) const {
    Text t;
    t.length = static_cast<int64_t>(s.size());
    t.head = s.substr(0, reach);
    t.tail = s.size() > reach ? s.substr(s.size() - reach) : s;
    for (size_t i = 0; i + stages <= s.size(); ++i)
      note(t, s.substr(i, stages), 1);
    return t;
  }

  static void note(Text &t, const EpochWindow &w, int64_t n) {
    auto at = std::lower_bound(t.windows.begin(), t.windows.end(), w,
                               [](const auto &entry, const EpochWindow &v) {
                                 return entry.first < v;
                               });
    if (at != t.windows.end() && at->first == w)
      at->second += n;
    else
      t.windows.insert(at, {w, n});
  }

  /// Windows that begin in `x` and end in `y`.
  template <typename Visit>
  void atJunction(const Text &x, const Text &y, Visit visit) const {
    const std::u16string joint = x.tail + y.head;
    for (size_t i = 0; i < x.tail.size() && i + stages <= joint.size(); ++i)
      visit(joint.substr(i, stages));
  }

  Text concat(const Text &x, const Text &y) {
    if (x.length == 0)
      return y;
    if (y.length == 0)
      return x;
    Text t = x;
    t.length = bounded(x.length, y.length);
    for (const auto &w : y.windows)
      note(t, w.first, w.second);
    atJunction(x, y, [&](const EpochWindow &w) { note(t, w, 1); });
    if (t.head.size() < reach)
      t.head = (t.head + y.head).substr(0, reach);
    t.tail = x.tail + y.tail;
    if (t.tail.size() > reach)
      t.tail = t.tail.substr(t.tail.size() - reach);
    return t;
  }

  int64_t bounded(int64_t x, int64_t y) {
    if (x > kMaxEpochs - y) {
      counts.overflow = true;
      return 1;
    }
    return x + y;
  }

  /// x^n, for n >= 0.
  Text power(const Text &x, int64_t n) {
    if (n == 0)
      return Text();
    // Until a window spans no more than two copies, copies are made.
    Text base = x;
    int64_t copies = 1;
    while (static_cast<size_t>(base.length) < reach && copies < n) {
      base = concat(base, x);
      ++copies;
    }
    const int64_t times = n / copies;
    if (base.length > kMaxEpochs / times) {
      counts.overflow = true;
      return x;
    }
    Text t = base;
    t.length = base.length * times;
    for (auto &w : t.windows)
      w.second *= times;
    if (times > 1)
      atJunction(base, base,
                 [&](const EpochWindow &w) { note(t, w, times - 1); });
    for (int64_t rest = n % copies; rest > 0; --rest)
      t = concat(t, x);
    return t;
  }

  /// Loops from `depth` inwards, where those outside are at `outside`.
  Text nest(size_t depth, EpochEnds outside) {
    if (depth == loops.size()) {
      if (counts.classes.size() == 65535) {
        counts.overflow = true;
        return letter(0);
      }
      counts.classes.push_back(outside);
      return letter(static_cast<char16_t>(counts.classes.size() - 1));
    }
    Text text;
    const uint64_t bit = depth < 64 ? uint64_t(1) << depth : 0;
    for (const Turns &turns : loops[depth]) {
      if (counts.overflow)
        break;
      EpochEnds at = outside;
      at.last |= turns.last ? bit : 0;
      at.first |= turns.first ? bit : 0;
      text = concat(text, power(nest(depth + 1, at), turns.count));
    }
    return text;
  }

  const LoopTurns &loops;
  const size_t stages, reach;
  EpochCounts counts;
};

} // namespace

EpochCounts countEpochs(const std::vector<EpochLoop> &loops, int32_t stages,
                        bool wrap) {
  LoopTurns turns;
  turns.reserve(loops.size());
  for (const EpochLoop &loop : loops) {
    std::vector<Turns> &all = turns.emplace_back();
    const int64_t middle = loop.trips - loop.firstApart - loop.lastApart;
    if (loop.firstApart)
      all.push_back({1, false, true});
    if (middle > 0)
      all.push_back({middle});
    if (loop.lastApart)
      all.push_back({1, true, false});
  }
  return Counter(turns, stages).run(wrap);
}

int64_t countShort(const std::vector<EpochLoop> &loops, int32_t stages,
                   bool wrap, std::vector<StepKind> &kinds) {
  kinds.clear();
  const size_t n = loops.size();
  EpochEnds apart;
  int64_t epochs = 1;
  for (size_t k = 0; k < n; ++k) {
    apart.last |= uint64_t(loops[k].lastApart) << k;
    apart.first |= uint64_t(loops[k].firstApart) << k;
    if (epochs > kMaxEpochs / loops[k].trips)
      return -1;
    epochs *= loops[k].trips;
  }
  // Every place of the first `end` loops, with the number of its turns.
  auto forEachOuter = [&](size_t end, auto visit) {
    const uint64_t those = (uint64_t(1) << end) - 1;
    EpochEnds outer{apart.last & those, 0};
    while (true) {
      const uint64_t others = apart.first & those & ~outer.last;
      outer.first = others;
      while (true) {
        int64_t turns = 1;
        for (size_t k = 0; k < end; ++k)
          if (!((outer.last | outer.first) >> k & 1))
            turns *= loops[k].trips - loops[k].lastApart - loops[k].firstApart;
        if (turns > 0)
          visit(outer, turns);
        if (outer.first == 0)
          break;
        outer.first = (outer.first - 1) & others;
      }
      if (outer.last == 0)
        break;
      outer.last = (outer.last - 1) & apart.last & those;
    }
  };
  if (stages == 1) {
    forEachOuter(n, [&](EpochEnds at, int64_t turns) {
      kinds.push_back({{}, at, false, true, turns});
    });
    return epochs;
  }
  // The first epoch is at all first turns, the last one at all last ones.
  const EpochEnds begin{0, apart.first}, end{apart.last, 0};
  kinds.push_back({begin, begin, wrap, true, 1});
  // From one epoch to the next loop j advances, those inside it start anew.
  for (size_t j = 0; j < n; ++j) {
    const EpochLoop &loop = loops[j];
    if (loop.trips == 1)
      continue;
    const uint64_t bit = uint64_t(1) << j;
    const uint64_t inside = ~((bit << 1) - 1);
    forEachOuter(j, [&](EpochEnds outer, int64_t turns) {
      const EpochEnds from{outer.last | (apart.last & inside), outer.first};
      const EpochEnds to{outer.last, outer.first | (apart.first & inside)};
      auto add = [&](bool first, bool last, int64_t times) {
        if (times > 0)
          kinds.push_back({{from.last, from.first | (first ? bit : 0)},
                           {to.last | (last ? bit : 0), to.first},
                           true,
                           true,
                           turns * times});
      };
      // From the first turn, between others, to the last one.
      const int64_t steps = loop.trips - 1;
      if (steps == 1) {
        add(loop.firstApart, loop.lastApart, 1);
        return;
      }
      add(false, false, steps - loop.firstApart - loop.lastApart);
      if (loop.firstApart)
        add(true, false, 1);
      if (loop.lastApart)
        add(false, true, 1);
    });
  }
  if (!wrap)
    kinds.push_back({end, {}, true, false, 1});
  return epochs;
}

EpochCounts countWindows(const std::vector<std::vector<int64_t>> &runs,
                         int32_t width) {
  LoopTurns turns;
  for (const std::vector<int64_t> &run : runs) {
    turns.emplace_back();
    for (int64_t count : run)
      turns.back().push_back({count});
  }
  return Counter(turns, width).run(/*wrap=*/false);
}

} // namespace transfusion::core
