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

class Counter {
public:
  Counter(const std::vector<std::vector<int64_t>> &loops, int32_t stages)
      : loops(loops), stages(stages), reach(stages - 1) {}

  EpochCounts run(bool wrap) {
    Text text = nest(0, 0);
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

  /// Loops from `depth` inwards, where those outside are ragged as `ragged`
  /// says.
  Text nest(size_t depth, uint64_t ragged) {
    if (depth == loops.size()) {
      if (counts.classes.size() == 65535) {
        counts.overflow = true;
        return letter(0);
      }
      counts.classes.push_back(ragged);
      return letter(static_cast<char16_t>(counts.classes.size() - 1));
    }
    Text text;
    for (size_t i = 0; i < loops[depth].size() && !counts.overflow; ++i) {
      const uint64_t later = i > 0 && depth < 64 ? uint64_t(1) << depth : 0;
      text =
          concat(text, power(nest(depth + 1, ragged | later), loops[depth][i]));
    }
    return text;
  }

  const std::vector<std::vector<int64_t>> &loops;
  const size_t stages, reach;
  EpochCounts counts;
};

} // namespace

EpochCounts countEpochs(const std::vector<EpochLoop> &loops, int32_t stages,
                        bool wrap) {
  std::vector<std::vector<int64_t>> runs;
  runs.reserve(loops.size());
  for (const EpochLoop &loop : loops) {
    if (loop.raggedLast)
      runs.push_back({loop.trips - 1, 1});
    else
      runs.push_back({loop.trips});
  }
  return Counter(runs, stages).run(wrap);
}

int64_t countShort(const std::vector<EpochLoop> &loops, int32_t stages,
                   bool wrap, std::vector<StepKind> &kinds) {
  kinds.clear();
  const size_t n = loops.size();
  uint64_t ragged = 0;
  int64_t epochs = 1;
  for (size_t k = 0; k < n; ++k) {
    if (loops[k].raggedLast)
      ragged |= uint64_t(1) << k;
    if (epochs > kMaxEpochs / loops[k].trips)
      return -1;
    epochs *= loops[k].trips;
  }
  // Every choice of ragged loops among the first `end`, with its turns.
  auto forEachOuter = [&](size_t end, auto visit) {
    const uint64_t some = ragged & ((uint64_t(1) << end) - 1);
    uint64_t outer = some;
    while (true) {
      int64_t turns = 1;
      for (size_t k = 0; k < end; ++k)
        turns *= outer >> k & 1 ? 1 : loops[k].trips - loops[k].raggedLast;
      visit(outer, turns);
      if (outer == 0)
        break;
      outer = (outer - 1) & some;
    }
  };
  if (stages == 1) {
    forEachOuter(n, [&](uint64_t at, int64_t turns) {
      kinds.push_back({0, at, false, true, turns});
    });
    return epochs;
  }
  // The first epoch is at no ragged end, the last one at all.
  kinds.push_back({0, 0, wrap, true, 1});
  // From one epoch to the next loop j advances, those inside it start anew.
  for (size_t j = 0; j < n; ++j) {
    if (loops[j].trips == 1)
      continue;
    const uint64_t bit = uint64_t(1) << j;
    const uint64_t inside = ragged & ~((bit << 1) - 1);
    forEachOuter(j, [&](uint64_t outer, int64_t turns) {
      const int64_t plain = loops[j].trips - 1 - loops[j].raggedLast;
      if (plain > 0)
        kinds.push_back({outer | inside, outer, true, true, turns * plain});
      if (loops[j].raggedLast)
        kinds.push_back({outer | inside, outer | bit, true, true, turns});
    });
  }
  if (!wrap)
    kinds.push_back({ragged, 0, true, false, 1});
  return epochs;
}

EpochCounts countWindows(const std::vector<std::vector<int64_t>> &runs,
                         int32_t width) {
  return Counter(runs, width).run(/*wrap=*/false);
}

} // namespace transfusion::core
