//===- SchedAttrs.td - Attributes of the sched dialect -----*- tablegen -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_SCHED_IR_SCHEDATTRS
#define TRANSFUSION_DIALECT_SCHED_IR_SCHEDATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/CommonAttrConstraints.td"
include "transfusion/Dialect/Sched/IR/SchedDialect.td"

class Sched_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::transfusion::sched";
  let genSpecializedAttr = 0;
}

// The order is that of core::OpClass; Bridge checks it when it is compiled.
def Sched_OpClass : Sched_Enum<"OpClass",
    "class of scalar operations that machines are described by",
    [I32EnumAttrCase<"Mac", 0, "mac">, I32EnumAttrCase<"Add", 1, "add">,
     I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Div", 3, "div">,
     I32EnumAttrCase<"Exp", 4, "exp">, I32EnumAttrCase<"Rsqrt", 5, "rsqrt">,
     I32EnumAttrCase<"Sqrt", 6, "sqrt">, I32EnumAttrCase<"Log", 7, "log">,
     I32EnumAttrCase<"Sin", 8, "sin">, I32EnumAttrCase<"Cos", 9, "cos">,
     I32EnumAttrCase<"Sigmoid", 10, "sigmoid">,
     I32EnumAttrCase<"Tanh", 11, "tanh">, I32EnumAttrCase<"Erf", 12, "erf">,
     I32EnumAttrCase<"Copy", 13, "copy">]>;

// What is not implemented has no case, so that naming it is an error. The order
// of policies is that of core::Policy.
def Sched_Policy : Sched_Enum<"Policy", "what may be fused with what",
    [I32EnumAttrCase<"Transfusion", 0, "transfusion">,
     I32EnumAttrCase<"TransfusionPaper", 1, "transfusion-paper">,
     I32EnumAttrCase<"FusemaxLayerfuse", 2, "fusemax-layerfuse">,
     I32EnumAttrCase<"Fusemax", 3, "fusemax">,
     I32EnumAttrCase<"FusemaxModelled", 4, "fusemax-modelled">,
     I32EnumAttrCase<"Flat", 5, "flat">,
     I32EnumAttrCase<"Unfused", 6, "unfused">]>;
def Sched_Strategy : Sched_Enum<"Strategy", "how a phase is pipelined",
    [I32EnumAttrCase<"Bipartition", 0, "bipartition">]>;

def Sched_Objective : Sched_Enum<"Objective", "what a search minimises",
    [I32EnumAttrCase<"Latency", 0, "latency">,
     I32EnumAttrCase<"Energy", 1, "energy">, I32EnumAttrCase<"Edp", 2, "edp">,
     I32EnumAttrCase<"PeakMemory", 3, "peak_memory">]>;
def Sched_SearchMode : Sched_Enum<"SearchMode", "how tile sizes are searched",
    [I32EnumAttrCase<"Mcts", 0, "mcts">,
     I32EnumAttrCase<"Exhaustive", 1, "exhaustive">,
     I32EnumAttrCase<"Random", 2, "random">]>;
def Sched_RetainLevel : Sched_Enum<"RetainLevel",
    "loop for which the footprint of a tensor is held",
    [I32EnumAttrCase<"Block", 0, "block">, I32EnumAttrCase<"Tile", 1, "tile">,
     I32EnumAttrCase<"Group", 2, "group">]>;

// The order of bits is that of core::OperandRole.
def Sched_Roles : I32BitEnumAttr<"Roles",
    "what operands are to their Einsum: its result, the second of its operands, or another one",
    [I32BitEnumAttrCaseBit<"Input", 0, "input">,
     I32BitEnumAttrCaseBit<"Weight", 1, "weight">,
     I32BitEnumAttrCaseBit<"Output", 2, "output">]> {
  let cppNamespace = "::transfusion::sched";
  let genSpecializedAttr = 0;
}
def Sched_RolesAttr : EnumAttr<Sched_Dialect, Sched_Roles, "roles">;

