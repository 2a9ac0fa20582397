//===- EvaluateSpeed.cpp - Evaluations a second of a whole layer ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a search does: one Evaluator, many schedules of one BERT layer, tiles
// and blocks of any size. Prints evaluations per second of one core, which is
// for people to compare, and fails when one of them allocates.
//
//     TFEvaluateSpeed [ROUNDS]
//
//===----------------------------------------------------------------------===//

#include "../Core/TestCascades.h"
#include "transfusion/Core/Cost/Evaluate.h"
#include "transfusion/Core/Search/Rng.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>

using namespace transfusion::core;
using namespace transfusion::core::test;

static int64_t allocations = 0;

void *operator new(size_t size) {
  ++allocations;
  if (void *p = std::malloc(size ? size : 1))
    return p;
  std::abort();
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, size_t) noexcept { std::free(p); }

namespace {
struct Candidate {
  Schedule s;
  Plan plan;
};

double perSecond(int64_t n, std::clock_t since) {
  return double(n) * CLOCKS_PER_SEC / double(std::clock() - since);
}
} // namespace

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  const Cascade c = bertLayer({});
  const Arch a = machine("edge");
  Rng rng(1);
  std::vector<Candidate> candidates;
  for (int n = 0; n < 100; ++n) {
    BertTiles t;
    t.b = 1 + int64_t(rng.below(2));
    t.p = 1 + int64_t(rng.below(1024));
    t.kvM = 1 + int64_t(rng.below(1024));
    t.blockS = rng.below(2) ? 16 * (1 + int64_t(rng.below(8))) : 0;
    t.blockKeys = rng.below(2) ? 1 + int64_t(rng.below(8)) : 0;
    const Schedule s = bertSchedule(c, a, t);
    candidates.push_back({s, makePlan(c, a, s)});
  }
  Evaluator evaluator(c, a);
  CostReport report;
  for (const Candidate &x : candidates) {
    evaluator.evaluate(x.s, x.plan, report);
    if (!report.faults.empty()) {
      std::printf("%s\n", report.faults.front().c_str());
      return 1;
    }
  }
  const int64_t n = int64_t(rounds) * int64_t(candidates.size());
  const int64_t before = allocations;
  std::clock_t start = std::clock();
  for (int round = 0; round < rounds; ++round)
    for (const Candidate &x : candidates)
      evaluator.evaluate(x.s, x.plan, report);
  const double speed = perSecond(n, start);
  const int64_t allocated = allocations - before;
  start = std::clock();
  for (const Candidate &x : candidates)
    makePlan(c, a, x.s);
  std::printf("%.0f evaluations/s of a plan, %.0f plans/s, %lld allocations in "
              "%lld evaluations\n",
              speed, perSecond(int64_t(candidates.size()), start),
              static_cast<long long>(allocated), static_cast<long long>(n));
  return allocated == 0 ? 0 : 1;
}
