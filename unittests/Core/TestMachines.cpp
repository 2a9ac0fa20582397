//===- TestMachines.cpp - Published machines and a plain schedule ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCascades.h"

namespace transfusion::core::test {

static void setOp(Unit &u, OpClass cls, int64_t cycles, double pj) {
  u.ops[static_cast<int>(cls)] = {true, cycles, pj, {}};
}

static void expand(Unit &u, OpClass cls,
                   std::vector<std::pair<OpClass, int32_t>> into) {
  u.ops[static_cast<int>(cls)] = {true, 0, 0, std::move(into)};
}

static void setOps(Unit &u, bool max, bool div) {
  setOp(u, OpClass::Mac, 1, 17.16);
  setOp(u, OpClass::Add, 1, 8.34);
  if (max)
    setOp(u, OpClass::Max, 1, .028);
  if (div)
    setOp(u, OpClass::Div, 1, 36.25);
  for (OpClass cls : {OpClass::Exp, OpClass::Rsqrt, OpClass::Sqrt, OpClass::Log,
                      OpClass::Sin, OpClass::Cos})
    expand(u, cls, {{OpClass::Mac, 6}});
  expand(u, OpClass::Sigmoid,
         {{OpClass::Mac, 6}, {OpClass::Add, 1}, {OpClass::Div, 1}});
  expand(u, OpClass::Tanh,
         {{OpClass::Mac, 7}, {OpClass::Add, 2}, {OpClass::Div, 1}});
  expand(u, OpClass::Erf,
         {{OpClass::Mac, 12}, {OpClass::Div, 1}, {OpClass::Max, 1}});
}

Arch machine(const std::string &name) {
  const std::string suffix = "-max2d";
  const bool max2d =
      name.size() > suffix.size() &&
      name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
  const std::string base =
      max2d ? name.substr(0, name.size() - suffix.size()) : name;
  int64_t side = 16, lanes = 256, capacity = 5 << 20;
  double bandwidth = 30.0 * (1 << 30);
  double readPj = 12512.8 / 512, writePj = 15751.5 / 512;
  if (base == "cloud") {
    side = 256, capacity = 16 << 20;
    bandwidth = 400.0 * (1 << 30);
    readPj = 5859.9 / 512, writePj = 7881.7 / 512;
  } else if (base == "edge-32") {
    side = 32;
  } else if (base == "edge-64") {
    side = 64, capacity = 8 << 20;
  } else if (base == "tiny") {
    side = 4, lanes = 8, capacity = 16 << 10;
  }
  Arch a;
  a.name = name;
  a.clockHz = 940e6;
  Memory dram;
  dram.name = "dram";
  dram.readBytesPerS = dram.writeBytesPerS = bandwidth;
  dram.readPjPerByte = dram.writePjPerByte = 249.6 / 8;
  Memory buffer;
  buffer.name = "buffer";
  buffer.capacityBytes = capacity;
  buffer.readPjPerByte = readPj;
  buffer.writePjPerByte = writePj;
  a.memories = {dram, buffer};
  Unit grid;
  grid.name = "mac2d";
  grid.isGrid = true;
  grid.rows = grid.cols = side;
  grid.memory = 1;
  setOps(grid, max2d, /*div=*/false);
  Unit vec;
  vec.name = "vec1d";
  vec.cols = lanes;
  vec.memory = 1;
  setOps(vec, /*max=*/true, /*div=*/true);
  a.units = {grid, vec};
  return a;
}

Arch tpuV4i() {
  auto memory = [](const char *name, int64_t instances, int64_t bytes) {
    Memory m;
    m.name = name;
    m.instances = instances;
    m.capacityBytes = bytes;
    return m;
  };
  Arch a;
  a.name = "tpu-v4i";
  a.clockHz = 1.05e9;
  a.memories = {memory("dram", 1, -1), memory("gbuf", 1, 128 << 20),
                memory("lbuf", 4, 4 << 20), memory("reg", 4 * 128 * 128, 2)};
  Memory &dram = a.memories[0], &gbuf = a.memories[1], &lbuf = a.memories[2];
  dram.readBytesPerS = dram.writeBytesPerS = 614e9;
  dram.readPjPerByte = dram.writePjPerByte = 8 * 7.03;
  gbuf.sharedPort = false;
  gbuf.readBytesPerS = 2048e9, gbuf.writeBytesPerS = 1024e9;
  gbuf.readPjPerByte = 8 * 1.88, gbuf.writePjPerByte = 8 * 2.36;
  lbuf.readPjPerByte = 8 * .249, lbuf.writePjPerByte = 8 * .293;
  lbuf.keeps = {true, false, true};
  a.memories[3].keeps = {false, true, false};
  Unit grid;
  grid.name = "mac2d";
  grid.instances = 4;
  grid.isGrid = true;
  grid.rows = grid.cols = 128;
  grid.memory = 3;
  grid.alongRows = {/*inputs=*/false, /*outputs=*/true};
  grid.alongCols = {/*inputs=*/true, /*outputs=*/false};
  setOp(grid, OpClass::Mac, 1, .084);
  Unit vec;
  vec.name = "vec1d";
  vec.instances = 4;
  vec.cols = 128;
  vec.memory = 2;
  for (int cls = 0; cls < kNumOpClasses; ++cls)
    setOp(vec, OpClass(cls), 1, 0);
  a.units = {grid, vec};
  return a;
}

namespace {

/// Fills one phase after another with slots in dependence order.
class PlainSchedule {
public:
  PlainSchedule(const Cascade &c, const Arch &a) : c(c), a(a) {}