def Sched_LaneReuse : Sched_Enum<"LaneReuse",
    "what lanes along one dimension of a grid share: operands that are the same there come once, sums leave as one",
    [I32EnumAttrCase<"Nothing", 0, "nothing">,
     I32EnumAttrCase<"Inputs", 1, "inputs">,
     I32EnumAttrCase<"Outputs", 2, "outputs">,
     I32EnumAttrCase<"Both", 3, "both">]>;
def Sched_LaneReuseAttr
    : EnumAttr<Sched_Dialect, Sched_LaneReuse, "lane_reuse">;

class Sched_Attr<string name, string attrMnemonic>
    : AttrDef<Sched_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Sched_OpCostAttr : Sched_Attr<"OpCost", "op"> {
  let summary = "what an operation of one class costs on a unit";
  let description = [{
    Per point and lane. Either cycles and energy, `#sched.op<mac cycles 1 pj
    17.16>`, or an expansion into other classes of the same unit, `#sched.op<
    sigmoid = 6 mac + 1 add + 1 div>`.

    Constraints: (1) cycles are between 1 and 2^20, and pj is finite and not
    negative;
    (2) counts of an expansion are between 1 and 65536, its classes distinct.
  }];
  let parameters = (ins "::transfusion::sched::OpClass":$opClass,
      "int64_t":$cycles, "::mlir::FloatAttr":$pj,
      ArrayRefParameter<"::transfusion::sched::OpClass">:$termClasses,
      ArrayRefParameter<"int64_t">:$termCounts);
  let extraClassDeclaration = [{
    bool isExpansion() const { return !getTermClasses().empty(); }
  }];
}
def Sched_OpCostArrayAttr
    : TypedArrayAttrBase<Sched_OpCostAttr, "array of op costs">;

