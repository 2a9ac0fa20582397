//===- SearchChoices.h - Values of the options of searches ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the passes, and for the pipeline that hands the options on.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TRANSFORMS_SEARCHCHOICES_H
#define TRANSFUSION_TRANSFORMS_SEARCHCHOICES_H

#include "transfusion/Dialect/Sched/IR/Sched.h"
#include "transfusion/Options/Choice.h"

template <>
class llvm::cl::parser<transfusion::sched::Policy>
    : public transfusion::ChoiceParser<transfusion::sched::Policy> {
  using ChoiceParser::ChoiceParser;
};

template <>
class llvm::cl::parser<transfusion::sched::Strategy>
    : public transfusion::ChoiceParser<transfusion::sched::Strategy> {
  using ChoiceParser::ChoiceParser;
};

template <>
class llvm::cl::parser<transfusion::sched::Objective>
    : public transfusion::ChoiceParser<transfusion::sched::Objective> {
  using ChoiceParser::ChoiceParser;
};

template <>
class llvm::cl::parser<transfusion::sched::SearchMode>
    : public transfusion::ChoiceParser<transfusion::sched::SearchMode> {
  using ChoiceParser::ChoiceParser;
};

namespace transfusion {

inline llvm::cl::ValuesClass policyChoices() {
  return llvm::cl::values(
      clEnumValN(sched::Policy::Transfusion, "transfusion",
                 "the whole layer, whatever the search finds"),
      clEnumValN(sched::Policy::TransfusionPaper, "transfusion-paper",
                 "the fixed groups, DPipe as published"),
      clEnumValN(sched::Policy::FusemaxLayerfuse, "fusemax-layerfuse",
                 "groups of transfusion, attention as in fusemax"),
      clEnumValN(sched::Policy::Fusemax, "fusemax",
                 "one-pass attention in a fixed waterfall, the rest unfused"),
      clEnumValN(sched::Policy::FusemaxModelled, "fusemax-modelled",
                 "the same, local maxima on the vector lanes always"),
      clEnumValN(sched::Policy::Flat, "flat",
                 "attention on whole rows of scores, the rest unfused"),
      clEnumValN(sched::Policy::Unfused, "unfused", "each Einsum alone"));
}

inline llvm::cl::ValuesClass strategyChoices() {
  return llvm::cl::values(clEnumValN(
      sched::Strategy::Bipartition, "bipartition", "two stages, as published"));
}

inline llvm::cl::ValuesClass objectiveChoices() {
  return llvm::cl::values(
      clEnumValN(sched::Objective::Latency, "latency", "cycles"),
      clEnumValN(sched::Objective::Energy, "energy", "pJ"),
      clEnumValN(sched::Objective::Edp, "edp", "energy times latency"),
      clEnumValN(sched::Objective::PeakMemory, "peak-memory",
                 "greatest bytes in the buffer"));
}

inline llvm::cl::ValuesClass searchModeChoices() {
  return llvm::cl::values(
      clEnumValN(sched::SearchMode::Mcts, "mcts", "Monte Carlo tree search"),
      clEnumValN(sched::SearchMode::Exhaustive, "exhaustive",
                 "everything, for small spaces"),
      clEnumValN(sched::SearchMode::Random, "random",
                 "independent samples, the baseline"));
}

} // namespace transfusion

#endif // TRANSFUSION_TRANSFORMS_SEARCHCHOICES_H
