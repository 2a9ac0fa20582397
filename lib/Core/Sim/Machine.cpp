//===- Machine.cpp - State of the machine while a group runs --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>

namespace transfusion::core::sim {

static bool sameCoordinate(const Coordinate &x, const Coordinate &y) {
  return x.constant == y.constant && x.terms == y.terms;
}

Machine::Machine(const GroupLinks &links, const SimOptions &options,
                 Ledger &ledger, Wide start)
    : p(links.p), links(links), options(options), fabric(links.p),
      holdings(links.p.buffers.size()), pieces(links.p.residents.size()),
      ledger(ledger), now(start) {
  for (size_t b = 0; b < holdings.size(); ++b)
    if (p.buffers[b].group == links.number &&
        links.buffers[b].kind != Kind::Whole) {
      holdings[b].slot.assign(p.buffers[b].slots, -1);
      holdings[b].moving.assign(p.buffers[b].slots, false);
    }
  for (const Phase &phase : links.group.phases) {
    shops.emplace_back(p, phase);
    for (const Refusal &r : shops.back().refusals())
      refusals.push_back(r);
  }
}

void Machine::moveFlights(Ticks ticks) {
  fabric.advance(ticks, fabric.wholePorts());
}

void Machine::stall(Ticks ticks, Stall cause) {
  moveFlights(ticks);
  now += ticks;
  ledger.ticks() += ticks;
  for (size_t u = 0; u < p.units.size(); ++u)
    ledger.stall(u, cause) += ticks;
  land();
}

void Machine::step(const StepTimes &t, bool fillOrDrain, bool flightsMoved) {
  if (!flightsMoved)
    moveFlights(t.length);
  now += t.length;
  ledger.ticks() += t.length;
  ledger.steps() += 1;
  for (size_t u = 0; u < t.units.size(); ++u) {
    const StepTimes::OfUnit &of = t.units[u];
    ledger.busy(u) += of.busy;
    ledger.stall(u, Stall::Data) += of.data;
    ledger.stall(u, Stall::Recurrence) += of.recurrence;
    ledger.stall(u, Stall::Port) += of.port;
    ledger.stall(u, fillOrDrain ? Stall::FillDrain : Stall::Idle) +=
        t.length - of.busy - of.data - of.recurrence - of.port;
  }
  land();
}

void Machine::waitFor(const Deadline &by, Stall cause) {
  Share speed = 0;
  while (int64_t waiting = fabric.waitingFor(by, &speed)) {
    const Ticks ticks = fabric.untilArrival(fabric.wholePorts());
    if (ticks < 0)
      return refuse(links.transfers[fabric.flights.front().transfer].where,
                    "never arrives");
    const bool alone = waiting == 1 && speed == kWholePort;
    const bool load =
        links.transfers[fabric.flights.front().transfer].transfer->isLoad;
    stall(ticks, !load ? cause : alone ? Stall::Load : Stall::Port);
  }
  land();
}

void Machine::waitForSlot(int32_t buffer, size_t slot) {
  while (holdings[buffer].moving[slot]) {
    const Ticks ticks = fabric.untilArrival(fabric.wholePorts());
    if (ticks < 0)
      return refuse(p.buffers[buffer].name, "is never stored");
    stall(ticks, Stall::Buffer);
  }
}

/// Bytes that the copy moves; notes of which box a piece is.
Wide Machine::copied(const Copy &copy, const Box &tile) {
  constexpr Wide most = Wide(1) << 62;
  const Tensor &t = p.tensors[copy.tensor];
  Wide bytes = t.bytesPerValue;
  if (copy.piece < 0) {
    for (int64_t extent : t.shape)
      bytes = std::min(bytes * extent, most);
    return bytes;
  }
  const Resident &r = p.residents[copy.piece];
  bytes = std::min(most, bytes * valuesIn(p, copy.tensor, r.access, tile));
  if (bytes > r.bytes)
    refuse(links.group.name + ", copy of " + t.name,
           "overwrites what is still needed: its piece takes " +
               std::to_string(static_cast<int64_t>(bytes)) + " bytes of " +
               std::to_string(r.bytes));
  pieces[copy.piece] = tile;
  return bytes;
}

void Machine::copy(const std::vector<Copy> &copies, const Box &tile,
                   int32_t advanced) {
  std::vector<Ticks> busy(p.ports.size(), 0);
  for (const Copy &copy : copies) {
    if (copy.loop < advanced)
      continue;
    const Wide bytes = copied(copy, tile);
    for (int32_t port : {copy.fromPort, copy.toPort})
      busy[port] =
          std::min(kLongest, busy[port] + ticksOf(static_cast<int64_t>(bytes),
                                                  p.ports[port].bytesPerCycle));
  }
  for (size_t port = 0; port < busy.size(); ++port)
    fabric.carried[port] += Wide(busy[port]) * kWholePort;
  const Ticks longest = *std::max_element(busy.begin(), busy.end());
  if (longest > 0)
    stall(longest, Stall::Load);
}

/// What is loaded is in the piece that was copied last.
void Machine::checkInPiece(int32_t transfer, int32_t piece, const Box &box) {
  const Resident &r = p.residents[piece];
  const Box &held = pieces[piece];
  bool covered = !held.empty();
  const Buffer &b = p.buffers[links.transfers[transfer].transfer->buffer];
  for (size_t d = 0; covered && d < r.access.size(); ++d)
    covered = sameCoordinate(b.access[d], r.access[d]);
  for (int32_t rank = 0; covered && rank < static_cast<int32_t>(box.size());
       ++rank)
    if (usesRank(r.access, rank))
      covered = held[rank].begin <= box[rank].begin &&
                box[rank].begin + box[rank].extent <=
                    held[rank].begin + held[rank].extent;
  if (!covered)
    refuse(links.transfers[transfer].where,
           "reads what was not written: " + p.memories[r.memory].name +
               " holds another piece of " + p.tensors[r.tensor].name);
}

void Machine::start(int32_t transfer, Deadline by, int64_t piece,
                    const Box &box) {
  const Transfer &t = *links.transfers[transfer].transfer;
  const Buffer &b = p.buffers[t.buffer];
  // More than any memory: enough to be refused.
  constexpr Wide most = Wide(1) << 62;
  const int64_t bytes = static_cast<int64_t>(std::min(
      most, Wide(valuesIn(p, t.tensor, b.access, box)) * b.bytesPerValue));
  if (bytes > b.bytesPerSlot)
    refuse(links.transfers[transfer].where,
           "overwrites what is still needed: its piece takes " +
               std::to_string(bytes) + " bytes of a slot of " +
               std::to_string(b.bytesPerSlot) + " in " + b.name);
  if (const int32_t piece = t.isLoad ? links.pieceOf(t.tensor) : -1; piece >= 0)
    checkInPiece(transfer, piece, box);
  Flight f;
  f.by = by;
  f.transfer = transfer;
  f.piece = piece;
  f.uses = links.transfers[transfer].uses;
  fabric.start(std::move(f), bytes);
  land();
}

void Machine::land() {
  for (size_t port = 0; port < fabric.carried.size(); ++port) {
    ledger.carried(port) += fabric.carried[port];
    fabric.carried[port] = 0;
  }
  for (const Flight &f : fabric.arrived) {
    const Transfer &t = *links.transfers[f.transfer].transfer;
    Holding &h = holdings[t.buffer];
    if (links.buffers[t.buffer].kind != Kind::Whole) {
      const size_t slot = f.piece % h.slot.size();
      if (h.slot[slot] == f.piece)
        h.moving[slot] = false;
    } else if (t.isLoad) {
      h.whole = true;
    } else if (t.phasesLater > 0) {
      h.leaving = false;
    }
  }
  fabric.arrived.clear();
}

} // namespace transfusion::core::sim