def Sched_TilingAttr : Sched_Attr<"Tiling", "tiling"> {
  let summary = "sizes of ranks, in order";
  let description = [{
    `#sched.tiling<b = 1, p = 192>`; inside ops `tile(b = 1, p = 192)`. A rank
    that is not listed is not cut.

    Constraints: (1) ranks are distinct; (2) sizes are at least 1.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$ranks,
                        ArrayRefParameter<"int64_t">:$sizes);
}

def Sched_RetainAttr : Sched_Attr<"Retain", "retain"> {
  let summary = "for which loop a tensor's footprint is held";
  let description = [{
    `#sched.retain<"BK" at tile>`: the name of a tensor that the group reads and
    does not make (see the dialect for the names of tensors).
  }];
  let parameters = (ins "::mlir::StringAttr":$tensor,
                        "::transfusion::sched::RetainLevel":$level);
  let genVerifyDecl = 0;
}
def Sched_RetainArrayAttr
    : TypedArrayAttrBase<Sched_RetainAttr, "array of retained tensors">;

def Sched_ResidentAttr : Sched_Attr<"Resident", "resident"> {
  let summary = "where a tensor, or a piece of it, lies";
  let description = [{
    `#sched.resident<"BK" in @l2>`; inside ops `resident("BK" in @l2)`. An input,
    or a tensor that crosses groups, lies whole in a memory between the outermost
    one and the one that feeds the units: an input from the first group that
    reads it, before which it is copied, else from the group that makes it, to
    the last one that reads it. On a group, the piece of its outer tile lies
    there, copied when that changes.
  }];
  let parameters = (ins "::mlir::StringAttr":$tensor,
                        "::mlir::FlatSymbolRefAttr":$memory);
  let genVerifyDecl = 0;
}
def Sched_ResidentArrayAttr
    : TypedArrayAttrBase<Sched_ResidentAttr, "array of resident tensors">;

def Sched_PrefetchAttr : Sched_Attr<"Prefetch", "prefetch"> {
  let summary = "a first piece that is loaded in an earlier phase";
  let description = [{
    `#sched.prefetch<"%arg1" ahead 2>`; inside ops `prefetch("%arg1" ahead 2)`.
    What the phase would load first of the tensor in each outer tile is loaded
    two phases earlier, beside the work there; phases count through the outer
    tiles.

    Constraint: it is loaded between 1 and 65535 phases ahead.
  }];
  let parameters = (ins "::mlir::StringAttr":$tensor, "int64_t":$ahead);
}
def Sched_PrefetchArrayAttr
    : TypedArrayAttrBase<Sched_PrefetchAttr, "array of prefetched tensors">;

def Sched_DeferAttr : Sched_Attr<"Defer", "defer"> {
  let summary = "a result that is stored in a later phase";
  let description = [{
    `#sched.defer<"NR" by 1>`; inside ops `defer("NR" by 1)`. What the phase
    makes of the tensor in an outer tile is kept whole and stored one phase
    later, beside the work there; phases count through the outer tiles.

    Constraint: it is stored between 1 and 65535 phases later.
  }];
  let parameters = (ins "::mlir::StringAttr":$tensor, "int64_t":$by);
}
def Sched_DeferArrayAttr
    : TypedArrayAttrBase<Sched_DeferAttr, "array of deferred tensors">;

def Sched_SlotAttr : Sched_Attr<"Slot", "slot"> {
  let summary = "one Einsum's place on a unit";
  let description = [{
    `#sched.slot<"QK", stage 0, rows [p], cols [m0]>`: which stage of the
    phase's software pipeline, and which ranks are spread over the rows and the
    columns of the unit's lanes, the fastest last. `"FFN2.finish"` is only the
    finish of FFN2, whose reduction spans the epochs of an earlier phase.
    `instances(h = 1, p = 64)`: where there are several of the unit, each takes
    one head and 64 rows of an epoch, which it then spreads over its own lanes.

    Constraints: (1) the stage is between 0 and 1023; (2) no rank is mapped
    twice to rows or columns; (3) the name of the Einsum is not empty.
  }];
  let parameters = (ins "::mlir::StringAttr":$einsum, "bool":$finishOnly,
      "int64_t":$stage, ArrayRefParameter<"::mlir::StringAttr">:$rows,
      ArrayRefParameter<"::mlir::StringAttr">:$cols,
      OptionalParameter<"::transfusion::sched::TilingAttr">:$instances);
  let extraClassDeclaration = [{
    /// "QK", or "FFN2.finish".
    std::string getDisplayName() const;
  }];
}
def Sched_SlotArrayAttr
    : TypedArrayAttrBase<Sched_SlotAttr, "array of slots">;

def Sched_SearchAttr : Sched_Attr<"Search", "search"> {
  let summary = "where the decisions of a schedule come from";
  let description = [{
    `#sched.search<policy transfusion, strategy bipartition>` after `--dpipe`;
    after `--tileseek` also `objective latency, mode mcts, seed 1, budget 4096,
    evaluations 4096`: what was asked for, and how many schedules were evaluated.
    Nothing here can be derived from the schedule, and nothing derives from it.

    Constraint: the budget and the evaluations are not negative.
  }];
  let parameters = (ins "::transfusion::sched::Policy":$policy,
      "::transfusion::sched::Strategy":$strategy,
      OptionalParameter<"::transfusion::sched::TileSearchAttr">:$tiles);
  let genVerifyDecl = 0;
}

def Sched_TileSearchAttr : Sched_Attr<"TileSearch", "tile_search"> {
  let summary = "the tile search part of #sched.search";
  let description = [{
    `#sched.tile_search<objective latency, mode mcts, seed 1, budget 4096,
    evaluations 4096>`, printed inside `#sched.search`.
  }];
  let parameters = (ins "::transfusion::sched::Objective":$objective,
      "::transfusion::sched::SearchMode":$mode, "uint64_t":$seed,
      "int64_t":$budget, "int64_t":$evaluations);
}

#endif // TRANSFUSION_DIALECT_SCHED_IR_SCHEDATTRS
