//===- Policy.h - What may be fused, and how it is bound --------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Baselines are policies of the same search on the same model. A policy says
// which Einsums form groups and phases, which unit an Einsum is bound to, and
// whether phases are pipelined. Tiles are searched within it.
//
//   unfused            each Einsum is a group of its own
//   flat               attention is one group, Einsum after Einsum on whole
//                      rows of scores that stay on chip (FLAT, ASPLOS 2023)
//   fusemax            attention is one group, one pass, fixed binding and
//                      waterfall (FuseMax, MICRO 2024); LM on the 2D array
//                      where that does max
//   fusemax-modelled   the same with LM on 1D always, as TransFusion models it
//   fusemax-layerfuse  groups of transfusion, attention as in fusemax, every
//                      other phase one Einsum after the other
//   transfusion-paper  the fixed groups, DPipe as published
//   transfusion        whatever the search finds
//
// In unfused and flat the softmax runs on vector lanes, as in the published
// baselines; every other Einsum goes to the unit that finishes it first. What
// the first five do not fuse is `unfused`.
//
// Toy example: Q -> {QK, LM, .. RNV} -> AV -> O. fusemax: {Q} {QK .. AV} {O}.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SEARCH_POLICY_H
#define TRANSFUSION_CORE_SEARCH_POLICY_H

#include <cstdint>
#include <optional>
#include <string>

namespace transfusion::core {

enum class Policy : uint8_t {
  TransFusion,
  TransFusionPaper,
  FuseMaxLayerFuse,
  FuseMax,
  FuseMaxModelled,
  Flat,
  Unfused
};
inline constexpr int kNumPolicies = 7;
const char *policyName(Policy p);
/// None where no policy has that name.
std::optional<Policy> policyFromName(const std::string &name);

/// Passes over the keys that attention is decomposed into for this policy.
int attentionPasses(Policy p);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_SEARCH_POLICY_H
