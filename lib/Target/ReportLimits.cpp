//===- ReportLimits.cpp - What limits a schedule --------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportParts.h"
#include "TextTable.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace transfusion;
using namespace transfusion::core;

static Roofline rooflineOfGroup(const ScheduleView &v, const ReportNumbers &n,
                                size_t g) {
  const GroupDetail &group = n.detail.groups[g];
  return rooflineOf(v.arch, group.laneCycles, group.readBytes[0],
                    group.writeBytes[0], n.cost.groups[g].latencyCycles);
}

static Roofline rooflineOfLayer(const ScheduleView &v, const ReportNumbers &n) {
  double laneCycles = 0;
  for (const GroupDetail &group : n.detail.groups)
    laneCycles += group.laneCycles;
  return rooflineOf(v.arch, laneCycles, n.cost.readBytes[0],
                    n.cost.writeBytes[0], n.cost.latencyCycles);
}

namespace {
struct NamedPart {
  const char *name;
  const LimitedCycles &part;
};
} // namespace

static std::vector<NamedPart> partsOf(const PhaseLimits &p) {
  return {{"load", p.load},
          {"fill", p.fill},
          {"steady", p.steady},
          {"drain", p.drain},
          {"store", p.store}};
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string cellOf(const LimitedCycles &part) {
  if (part.limit.kind == LimitKind::None)
    return "-";
  return grouped(part.cycles) + " " + part.limit.by;
}

static std::vector<std::string> rooflineRow(const std::string &name,
                                            const Roofline &r) {
  return {"",
          name,
          r.moves ? fixed(r.opsPerByte, 2) : "-",
          r.ridgeOpsPerByte > 0 ? fixed(r.ridgeOpsPerByte, 2) : "-",
          grouped(r.opsPerCycle),
          grouped(r.roofOpsPerCycle),
          percent(r.attained()),
          r.ofMemory ? "memory" : "units"};
}

static std::string rankedText(const std::vector<LimitedCycles> &ranked) {
  double sum = 0;
  for (const LimitedCycles &part : ranked)
    sum += part.cycles;
  std::string text;
  for (size_t i = 0; i < ranked.size() && i < 4; ++i)
    text += (i ? ", " : "") + ranked[i].limit.by + " " +
            percent(ranked[i].cycles / sum);
  return text + (ranked.size() > 4 ? ", ..." : "");
}

void transfusion::writeLimitsText(const ScheduleView &v, const ReportNumbers &n,
                                  llvm::raw_ostream &os) {
  TextTable parts;
  parts.row({"cycles", "", "load", "fill", "steady", "drain", "store"});
  TextTable roofs;
  roofs.row({"roofline", "", "op/B", "ridge", "op/cycle", "roof", "attained",
             "roof of"});
  for (size_t g = 0; g < n.limits.groups.size(); ++g) {
    const GroupLimits &group = n.limits.groups[g];
    const std::string name = groupName(static_cast<int32_t>(g));
    if (group.load.cycles > 0 || group.store.cycles > 0)
      parts.row(
          {"", name, cellOf(group.load), "-", "-", "-", cellOf(group.store)});
    for (size_t p = 0; p < group.phases.size(); ++p) {
      std::vector<std::string> row = {
          "", phaseName(static_cast<int32_t>(g), static_cast<int32_t>(p))};
      for (const NamedPart &part : partsOf(group.phases[p]))
        row.push_back(cellOf(part.part));
      parts.row(std::move(row));
    }
    roofs.row(rooflineRow(name, rooflineOfGroup(v, n, g)));
  }
  roofs.row(rooflineRow("layer", rooflineOfLayer(v, n)));
  parts.print(os);
  os << "\n";
  roofs.print(os);
  os << "\n";
  for (size_t g = 0; g < n.limits.groups.size(); ++g)
    os << "  " << groupName(static_cast<int32_t>(g)) << " limited by "
       << rankedText(n.limits.groups[g].ranked) << "\n";
  os << "  layer limited by " << rankedText(n.limits.ranked) << "\n";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writePart(const LimitedCycles &part, llvm::json::OStream &j) {
  j.attribute("cycles", part.cycles);
  j.attribute("kind", limitKindName(part.limit.kind));
  if (part.limit.kind != LimitKind::None)
    j.attribute("limited_by", part.limit.by);
}

static void writeRanked(const std::vector<LimitedCycles> &ranked,
                        llvm::json::OStream &j) {
  j.attributeArray("limits", [&] {
    for (const LimitedCycles &part : ranked)
      j.object([&] { writePart(part, j); });
  });
}

static void writeRoofline(const Roofline &r, llvm::json::OStream &j) {
  auto orNull = [&](const char *key, bool known, double x) {
    if (known)
      j.attribute(key, x);
    else
      j.attribute(key, nullptr);
  };
  j.attributeObject("roofline", [&] {
    j.attribute("ops", r.ops);
    j.attribute("bytes", r.bytes);
    orNull("ops_per_byte", r.moves, r.opsPerByte);
    orNull("ridge_ops_per_byte", r.ridgeOpsPerByte > 0, r.ridgeOpsPerByte);
    j.attribute("ops_per_cycle", r.opsPerCycle);
    j.attribute("roof_ops_per_cycle", r.roofOpsPerCycle);
    j.attribute("attained", r.attained());
    j.attribute("roof_of", r.ofMemory ? "memory" : "units");
  });
}

void transfusion::writePhaseLimits(const PhaseLimits &limits,
                                   llvm::json::OStream &j) {
  j.attributeObject("parts", [&] {
    for (const NamedPart &part : partsOf(limits))
      j.attributeObject(part.name, [&] { writePart(part.part, j); });
  });
}

void transfusion::writeGroupLimits(const ScheduleView &v,
                                   const ReportNumbers &n, size_t g,
                                   llvm::json::OStream &j) {
  const GroupLimits &group = n.limits.groups[g];
  j.attributeObject("parts", [&] {
    j.attributeObject("load", [&] { writePart(group.load, j); });
    j.attributeObject("store", [&] { writePart(group.store, j); });
  });
  writeRanked(group.ranked, j);
  writeRoofline(rooflineOfGroup(v, n, g), j);
}

void transfusion::writeLayerLimits(const ScheduleView &v,
                                   const ReportNumbers &n,
                                   llvm::json::OStream &j) {
  writeRanked(n.limits.ranked, j);
  writeRoofline(rooflineOfLayer(v, n), j);
}
