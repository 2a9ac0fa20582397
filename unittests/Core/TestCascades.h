//===- TestCascades.h - Published cascades and machines ---------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cascades and machines that Core tests share, written by hand: nothing here
// depends on the importer that the tool uses.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_CORE_TESTCASCADES_H
#define TRANSFUSION_UNITTESTS_CORE_TESTCASCADES_H

#include "transfusion/Core/Model/Schedule.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace transfusion::core::test {

using Ops = std::initializer_list<std::pair<OpClass, int>>;

/// Writes a cascade down as the literature does. Accesses are text:
///   b.rank("i", 4); b.input("A", {4, 8}); b.input("B", {8, 5});
///   b.einsum("C[i,k]", {"A[i,j]", "B[j,k]"}, ReduceKind::Add, {{Mac, 1}});
/// Ranks of the result come first, then those that only inputs have.
class CascadeBuilder {
public:
  explicit CascadeBuilder(const std::string &name) { c.name = name; }
  RankId rank(const std::string &name, int64_t extent, bool iterative = false);
  TensorId input(const std::string &name, std::vector<int64_t> shape,
                 int32_t bits = 32);
  /// The tensor's shape follows from the ranks of its access; a dimension
  /// written at r+1 of an iterative rank makes it a recurrence, of extent + 1.
  EinsumId einsum(const std::string &result,
                  const std::vector<std::string> &inputs, ReduceKind reduce,
                  Ops pointOps, int32_t bits = 32);
  void finish(EinsumId e, Ops ops, const std::vector<std::string> &inputs = {});
  /// expr >= 0, for example domain(e, "15-m1*4-m0").
  void domain(EinsumId e, const std::string &expr);
  void output(const std::string &tensor);
  /// Of a recurrence: what a step without points does.
  void emptySteps(const std::string &tensor, EmptySteps empty);
  Cascade take();

  RankId rankId(const std::string &name) const;
  TensorId tensorId(const std::string &name);

private:
  LinearExpr parseExpr(const std::string &text) const;
  Operand parseOperand(const std::string &text);
  Cascade c;
};

struct AttentionShape {
  int64_t b = 1, h = 4, e = 64, f = 64, p = 4096, m = 4096;
  int64_t m0 = 256; ///< key tile; ragged when it does not divide m
  int32_t storageBits = 16, accumulatorBits = 16;
  bool causal = false; ///< the last query is aligned with the last key
  int64_t window = 0;  ///< keys that a query sees at most; 0: all
  int64_t padded = 0;  ///< keys that do not exist, the first ones
  bool scale = false;  ///< the published cascade has none
};

/// The twelve published Einsums, QK ... AV; Q, BK, BV are inputs. Ranks
/// b h e f p m1 m0.
Cascade attention(const AttentionShape &s);

struct BertShape {
  int64_t b = 64, h = 12, e = 64, p = 1024, s = 3072;
  int64_t m0 = 16;
  int32_t storageBits = 32, accumulatorBits = 32;
};

/// A whole encoder layer: Q BK BV, attention, AV, O, residual and norm, FFN1 AR
/// FFN2, residual and norm (second norm prefixed "ln2."). Ranks b h e f d p m
/// m1 m0 s.
Cascade bertLayer(const BertShape &s);

/// T1[i,k] = sum_j A[i,j]*B[j,k]; T2 = max(T1, 0); T3[i] = sum_k T2.
Cascade chain(int64_t i, int64_t j, int64_t k);

/// T[i,k] = sum_j A[i,j]*B[j,k].
Cascade matmul(int64_t i = 10, int64_t j = 3, int64_t k = 6);

/// X[m,p], ten macs a point, then Y[m,p] of X, seven; `recurs`: X reads the
/// slice of Y before. 16 x 64.
Cascade pair(bool recurs);

/// "cloud", "cloud-max2d", "edge", "edge-max2d", "edge-32", "edge-64" (and
/// -max2d twins), "tiny" (4x4 array, 8 lanes, 16 KiB).
Arch machine(const std::string &name);
/// Google TPU v4i as AccelForge describes it: four memories, four cores.
Arch tpuV4i();

EinsumId einsumId(const Cascade &c, const std::string &name);
RankId rankId(const Cascade &c, const std::string &name);
TensorId tensorId(const Cascade &c, const std::string &name);

/// The fixed grouping of a BERT layer with slots in dependence order, one
/// stage: every Einsum that the first unit supports on it, the rest on the
/// second. Sizes as asked for, 0 = whole.
struct BertTiles {
  int64_t b = 1, p = 192, kvM = 192;
  int64_t innerP = 16, innerM = 16, innerS = 16, headsPerEpoch = 4;
  int64_t blockS = 0, blockKeys = 0;
};
Schedule bertSchedule(const Cascade &c, const Arch &a, const BertTiles &t);

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_TESTCASCADES_H
