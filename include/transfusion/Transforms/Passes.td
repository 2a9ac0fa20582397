//===- Passes.td - Passes that decide and check ------------*- tablegen -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TRANSFORMS_PASSES
#define TRANSFUSION_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def LoadArchPass : Pass<"load-arch", "::mlir::ModuleOp"> {
  let summary = "put a machine into the module";
  let description = [{
    `--load-arch=NAME` reads a machine that comes with the tools (the installed
    share folder first, then `arch/` of the source tree), `--load-arch=PATH`
    any YAML file with a slash or `.yaml` in its name.

    *Requires*: a module without `sched.arch`. *Ensures*: it has one, verified.
    *Fails when*: the module has a machine already; no machine has that name;
    the file cannot be read, is no YAML, has an unknown or missing key, a value
    out of range, or describes no machine (`--arch-check`; the error is at
    file:line:col). *Complexity*: linear in the file.

    ```mlir
    // --load-arch=edge
    sched.arch @edge clock_hz 940000000 {
      sched.memory @dram bandwidth_bytes_per_s 32212254720 energy_pj_per_byte 31.2
      ...
    ```
  }];
  let dependentDialects = ["::transfusion::sched::SchedDialect"];
  let options = [
    Option<"arch", "arch", "std::string", /*default=*/"",
           "name of a machine, or path of a YAML file">,
  ];
}

def ArchCheckPass : Pass<"arch-check", "::mlir::ModuleOp"> {
  let summary = "say what is wrong with the machines of the module";
  let description = [{
    Checks every `sched.arch`, whether read by `--load-arch` (which does that
    itself) or written by hand. Errors are at the memory or unit that they are
    about, with number, unit and what would fix them:

    | | a machine has |
    |---|---|
    | A01 | a clock above 0 |
    | A03 | memories and units with names of their own |
    | A04 | capacities above 0, but for the outermost memory |
    | A05, A06, A16 | bandwidths, energies and leakages that are finite and not negative |
    | A07, A08, A09 | units, with lanes, each on a memory, not the outermost |
    | A10 | no memory that feeds no unit |
    | A11, A12 | units that do something, at a cost, and no expansion of itself |
    | A13 | a hierarchy: each memory in one before it, no cycle |
    | A14 | as many instances of a memory as its outer one has, or a multiple |
    | A15 | an outermost memory that keeps everything, others that keep something |
    | A17 | energies of a usual order of magnitude (a warning) |
    | A02 | two levels or more, one instance of each, one buffer that feeds every unit: else no schedule is made for it, and a remark says why |

    *Requires*: a `sched.arch`. *Ensures*: nothing changes. *Fails when*: one
    breaks a rule other than A02 and A17. *Complexity*: linear.
  }];
  let dependentDialects = ["::transfusion::sched::SchedDialect"];
}

def DPipePass : Pass<"dpipe", "::mlir::ModuleOp"> {
  let summary = "schedule each layer: groups, phases, software pipelines";
  let description = [{
    Decomposes named ops, repartitions the key rank of attention to the columns
    of the machine's 2D array, and writes one `sched.schedule` per function that
    holds Einsums, with one inner tile per tiled rank, less only where that does
    not fit. `--tileseek` finds better tiles. A policy other than `transfusion`
    is a baseline on the same model: it restricts what is fused, binds Einsums to
    units as its publication does, and decomposes attention into the passes that
    it needs (docs/Rationale/Policies.md).

    An op beside the cascades of a function is neither scheduled nor costed: a
    warning names it, every output of the schedule repeats it, and the program
    of the schedule is refused. Cascades that it separates are scheduled in
    their order, with groups of their own.

    A program returns its results in buffers of its caller: an argument or a
    constant that is returned, and what is returned twice, is copied by an
    Einsum (`result1`, ...), which is scheduled and costed.

    *Requires*: one `sched.arch` in the module. *Ensures*: every function with
    Einsums has one schedule, of all its cascades, that the checker accepts; a
    schedule that it had is replaced. *Fails when*: there is no machine, or
    several; nothing is to be scheduled; an op is in no class, or in one that no
    unit supports; no policy has that name; no tile fits; two Einsums of a
    function have one name; a cascade stands in a loop, in one of several
    blocks, or in a module within the module; a tensor is extended
    that has no room. Nothing changes then. *Complexity*: per phase, cuts
    times orders of its Einsums (pruned); linear in the number of phases.

    ```mlir
    sched.schedule @layer_toy of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
      sched.group tile(p = 4) {
        sched.phase order [n, p] block(n = 4) inner(p = 4, n = 4) {
          sched.run @mac2d [#sched.slot<"linear1.L", stage 0, rows [p], cols [n]>, #sched.slot<"linear2.L", stage 0, rows [p], cols [n]>]
    ```
  }];
  let dependentDialects = ["::transfusion::sched::SchedDialect",
                           "::transfusion::einsum::EinsumDialect"];
  let options = [
    Option<"policy", "policy", "::transfusion::sched::Policy",
           /*default=*/"::transfusion::sched::Policy::Transfusion",
           "what may be fused with what",
           [{::transfusion::policyChoices()}]>,
    Option<"strategy", "strategy", "::transfusion::sched::Strategy",
           /*default=*/"::transfusion::sched::Strategy::Bipartition",
           "how phases are pipelined",
           [{::transfusion::strategyChoices()}]>,
  ];
}

