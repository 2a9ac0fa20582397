//===- Gpt3.cpp - The layer of AccelForge's reference ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gpt3.h"

namespace transfusion::core::test {

Cascade gpt3(bool decode) {
  const Ops mac = {{OpClass::Mac, 1}};
  CascadeBuilder b("gpt3");
  b.rank("h", 96), b.rank("e", 128), b.rank("f", 128);
  b.rank("d", 12288), b.rank("g", 12288), b.rank("c", 49152);
  b.rank("j", 12288), b.rank("m", decode ? 1 : 2048);
  b.rank("p", decode ? 2047 : 2048);
  const int64_t m = decode ? 1 : 2048;
  b.input("I_in", {m, 12288}, 16);
  for (const char *w : {"WQ", "WK", "WV"})
    b.input(w, {12288, 96, 128}, 16);
  b.input("WZ", {96, 128, 12288}, 16);
  b.input("WFFA", {12288, 49152}, 16);
  b.input("WFFB", {49152, 12288}, 16);
  if (decode)
    for (const char *cache : {"K_cache", "V_cache"})
      b.input(cache, {96, 128, 2047}, 16);
  const std::string k = decode ? "K_cache" : "K", v = decode ? "V_cache" : "V";
  b.einsum("I[m,d]", {"I_in[m,d]"}, ReduceKind::None, {{OpClass::Copy, 1}}, 16);
  for (const std::string x : {"V", "K", "Q"})
    b.einsum(x + "[h,e,m]", {"I[m,d]", "W" + x + "[d,h,e]"}, ReduceKind::Add,
             mac, 16);
  b.einsum("QK[h,m,p]", {"Q[h,e,m]", k + "[h,e,p]"}, ReduceKind::Add, mac, 16);
  b.einsum("QK_softmax[h,m,p]", {"QK[h,m,p]"}, ReduceKind::None,
           {{OpClass::Exp, 1}}, 16);
  b.einsum("AV[h,f,m]", {"QK_softmax[h,m,p]", v + "[h,f,p]"}, ReduceKind::Add,
           mac, 16);
  b.einsum("Z[g,m]", {"AV[h,f,m]", "WZ[h,f,g]"}, ReduceKind::Add, mac, 16);
  b.einsum("FFA[c,m]", {"Z[g,m]", "WFFA[g,c]"}, ReduceKind::Add, mac, 16);
  b.einsum("FFB[j,m]", {"FFA[c,m]", "WFFB[c,j]"}, ReduceKind::Add, mac, 16);
  b.output("FFB");
  return b.take();
}

} // namespace transfusion::core::test
