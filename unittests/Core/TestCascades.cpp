//===- TestCascades.cpp - Published cascades ------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCascades.h"

#include <algorithm>

namespace transfusion::core::test {

static constexpr OpClass Mac = OpClass::Mac, Add = OpClass::Add,
                         Max = OpClass::Max, Div = OpClass::Div,
                         Exp = OpClass::Exp, Rsqrt = OpClass::Rsqrt,
                         Erf = OpClass::Erf;

/// The twelve Einsums between Q, BK, BV and AV. `keys`: how a key is addressed.
static void addAttention(CascadeBuilder &b, int64_t m, int64_t m0, int64_t p,
                         bool causal, bool scale, int32_t storage,
                         int32_t accumulator, int64_t window = 0,
                         int64_t padded = 0) {
  const int64_t m1 = (m + m0 - 1) / m0;
  b.rank("m1", m1, /*iterative=*/true);
  b.rank("m0", m0);
  const std::string key = "m1*" + std::to_string(m0) + "+m0";
  const std::string last = std::to_string(m1);
  std::vector<EinsumId> overKeys;
  EinsumId qk =
      b.einsum("QK[b,h,m1,m0,p]", {"Q[b,h,p,e]", "BK[b,h," + key + ",e]"},
               ReduceKind::Add, {{Mac, 1}}, accumulator);
  if (scale)
    b.finish(qk, {{Mac, 1}});
  overKeys.push_back(qk);
  overKeys.push_back(b.einsum("LM[b,h,m1,p]", {"QK[b,h,m1,m0,p]"},
                              ReduceKind::Max, {{Max, 1}}, accumulator));
  b.einsum("RM[b,h,m1+1,p]", {"RM[b,h,m1,p]", "LM[b,h,m1,p]"}, ReduceKind::None,
           {{Max, 1}}, accumulator);
  overKeys.push_back(b.einsum("SLN[b,h,m1,m0,p]",
                              {"QK[b,h,m1,m0,p]", "RM[b,h,m1+1,p]"},
                              ReduceKind::None, {{Exp, 1}, {Add, 1}}, storage));
  overKeys.push_back(b.einsum("SLD[b,h,m1,p]", {"SLN[b,h,m1,m0,p]"},
                              ReduceKind::Add, {{Add, 1}}, accumulator));
  overKeys.push_back(b.einsum("SLNV[b,h,f,m1,p]",
                              {"SLN[b,h,m1,m0,p]", "BV[b,h," + key + ",f]"},
                              ReduceKind::Add, {{Mac, 1}}, accumulator));
  b.einsum("PRM[b,h,m1,p]", {"RM[b,h,m1,p]", "RM[b,h,m1+1,p]"},
           ReduceKind::None, {{Exp, 1}, {Add, 1}}, accumulator);
  b.einsum("SPD[b,h,m1,p]", {"RD[b,h,m1,p]", "PRM[b,h,m1,p]"}, ReduceKind::None,
           {{Mac, 1}}, accumulator);
  b.einsum("RD[b,h,m1+1,p]", {"SLD[b,h,m1,p]", "SPD[b,h,m1,p]"},
           ReduceKind::None, {{Add, 1}}, accumulator);
  b.einsum("SPNV[b,h,f,m1,p]", {"RNV[b,h,f,m1,p]", "PRM[b,h,m1,p]"},
           ReduceKind::None, {{Mac, 1}}, accumulator);
  b.einsum("RNV[b,h,f,m1+1,p]", {"SLNV[b,h,f,m1,p]", "SPNV[b,h,f,m1,p]"},
           ReduceKind::None, {{Add, 1}}, accumulator);
  b.einsum("AV[b,h,f,p]",
           {"RNV[b,h,f," + last + ",p]", "RD[b,h," + last + ",p]"},
           ReduceKind::None, {{Div, 1}}, storage);
  for (EinsumId e : overKeys) {
    if (m1 * m0 != m) // m1*m0 + m0 < m
      b.domain(e, std::to_string(m - 1) + "-m1*" + std::to_string(m0) + "-m0");
    if (causal) { // key <= query + (m - p)
      const int64_t shift = m - p;
      b.domain(e, "p-m1*" + std::to_string(m0) + "-m0" +
                      (shift < 0 ? "" : "+") + std::to_string(shift));
    }
    if (window > 0) { // key > query + (m - p) - window
      const int64_t least = window - 1 - (m - p);
      b.domain(e, "m1*" + std::to_string(m0) + "+m0-p" +
                      (least < 0 ? "" : "+") + std::to_string(least));
    }
    if (padded > 0)
      b.domain(e, "m1*" + std::to_string(m0) + "+m0-" + std::to_string(padded));
  }
  // As if guarded: a row without a key keeps its initial values.
  for (const char *recurrence : {"RM", "RD", "RNV"})
    b.emptySteps(recurrence, EmptySteps::Neutral);
}

Cascade attention(const AttentionShape &s) {
  CascadeBuilder b("attention");
  b.rank("b", s.b);
  b.rank("h", s.h);
  b.rank("e", s.e);
  b.rank("f", s.f);
  b.rank("p", s.p);
  b.input("Q", {s.b, s.h, s.p, s.e}, s.storageBits);
  b.input("BK", {s.b, s.h, s.m, s.e}, s.storageBits);
  b.input("BV", {s.b, s.h, s.m, s.f}, s.storageBits);
  addAttention(b, s.m, s.m0, s.p, s.causal, s.scale, s.storageBits,
               s.accumulatorBits, s.window, s.padded);
  b.output("AV");
  return b.take();
}

/// Residual of `x` and `y`, then LayerNorm; results named prefix + published
/// name, the last one NR.
static void addNorm(CascadeBuilder &b, const std::string &prefix,
                    const std::string &x, const std::string &y, int64_t d,
                    int32_t storage, int32_t accumulator) {
  auto n = [&](const char *name) { return prefix + name; };
  b.input(n("gamma"), {d}, storage);
  b.input(n("beta"), {d}, storage);
  b.einsum(n("IAV[b,p,d]"), {x + "[b,p,d]", y + "[b,p,d]"}, ReduceKind::None,
           {{Add, 1}}, accumulator);
  b.einsum(n("SAV[b,p]"), {n("IAV[b,p,d]")}, ReduceKind::Add, {{Add, 1}},
           accumulator);
  b.einsum(n("MAV[b,p]"), {n("SAV[b,p]")}, ReduceKind::None, {{Mac, 1}},
           accumulator);
  b.einsum(n("DAV[b,p,d]"), {n("IAV[b,p,d]"), n("MAV[b,p]")}, ReduceKind::None,
           {{Add, 1}}, accumulator);
  b.einsum(n("QAV[b,p,d]"), {n("DAV[b,p,d]")}, ReduceKind::None, {{Mac, 1}},
           accumulator);
  b.einsum(n("SQAV[b,p]"), {n("QAV[b,p,d]")}, ReduceKind::Add, {{Add, 1}},
           accumulator);
  b.einsum(n("MQAV[b,p]"), {n("SQAV[b,p]")}, ReduceKind::None, {{Mac, 1}},
           accumulator);
  b.einsum(n("SR[b,p]"), {n("MQAV[b,p]")}, ReduceKind::None,
           {{Rsqrt, 1}, {Add, 1}}, accumulator);
  b.einsum(n("NR[b,p,d]"),
           {n("DAV[b,p,d]"), n("SR[b,p]"), n("gamma[d]"), n("beta[d]")},
           ReduceKind::None, {{Mac, 2}, {Add, 1}}, storage);
}

Cascade bertLayer(const BertShape &s) {
  CascadeBuilder b("bert");
  const int64_t d = s.h * s.e;
  const int32_t st = s.storageBits, ac = s.accumulatorBits;
  b.rank("b", s.b);
  b.rank("h", s.h);
  b.rank("e", s.e);
  b.rank("f", s.e);
  b.rank("d", d);
  b.rank("p", s.p);
  b.rank("m", s.p);
  b.input("X", {s.b, s.p, d}, st);
  for (const char *w : {"WQ", "WK", "WV"})
    b.input(w, {d, s.h, s.e}, st);
  for (const char *bias : {"bq", "bk", "bv"})
    b.input(bias, {s.h, s.e}, st);
  EinsumId q = b.einsum("Q[b,h,p,e]", {"X[b,p,d]", "WQ[d,h,e]"},
                        ReduceKind::Add, {{Mac, 1}}, st);
  b.finish(q, {{Add, 1}}, {"bq[h,e]"});
  EinsumId k = b.einsum("BK[b,h,m,e]", {"X[b,m,d]", "WK[d,h,e]"},
                        ReduceKind::Add, {{Mac, 1}}, st);
  b.finish(k, {{Add, 1}}, {"bk[h,e]"});
  EinsumId v = b.einsum("BV[b,h,m,f]", {"X[b,m,d]", "WV[d,h,f]"},
                        ReduceKind::Add, {{Mac, 1}}, st);
  b.finish(v, {{Add, 1}}, {"bv[h,f]"});
  addAttention(b, s.p, s.m0, s.p, /*causal=*/false, /*scale=*/true, st, ac);
  b.input("WO", {s.h, s.e, d}, st);
  b.input("bo", {d}, st);
  EinsumId o = b.einsum("O[b,p,d]", {"AV[b,h,f,p]", "WO[h,f,d]"},
                        ReduceKind::Add, {{Mac, 1}}, ac);
  b.finish(o, {{Add, 1}}, {"bo[d]"});
  addNorm(b, "", "X", "O", d, st, ac);
  b.rank("s", s.s);
  b.input("W1", {d, s.s}, st);
  b.input("b1", {s.s}, st);
  b.input("W2", {s.s, d}, st);
  b.input("b2", {d}, st);
  EinsumId f1 = b.einsum("FFN1[b,p,s]", {"NR[b,p,d]", "W1[d,s]"},
                         ReduceKind::Add, {{Mac, 1}}, ac);
  b.finish(f1, {{Add, 1}}, {"b1[s]"});
  b.einsum("AR[b,p,s]", {"FFN1[b,p,s]"}, ReduceKind::None,
           {{Mac, 3}, {Add, 1}, {Erf, 1}}, st);
  EinsumId f2 = b.einsum("FFN2[b,p,d]", {"AR[b,p,s]", "W2[s,d]"},
                         ReduceKind::Add, {{Mac, 1}}, ac);
  b.finish(f2, {{Add, 1}}, {"b2[d]"});
  addNorm(b, "ln2.", "NR", "FFN2", d, st, ac);
  b.output("ln2.NR");
  return b.take();
}

Cascade chain(int64_t i, int64_t j, int64_t k) {
  CascadeBuilder b("chain");
  b.rank("i", i);
  b.rank("j", j);
  b.rank("k", k);
  b.input("A", {i, j});
  b.input("B", {j, k});
  b.einsum("T1[i,k]", {"A[i,j]", "B[j,k]"}, ReduceKind::Add, {{Mac, 1}});
  b.einsum("T2[i,k]", {"T1[i,k]"}, ReduceKind::None, {{Max, 1}});
  b.einsum("T3[i]", {"T2[i,k]"}, ReduceKind::Add, {{Add, 1}});
  b.output("T3");
  return b.take();
}

Cascade matmul(int64_t i, int64_t j, int64_t k) {
  CascadeBuilder b("matmul");
  b.rank("i", i);
  b.rank("j", j);
  b.rank("k", k);
  b.input("A", {i, j});
  b.input("B", {j, k});
  b.einsum("T[i,k]", {"A[i,j]", "B[j,k]"}, ReduceKind::Add, {{Mac, 1}});
  b.output("T");
  return b.take();
}

Cascade pair(bool recurs) {
  CascadeBuilder b("pair");
  b.rank("p", 64);
  b.rank("m", 16, /*iterative=*/true);
  b.input("A", {16, 64});
  b.einsum("X[m,p]", {recurs ? "Y[m,p]" : "A[m,p]"}, ReduceKind::None,
           {{Mac, 10}});
  b.einsum(recurs ? "Y[m+1,p]" : "Y[m,p]", {"X[m,p]"}, ReduceKind::None,
           {{Mac, 7}});
  return b.take();
}

} // namespace transfusion::core::test