  Phase phase(const std::vector<std::string> &order) {
    Phase p;
    p.block.assign(c.ranks.size(), 0);
    p.inner.assign(c.ranks.size(), 0);
    for (const std::string &r : order)
      p.order.push_back(rankId(c, r));
    for (size_t u = 0; u < a.units.size(); ++u)
      p.runs.push_back({static_cast<UnitId>(u), {}});
    return p;
  }

  void inner(Phase &p, const std::string &rank, int64_t size) {
    p.inner[rankId(c, rank)] = size;
  }

  void add(Phase &p, const std::string &name, const std::string &row,
           const std::string &col, bool finishOnly = false) {
    EinsumId id = einsumId(c, name);
    const Einsum &e = c.einsums[id];
    Slot s;
    s.einsum = id;
    s.finishOnly = finishOnly;
    if (e.hasRank(rankId(c, row)))
      s.rows = {rankId(c, row)};
    for (const std::string &r : {col, std::string("h")})
      if (s.cols.empty() && e.hasRank(rankId(c, r)))
        s.cols = {rankId(c, r)};
    for (size_t u = 0; u < a.units.size(); ++u)
      if (cyclesPerPoint(a.units[u], e.pointOps) >= 0 &&
          cyclesPerPoint(a.units[u], e.finishOps) >= 0) {
        p.runs[u].slots.push_back(s);
        return;
      }
  }

  void addNorm(Phase &p, const std::string &prefix) {
    for (const char *n :
         {"IAV", "SAV", "MAV", "DAV", "QAV", "SQAV", "MQAV", "SR", "NR"})
      add(p, prefix + n, "p", "d");
  }

  Group group(const std::vector<std::pair<std::string, int64_t>> &tiles) {
    Group g;
    g.tile.assign(c.ranks.size(), 0);
    for (const auto &t : tiles) {
      g.tileOrder.push_back(rankId(c, t.first));
      g.tile[rankId(c, t.first)] = t.second;
    }
    return g;
  }

private:
  const Cascade &c;
  const Arch &a;
};

} // namespace

Schedule bertSchedule(const Cascade &c, const Arch &a, const BertTiles &t) {
  PlainSchedule s(c, a);
  Schedule result;

  Group kv = s.group({{"b", t.b}, {"m", t.kvM}});
  Phase project = s.phase({"h", "b", "m"});
  s.inner(project, "h", 1);
  s.inner(project, "b", 1);
  s.inner(project, "m", t.innerM);
  s.add(project, "BK", "m", "e");
  s.add(project, "BV", "m", "f");
  kv.phases = {project};

  Group rest = s.group({{"b", t.b}, {"p", t.p}});
  Phase q = s.phase({"h", "b", "p"});
  s.inner(q, "h", 1);
  s.inner(q, "b", 1);
  s.inner(q, "p", t.innerP);
  s.add(q, "Q", "p", "e");

  Phase att = s.phase({"h", "b", "p", "m1"});
  s.inner(att, "h", t.headsPerEpoch);
  s.inner(att, "b", 1);
  s.inner(att, "p", t.innerP);
  s.inner(att, "m1", 1);
  att.block[rankId(c, "m1")] = t.blockKeys;
  for (const char *n : {"QK", "LM", "RM", "SLN", "SLD", "SLNV", "PRM", "SPD",
                        "RD", "SPNV", "RNV"})
    s.add(att, n, "p", "m0");

  Phase out = s.phase({"b", "p"});
  s.inner(out, "b", 1);
  s.inner(out, "p", t.innerP);
  s.add(out, "AV", "p", "f");
  s.add(out, "O", "p", "d");
  s.addNorm(out, "");

  Phase ffn = s.phase({"s", "b", "p"});
  s.inner(ffn, "s", t.innerS);
  ffn.block[rankId(c, "s")] = t.blockS;
  s.inner(ffn, "b", 1);
  s.inner(ffn, "p", t.innerP);
  s.add(ffn, "FFN1", "p", "s");
  s.add(ffn, "AR", "p", "s");
  s.add(ffn, "FFN2", "p", "s");

  Phase norm = s.phase({"b", "p"});
  s.inner(norm, "b", 1);
  s.inner(norm, "p", t.innerP);
  s.add(norm, "FFN2", "p", "d", /*finishOnly=*/true);
  s.addNorm(norm, "ln2.");

  rest.phases = {q, att, out, ffn, norm};
  result.groups = {kv, rest};
  return result;
}

} // namespace transfusion::core::test
