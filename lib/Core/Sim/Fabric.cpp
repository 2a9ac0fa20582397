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

Fabric::Turns
Fabric::inTurn(const std::vector<const std::vector<PortUse> *> &units) const {
  std::vector<Share> left = wholePorts();
  Turns turns;
  turns.speeds.assign(units.size(), 0);
  // Flights are one of those that take turns, after the units.
  const size_t ofFlights = units.size();
  std::vector<std::vector<Share>> wanted(units.size() + 1,
                                         std::vector<Share>(p.ports.size(), 0));
  for (size_t u = 0; u < units.size(); ++u)
    if (units[u])
      for (const PortUse &use : *units[u])
        wanted[u][use.port] = std::min(use.share, kWholePort);
  auto takenByFlights = [&](std::vector<Share> of) {
    const std::vector<Share> before = of;
    for (const Flight &f : flights)
      claim(f.uses, of);
    std::vector<Share> taken(of.size());
    for (size_t q = 0; q < of.size(); ++q)
      taken[q] = before[q] - of[q];
    return taken;
  };
  wanted[ofFlights] = takenByFlights(left);
  // Who wants less than an even share gets it, and leaves more to the others.
  std::vector<bool> unitsUse(p.ports.size(), false);
  for (const std::vector<PortUse> *uses : units)
    if (uses)
      for (const PortUse &use : *uses)
        unitsUse[use.port] = true;
  std::vector<std::pair<Share, size_t>> order;
  std::vector<int64_t> waiting(p.ports.size(), 0);
  for (size_t i = 0; i < wanted.size(); ++i) {
    Share most = 0;
    for (size_t q = 0; q < p.ports.size(); ++q) {
      waiting[q] += wanted[i][q] > 0;
      if (i != ofFlights || unitsUse[q])
        most = std::max(most, wanted[i][q]);
    }
    order.push_back({most, i});
  }
  std::sort(order.begin(), order.end());
  for (const auto &[most, i] : order) {
    std::vector<Share> offered = left;
    for (size_t q = 0; q < offered.size(); ++q)
      if (waiting[q] > 1 && wanted[i][q] > 0)
        offered[q] /= waiting[q];
    std::vector<Share> taken(left.size(), 0);
    if (i == ofFlights) {
      turns.flights = offered;
      taken = takenByFlights(offered);
    } else if (units[i]) {
      std::vector<Share> after = offered;
      turns.speeds[i] = claim(*units[i], after);
      for (size_t q = 0; q < left.size(); ++q)
        taken[q] = offered[q] - after[q];
    }
    for (size_t q = 0; q < left.size(); ++q) {
      left[q] -= taken[q];
      waiting[q] -= wanted[i][q] > 0;
    }
  }
  return turns;
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
