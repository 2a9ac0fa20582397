//===- LowerBound.cpp - What no schedule can beat -------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes that must cross, and with them the bound as a whole. What the lanes
// take is in WorkBound.cpp, what recurrences take in RecurrenceBound.cpp.
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/LowerBound.h"

#include "Pieces.h"
#include "transfusion/Core/Model/ActiveSteps.h"
#include "transfusion/Core/Model/Footprint.h"
#include "transfusion/Core/Model/Projection.h"

#include <algorithm>

namespace transfusion::core {

namespace {

/// A count that exceeds 2^63 is still bounded by it.
double countOf(int64_t n) { return n < 0 ? 0x1.0p63 : double(n); }

/// True when the coordinates have no gaps: each step is no longer than what the
/// smaller ones reach together, plus one.
bool isDense(const Cascade &c, const LinearExpr &expr) {
  std::vector<std::pair<int64_t, int64_t>> steps; // step, extent
  for (const auto &t : expr.terms)
    steps.push_back(
        {t.second < 0 ? -t.second : t.second, c.ranks[t.first].extent});
  std::sort(steps.begin(), steps.end());
  double reach = 0;
  for (const auto &s : steps) {
    if (double(s.first) > reach + 1)
      return false;
    reach += double(s.first) * double(s.second - 1);
  }
  return true;
}

/// Values of dimensions that are cut by `domain`: those that some point has.
double valuesCut(const Cascade &c, const Access &dims,
                 const std::vector<Constraint> &domain) {
  std::vector<RankId> ranks;
  std::vector<Span> spans;
  for (const LinearExpr &expr : dims) {
    if (!isDigits(c, expr))
      return 1; // of a halo no more is certain
    for (const auto &t : expr.terms) {
      ranks.push_back(t.first);
      spans.push_back({0, c.ranks[t.first].extent});
    }
  }
  return countOf(countPoints(ranks, spans, project(c, domain, ranks)));
}

/// Values that must cross: no more than are really used. Dimensions for which
/// that is not plain (gaps, a diagonal) count as one value.
double compulsoryBytes(const Cascade &c, const Operand &o,
                       const std::vector<Constraint> &domain) {
  const Tensor &t = c.tensors[o.tensor];
  const std::vector<Span> whole = wholeSpans(c);
  std::vector<bool> counted(c.ranks.size(), false);
  auto isCut = [&](const LinearExpr &expr) {
    for (const Constraint &k : domain)
      for (const auto &term : expr.terms)
        if (k.expr.uses(term.first))
          return true;
    return false;
  };
  double values = 1, uncut = 1;
  Access cut;
  for (size_t d = 0; d < o.access.size(); ++d) {
    const LinearExpr &expr = o.access[d];
    bool plain = isDigits(c, expr) || isDense(c, expr);
    for (const auto &term : expr.terms)
      plain &= !counted[term.first];
    if (!plain)
      continue;
    for (const auto &term : expr.terms)
      counted[term.first] = true;
    const double n = countOf(valuesInPiece(c, {expr}, {t.shape[d]}, whole));
    if (isCut(expr)) {
      cut.push_back(expr);
      uncut *= n;
    } else {
      values *= n;
    }
  }
  if (!cut.empty())
    values *= std::min(uncut, valuesCut(c, cut, domain));
  return values * double(bytesPerValue(t.bitsPerValue));
}

int64_t toBytes(double bytes) {
  return bytes >= 0x1.0p63 ? INT64_MAX : int64_t(bytes);
}

/// Bytes that a set of Einsums moves at least, with everything else outside.
struct Compulsory {
  double read = 0, written = 0;           ///< outside of the buffers
  double outerRead = 0, outerWritten = 0; ///< of these, at memory 0
  /// At the memory that feeds the units: every Einsum reads each value of its
  /// operands once, and writes each of its results once.
  double operands = 0, results = 0;
};

/// A phase may leave out steps of it: a domain cuts its iterative rank.
bool mayBeSkipped(const Cascade &c, const Einsum &einsum) {
  for (RankId r : einsum.ranks)
    for (const Einsum &other : c.einsums)
      for (const Constraint &constraint : other.domain)
        if (c.ranks[r].iterative && constraint.expr.uses(r))
          return true;
  return false;
}

/// Points of the Einsum that read a value: before the first slice of a
/// recurrence there is a constant.
std::vector<Constraint> pointsThatRead(const Cascade &c, const Einsum &einsum,
                                       const Operand &o) {
  std::vector<Constraint> where = einsum.domain;
  const Tensor &t = c.tensors[o.tensor];
  if (t.iterativeDim >= 0 && t.producer >= 0) {
    where.push_back({o.access[t.iterativeDim]});
    --where.back().expr.constant;
  }
  return where;
}

/// Constraints of the results that exist: those on their ranks alone.
std::vector<Constraint> resultDomain(const Cascade &c, EinsumId e) {
  std::vector<Constraint> where;
  for (const Constraint &k : c.einsums[e].domain) {
    bool kept = true;
    for (const auto &term : k.expr.terms)
      kept &= !isReducedRank(c, e, term.first);
    if (kept)
      where.push_back(k);
  }
  return where;
}

/// Of the bytes that are touched of `t`, those that no Einsum inside makes:
/// what extends a tensor is made where its pieces are.
double fromOutside(const Cascade &c, const std::vector<bool> &inside,
                   TensorId t, double touched) {
  bool someOutside = false;
  for (TensorId piece : piecesOf(c, t)) {
    const EinsumId maker = c.tensors[piece].producer;
    if (maker < 0 || !inside[maker])
      someOutside = true;
    else
      touched -= countOf(resultCount(c, maker)) *
                 double(bytesPerValue(c.tensors[piece].bitsPerValue));
  }
  return someOutside ? std::max(touched, 0.0) : 0;
}

Compulsory compulsory(const Cascade &c, const std::vector<EinsumId> &einsums,
                      const std::vector<bool> &resides) {
  std::vector<bool> inside(c.einsums.size(), false);
  for (EinsumId e : einsums)
    inside[e] = true;
  // With a tensor that is needed elsewhere all that it extends goes out.
  std::vector<bool> leaves(c.tensors.size(), false);
  auto leave = [&](TensorId t) {
    for (TensorId piece : piecesOf(c, t))
      leaves[piece] = true;
  };
  for (TensorId t = 0; t < static_cast<TensorId>(c.tensors.size()); ++t)
    if (c.tensors[t].isOutput)
      leave(t);
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e)
    if (!inside[e])
      for (const auto *part :
           {&c.einsums[e].inputs, &c.einsums[e].finishInputs})
        for (const Operand &o : *part)
          leave(o.tensor);
  Compulsory bytes;
  // Of readers with different accesses the one that touches most.
  std::vector<double> perInput(c.tensors.size(), 0);
  for (EinsumId e : einsums) {
    const Einsum &einsum = c.einsums[e];
    for (const auto *part : {&einsum.inputs, &einsum.finishInputs})
      for (const Operand &o : *part) {
        const double touched =
            compulsoryBytes(c, o, pointsThatRead(c, einsum, o));
        if (!mayBeSkipped(c, einsum))
          bytes.operands += touched;
        double &most = perInput[piecesOf(c, o.tensor).back()];
        most = std::max(most, fromOutside(c, inside, o.tensor, touched));
      }
    // Of a recurrence, only the last slice is sure to leave.
    const Tensor &result = c.tensors[einsum.result.tensor];
    const double made = compulsoryBytes(c, einsum.result, resultDomain(c, e));
    if (!mayBeSkipped(c, einsum))
      bytes.results += compulsoryBytes(c, einsum.result, einsum.domain);
    if (!leaves[einsum.result.tensor])
      continue;
    const double left =
        result.iterativeRank < 0
            ? made
            : made / double(c.ranks[result.iterativeRank].extent);
    bytes.written += left;
    bytes.outerWritten += resides[einsum.result.tensor] ? 0 : left;
  }
  for (size_t t = 0; t < perInput.size(); ++t) {
    bytes.read += perInput[t];
    bytes.outerRead += resides[t] ? 0 : perInput[t];
  }
  return bytes;
}

double portCycles(const Arch &a, const Memory &m, double read, double written) {
  auto cycles = [&](double bytes, double perS) {
    return perS > 0 ? bytes * a.clockHz / perS : 0.0;
  };
  return m.sharedPort ? cycles(read + written, m.readBytesPerS)
                      : std::max(cycles(read, m.readBytesPerS),
                                 cycles(written, m.writeBytesPerS));
}

/// `resides`: by tensor, that it is not in memory 0 while the Einsums run.
LowerBound boundOf(const Cascade &c, const Arch &a,
                   const std::vector<EinsumId> &einsums,
                   const std::vector<bool> &resides) {
  LowerBound b;
  const Compulsory bytes = compulsory(c, einsums, resides);
  b.compulsoryReadBytes = toBytes(bytes.outerRead);
  b.compulsoryWriteBytes = toBytes(bytes.outerWritten);
  b.workCycles = workBoundCycles(c, a, einsums);
  b.recurrenceCycles = recurrenceBoundCycles(c, a, einsums);
  b.parts.push_back({"work", b.workCycles});
  b.parts.push_back({"recurrence", b.recurrenceCycles});
  MemoryId inner = a.units.empty() ? -1 : a.units.front().memory;
  for (size_t m = 0; m < a.memories.size(); ++m) {
    // What comes in is written to the memory that feeds the units, what leaves
    // is read there. Memories in between may be passed by.
    const bool feeds = static_cast<MemoryId>(m) == inner;
    if (m != 0 && !feeds)
      continue;
    const double read =
        feeds ? bytes.written + bytes.operands : bytes.outerRead;
    const double written =
        feeds ? bytes.read + bytes.results : bytes.outerWritten;
    const double cycles = portCycles(a, a.memories[m], read, written);
    b.memoryCycles = std::max(b.memoryCycles, cycles);
    b.parts.push_back(
        {a.memories[m].name + (feeds ? " ports" : " bandwidth"), cycles});
  }
  for (const BoundPart &part : b.parts)
    if (b.limitedBy.empty() || part.cycles > b.cycles) {
      b.cycles = part.cycles;
      b.limitedBy = part.name;
    }
  return b;
}

} // namespace

LowerBound lowerBound(const Cascade &c, const Arch &a) {
  std::vector<EinsumId> all;
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e)
    all.push_back(e);
  return boundOf(c, a, all, std::vector<bool>(c.tensors.size(), false));
}

std::vector<LowerBound> groupBounds(const Cascade &c, const Arch &a,
                                    const Schedule &s) {
  std::vector<LowerBound> bounds;
  std::vector<bool> resides(c.tensors.size(), false);
  for (const Resident &r : s.residents)
    resides[r.tensor] = true;
  for (const Group &g : s.groups) {
    std::vector<EinsumId> members;
    for (const Phase &p : g.phases)
      for (const Run &run : p.runs)
        for (const Slot &slot : run.slots)
          if (!slot.finishOnly)
            members.push_back(slot.einsum);
    bounds.push_back(boundOf(c, a, members, resides));
  }
  return bounds;
}

} // namespace transfusion::core