def TileSeekPass : Pass<"tileseek", "::mlir::ModuleOp"> {
  let summary = "search the tile sizes of each schedule";
  let description = [{
    Reads groups, phases and orders of each schedule, searches group tiles,
    blocks and retention, solves the slots again for every candidate, moves
    transfers beside other phases, and rewrites the schedule. Groups are
    searched as well: those that `--dpipe` forms, here and for a quarter of the
    buffer, and both parted where that costs less (`regroup=false`: groups stay
    as they are). The same input gives the same output. Progress is shown on a
    terminal.

    *Requires*: a schedule, as `--dpipe` writes it. *Ensures*: schedules that
    the checker accepts, no worse than they were; `#sched.search` says how they
    were found. *Fails when*: there is no schedule; nothing fits; an option is
    out of range. Nothing changes then. *Complexity*: `evaluations` times the
    cost model.

    ```mlir
    // --tileseek=seed=1 evaluations=64 objective=latency mode=mcts
    sched.schedule @layer_toy of @layer on @toy #sched.search<policy transfusion, strategy bipartition, objective latency, mode mcts, seed 1, budget 64, evaluations 64> {
    ```
  }];
  let dependentDialects = ["::transfusion::sched::SchedDialect"];
  let options = [
    Option<"seed", "seed", "uint64_t", /*default=*/"1",
           "of the random numbers">,
    Option<"evaluations", "evaluations", "int64_t", /*default=*/"4096",
           "budget: how many schedules may be evaluated (at least one a "
           "group; mode=exhaustive evaluates all)">,
    Option<"regroup", "regroup", "bool", /*default=*/"true",
           "part groups where that costs less; also try those that "
           "--dpipe forms for a smaller buffer">,
    Option<"objective", "objective", "::transfusion::sched::Objective",
           /*default=*/"::transfusion::sched::Objective::Latency",
           "what is minimised",
           [{::transfusion::objectiveChoices()}]>,
    Option<"mode", "mode", "::transfusion::sched::SearchMode",
           /*default=*/"::transfusion::sched::SearchMode::Mcts",
           "how the space is searched",
           [{::transfusion::searchModeChoices()}]>,
  ];
}

def LoadSchedulePass : Pass<"load-schedule", "::mlir::ModuleOp"> {
  let summary = "take the schedule of another file to this layer";
  let description = [{
    `--load-schedule=FILE` reads a file that holds one schedule and applies its
    decisions to the layer of this module, whose Einsums, ranks and tensors have
    the same names and may have other sizes: a schedule found for batch 64 is
    executed, or compared, at batch 1. Sizes that reach the whole extent here
    become whole. The machine comes along.

    *Requires*: a module with one layer, and no machine or the same. *Ensures*:
    the layer is decomposed and partitioned for the machine and has a schedule
    that the checker accepts. *Fails when*: the file cannot be read or holds
    another number of schedules; a name is unknown here; the machines differ;
    the schedule is illegal here. Nothing changes then. *Complexity*: linear.

    ```mlir
    // --load-schedule=layer_b64.mlir
    sched.schedule @layer_edge of @layer on @edge #sched.search<policy transfusion, strategy bipartition> {
    ```
  }];
  let dependentDialects = ["::transfusion::sched::SchedDialect",
                           "::transfusion::einsum::EinsumDialect",
                           "::mlir::func::FuncDialect"];
  let options = [
    Option<"file", "file", "std::string", /*default=*/"",
           "IR file with one sched.schedule">,
  ];
}

def SchedVerifyPass : Pass<"sched-verify", "::mlir::ModuleOp"> {
  let summary = "check every schedule of the module";
  let description = [{
    The rules that the verifier of `sched.schedule` cannot see: order, stages and
    dependence distances, supported ops, buffers that fit and do not overlap
    while they live. The same checker judges what the searches find.

    *Requires*: a schedule. *Ensures*: every schedule is legal. *Fails when*: a
    rule is broken; the error is at the phase, group or Einsum, with the rule's
    number, and its last note says what would fix it. *Complexity*: linear in
    slots and buffers, but for pairs of buffers that live together.

    ```mlir
    // error: 'sched.phase' op 'F2' reads 'F1' of 'F1' in the same step, but is issued before it (S25 issue order)
    sched.phase order [p] inner(p = 4) {
      sched.run @vec1d [#sched.slot<"F2", stage 0, rows [p]>, #sched.slot<"F1", stage 0, rows [p]>]
    ```
  }];
  let dependentDialects = ["::transfusion::sched::SchedDialect"];
}

#endif // TRANSFUSION_TRANSFORMS_PASSES
