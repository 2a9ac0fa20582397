//===- Fabric.h - Ports and what moves over them ----------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *flight* is a transfer under way. Flights share ports by urgency:
// the one that is needed first gets what it can use, the next one what is left;
// bursts are small, so that a more urgent flight overtakes at once. At the
// ports of the memory that feeds them, units and the flights together are
// served in turn: nobody gets less than an even share, unless it wants less.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SIM_FABRIC_H
#define TRANSFUSION_LIB_CORE_SIM_FABRIC_H

#include "Ticks.h"
#include "transfusion/Core/Sim/Program.h"

#include <limits>

namespace transfusion::core::sim {

/// When something must have arrived: at a step of the phase that is run as
/// number `phase` of its group.
struct Deadline {
  int64_t phase = 0, step = 0;
  bool operator<=(const Deadline &o) const {
    return phase != o.phase ? phase < o.phase : step <= o.step;
  }
  bool operator==(const Deadline &o) const {
    return phase == o.phase && step == o.step;
  }
};
inline constexpr int64_t kPhaseEnd = std::numeric_limits<int64_t>::max();

/// Part of a port's bandwidth, in units of 2^-30 of it.
using Share = int64_t;
inline constexpr Share kWholePort = Share(1) << 30;

struct PortUse {
  int32_t port = -1;
  Share share = 0; ///< at full speed; above kWholePort: more than there is
};

struct Flight {
  Deadline by;
  int32_t transfer = -1; ///< of the group
  int64_t piece = 0;     ///< fetch, epoch or outer tile
  Ticks left = 0;        ///< at full speed
  std::vector<PortUse> uses;
};

class Fabric {
public:
  explicit Fabric(const Program &p) : carried(p.ports.size()), p(p) {}

  /// A flight of that many bytes; its uses name the ports.
  void start(Flight f, int64_t bytes);

  /// Speed of something that uses these ports where so much of each is left;
  /// takes that much away.
  static Share claim(const std::vector<PortUse> &uses,
                     std::vector<Share> &left);
  /// What units that use these ports (null: nothing) and flights get in turn:
  /// speeds by unit, and of each port what is there for flights.
  struct Turns {
    std::vector<Share> speeds, flights;
  };
  Turns inTurn(const std::vector<const std::vector<PortUse> *> &units) const;
  std::vector<Share> wholePorts() const {
    return std::vector<Share>(p.ports.size(), kWholePort);
  }

  /// Ticks until a flight arrives; -1 when none moves.
  Ticks untilArrival(std::vector<Share> left) const;
  /// Lets time pass; arrivals are appended to `arrived`.
  void advance(Ticks ticks, std::vector<Share> left);

  /// Flights that must have arrived by then, and the speed of the first.
  int64_t waitingFor(const Deadline &by, Share *speed) const;

  std::vector<Flight> flights; ///< most urgent first
  std::vector<Flight> arrived; ///< for the caller to take
  std::vector<Wide> carried;   ///< by port: ticks times share

private:
  const Program &p;
};

} // namespace transfusion::core::sim

#endif // TRANSFUSION_LIB_CORE_SIM_FABRIC_H
