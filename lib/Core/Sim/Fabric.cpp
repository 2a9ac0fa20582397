//===- Fabric.cpp - Ports and what moves over them ------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fabric.h"

#include <algorithm>

namespace transfusion::core::sim {

void Fabric::start(Flight f, int64_t bytes) {
  std::vector<Ticks> alone;
  for (const PortUse &use : f.uses) {
    alone.push_back(ticksOf(bytes, p.ports[use.port].bytesPerCycle));
    f.left = std::max(f.left, alone.back());
  }
  for (size_t i = 0; i < f.uses.size(); ++i)
    f.uses[i].share =
        f.left ? static_cast<Share>(Wide(alone[i]) * kWholePort / f.left) : 0;
  if (f.left == 0) { // nothing to carry, or nothing limits it
    arrived.push_back(std::move(f));
    return;
  }
  auto later = std::upper_bound(
      flights.begin(), flights.end(), f, [](const Flight &x, const Flight &y) {
        if (!(x.by == y.by))
          return x.by <= y.by;
        return x.transfer != y.transfer ? x.transfer < y.transfer
                                        : x.piece < y.piece;
      });
  flights.insert(later, std::move(f));
}

Share Fabric::claim(const std::vector<PortUse> &uses,
                    std::vector<Share> &left) {
  Share speed = kWholePort;
  for (const PortUse &use : uses)
    if (use.share > 0)
      speed =
          std::min<Share>(speed, static_cast<Share>(Wide(left[use.port]) *
                                                    kWholePort / use.share));
  for (const PortUse &use : uses)
    left[use.port] -= static_cast<Share>(Wide(speed) * use.share / kWholePort);
  return speed;
}

static Ticks ticksAt(Ticks left, Share speed) {
  return speed == kWholePort
             ? left
             : static_cast<Ticks>((Wide(left) * kWholePort + speed - 1) /
                                  speed);
}

Ticks Fabric::untilArrival(std::vector<Share> left) const {
  Ticks soonest = -1;
  for (const Flight &f : flights) {
    const Share speed = claim(f.uses, left);
    if (speed <= 0)
      continue;
    const Ticks ticks = ticksAt(f.left, speed);
    if (soonest < 0 || ticks < soonest)
      soonest = ticks;
  }
  return soonest;
}

void Fabric::advance(Ticks ticks, std::vector<Share> left) {
  while (ticks > 0 && !flights.empty()) {
    std::vector<Share> free = left;
    std::vector<Share> speeds;
    Ticks now = ticks;
    for (const Flight &f : flights) {
      speeds.push_back(claim(f.uses, free));
      if (speeds.back() > 0)
        now = std::min(now, ticksAt(f.left, speeds.back()));
    }
    size_t kept = 0;
    for (size_t i = 0; i < flights.size(); ++i) {
      Flight &f = flights[i];
      const Ticks moved =
          static_cast<Ticks>(Wide(speeds[i]) * now / kWholePort);
      for (const PortUse &use : f.uses)
        carried[use.port] += Wide(std::min(moved, f.left)) * use.share;
      f.left -= moved;
      if (f.left <= 0)
        arrived.push_back(std::move(f));
      else if (kept++ != i)
        flights[kept - 1] = std::move(f);
    }
    flights.resize(kept);
    ticks -= now;
  }
}

int64_t Fabric::waitingFor(const Deadline &by, Share *speed) const {
  int64_t waiting = 0;
  while (waiting < static_cast<int64_t>(flights.size()) &&
         flights[waiting].by <= by)
    ++waiting;
  if (waiting > 0) {
    std::vector<Share> left = wholePorts();
    *speed = claim(flights.front().uses, left);
  }
  return waiting;
}

} // namespace transfusion::core::sim
