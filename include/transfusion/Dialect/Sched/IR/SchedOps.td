//===- SchedOps.td - Ops of the sched dialect --------------*- tablegen -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_SCHED_IR_SCHEDOPS
#define TRANSFUSION_DIALECT_SCHED_IR_SCHEDOPS

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "transfusion/Dialect/Sched/IR/SchedAttrs.td"

class Sched_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sched_Dialect, mnemonic, traits>;

defvar Sched_PositiveI64 = ConfinedAttr<I64Attr, [IntPositive]>;

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

def Sched_ArchOp : Sched_Op<"arch",
    [Symbol, SymbolTable, IsolatedFromAbove, SingleBlock, NoTerminator,
     NoRegionArguments]> {
  let summary = "an accelerator";
  let description = [{
    Memories from outer to inner, then the units that they feed.

    ```mlir
    sched.arch @toy clock_hz 1000000000 {
      sched.memory @dram bandwidth_bytes_per_s 32000000000 energy_pj_per_byte 31.2
      sched.memory @buffer in @dram capacity_bytes 16384
      sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1 pj 17.16, exp = 6 mac) whole_einsum
      sched.unit @vec1d lanes 8 on @buffer ops(add cycles 1 pj 8.34) whole_einsum
    }
    ```

    There may be several instances of memories and units, `instances` says how
    many in the whole machine. A memory of a grid's every lane has as many
    instances as the grid has lanes. How `--arch-check` sees it is in
    docs/Rationale/Schedule.md, rules A01 to A17.

    Constraints: (1) the clock is positive; (2) only `sched.memory` and
    `sched.unit` stand inside, at least one of each, memories first; (3) the
    first memory is in no other, every further one is in one before it; (4) a
    unit is on a memory of this arch.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sched_PositiveI64:$clock_hz);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      "$sym_name `clock_hz` $clock_hz attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getDefaultDialect() { return "sched"; }
  }];
}

def Sched_MemoryOp : Sched_Op<"memory", [Symbol, HasParent<"ArchOp">]> {
  let summary = "a memory of an accelerator";
  let description = [{
    Without `in` it is the outermost one. `bandwidth_bytes_per_s` is one port
    that reads and writes share; `read_bandwidth_bytes_per_s` and
    `write_bandwidth_bytes_per_s` are a port each. No bandwidth is no limit.
    Capacity, bandwidths and `leakage_w` are those of each of its `instances`.
    `keeps input|output` lets weights pass by; without it a memory keeps
    everything.

    ```mlir
    sched.memory @lbuf in @gbuf instances 4 capacity_bytes 4194304 keeps input|output
    ```

    Constraints: (1) capacity, instances and bandwidths are positive; (2) only the
    outermost memory may lack a capacity; (3) a shared and a separate bandwidth
    (or energy) exclude each other; (4) energies and leakage are finite and not
    negative.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
      OptionalAttr<FlatSymbolRefAttr>:$parent,
      OptionalAttr<Sched_PositiveI64>:$instances,
      OptionalAttr<Sched_PositiveI64>:$capacity_bytes,
      OptionalAttr<Sched_RolesAttr>:$keeps,
      OptionalAttr<Sched_PositiveI64>:$bandwidth_bytes_per_s,
      OptionalAttr<Sched_PositiveI64>:$read_bandwidth_bytes_per_s,
      OptionalAttr<Sched_PositiveI64>:$write_bandwidth_bytes_per_s,
      OptionalAttr<F64Attr>:$energy_pj_per_byte,
      OptionalAttr<F64Attr>:$read_energy_pj_per_byte,
      OptionalAttr<F64Attr>:$write_energy_pj_per_byte,
      OptionalAttr<F64Attr>:$leakage_w);
  let assemblyFormat = [{
    $sym_name (`in` $parent^)? (`instances` $instances^)?
    (`capacity_bytes` $capacity_bytes^)? (`keeps` $keeps^)?
    (`bandwidth_bytes_per_s` $bandwidth_bytes_per_s^)?
    (`read_bandwidth_bytes_per_s` $read_bandwidth_bytes_per_s^)?
    (`write_bandwidth_bytes_per_s` $write_bandwidth_bytes_per_s^)?
    (`energy_pj_per_byte` custom<Number>($energy_pj_per_byte)^)?
    (`read_energy_pj_per_byte` custom<Number>($read_energy_pj_per_byte)^)?
    (`write_energy_pj_per_byte` custom<Number>($write_energy_pj_per_byte)^)?
    (`leakage_w` custom<Number>($leakage_w)^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Sched_UnitOp : Sched_Op<"unit", [Symbol, HasParent<"ArchOp">]> {
  let summary = "a unit of an accelerator that executes Einsums";
  let description = [{
    A 2D array, `grid 16x16` (rows x columns), or vector lanes, `lanes 256`. A
    class that `ops` does not list is not supported. With `whole_einsum` an
    Einsum with one unsupported op goes elsewhere whole. `rows_share` and
    `cols_share` say what lanes of a grid share along a dimension (`both`, if
    they do not): `outputs`, sums leave as one, `inputs`, an operand that is the
    same comes once.

    ```mlir
    sched.unit @mac2d instances 4 grid 128x128 rows_share outputs cols_share inputs on @reg ops(mac cycles 1)
    ```

    Constraints: (1) either a grid or lanes, positive, at most 2^24 lanes in
    all; (2) a class is listed once; (3) an expansion names classes that the
    unit has, and that are not expansions themselves; (4) only a grid shares
    along rows and columns; (5) the leakage is finite and not negative.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
      OptionalAttr<Sched_PositiveI64>:$instances,
      OptionalAttr<DenseI64ArrayAttr>:$grid,
      OptionalAttr<Sched_PositiveI64>:$lanes,
      OptionalAttr<Sched_LaneReuseAttr>:$rows_share,
      OptionalAttr<Sched_LaneReuseAttr>:$cols_share, FlatSymbolRefAttr:$memory,
      Sched_OpCostArrayAttr:$ops, UnitAttr:$whole_einsum,
      OptionalAttr<F64Attr>:$leakage_w);
  let assemblyFormat = [{
    $sym_name (`instances` $instances^)? custom<Shape>($grid, $lanes)
    (`rows_share` $rows_share^)? (`cols_share` $cols_share^)?
    `on` $memory `ops` `` custom<OpCosts>($ops)
    (`whole_einsum` $whole_einsum^)? (`leakage_w` custom<Number>($leakage_w)^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The decisions
//===----------------------------------------------------------------------===//

def Sched_ScheduleOp : Sched_Op<"schedule",
    [Symbol, SingleBlock, NoTerminator, NoRegionArguments,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "what was decided for one function on one machine";
  let description = [{
    One per function, machine and policy; groups run one after another.

    ```mlir
    sched.schedule @layer_edge of @layer on @edge #sched.search<policy transfusion, strategy bipartition> {
      sched.group tile(b = 1, p = 192) retain("%arg3" at group) {
        sched.phase order [h, p, m1] block(m1 = 8) inner(h = 4, p = 16, m1 = 1) {
          sched.run @mac2d [#sched.slot<"QK", stage 0, rows [p], cols [m0]>]
        }
      }
    }
    ```

    Constraints: (1) only `sched.group` stands inside; (2) the function exists
    and has one `einsum.cascade`, the arch exists; (3) every name of an Einsum,
    a tensor, a rank or a unit exists; (4) every Einsum is scheduled exactly
    once, and its finish at most once; (5) no size exceeds the extent of its
    rank, a block smaller than its tile is a multiple of inner, and a rank whose
    inner is smaller than its tile is in the phase's order; (6) a slot maps only
    ranks of its Einsum; (7) a group retains only what it reads and does not
    make; (8) a rank of which an iterative rank counts tiles (m0 in
    m1*256 + m0) is not cut: its extent is the width that it was partitioned to;
    (9) a tensor resides in one memory, which is one of the arch; (10) the same
    holds in a group, of what it reads and does not make.
    Rules about the whole schedule (capacity, order, supported ops, dependence
    distance) are checked by `--sched-verify`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$function,
                       FlatSymbolRefAttr:$arch, Sched_SearchAttr:$search,
                       OptionalAttr<Sched_ResidentArrayAttr>:$resident);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `of` $function `on` $arch qualified($search)
    (`resident` `` custom<Resident>($resident)^)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getDefaultDialect() { return "sched"; }
  }];
}

def Sched_GroupOp : Sched_Op<"group",
    [SingleBlock, NoTerminator, NoRegionArguments, HasParent<"ScheduleOp">]> {
  let summary = "phases that share outer tiles and keep values on chip";
  let description = [{
    The outer tiles run one after another, first rank of `tile` outermost; per
    tile, the phases run one after another. `retain` names the loop for which
    the footprint of a tensor that the group reads is held; a tensor that is not
    listed is held per block. `resident` names a memory between the outermost
    one and that of the units where the piece of an outer tile lies while the
    tile runs, of a tensor that the group reads: `resident("K" in @l2)`.

    Constraints: (1) only `sched.phase` stands inside, at least one; (2) a
    tensor is retained once; (3) a tensor resides in one memory.
  }];
  let arguments = (ins OptionalAttr<Sched_TilingAttr>:$tile,
                       OptionalAttr<Sched_RetainArrayAttr>:$retain,
                       OptionalAttr<Sched_ResidentArrayAttr>:$resident);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`tile` `` custom<Tiling>($tile)^)? (`retain` `` custom<Retain>($retain)^)?
    (`resident` `` custom<Resident>($resident)^)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getDefaultDialect() { return "sched"; }
  }];
}

def Sched_PhaseOp : Sched_Op<"phase",
    [SingleBlock, NoTerminator, NoRegionArguments, HasParent<"GroupOp">]> {
  let summary = "a sub-cascade with one inner iteration space, one pipeline";
  let description = [{
    `order` is the loop nest over inner tiles, outermost first. `block` is the
    piece of a rank that is in the buffer at a time, `inner` what one epoch
    covers; a rank that is not listed has the whole of what encloses it. With
    `wrap` work crosses the epoch boundary (a modulo schedule). With `skip` the
    steps of the phase's recurrence in which no point exists (key tiles above
    the diagonal) do not run. `prefetch` and
    `defer` move a phase's first loads and its stores into other phases, whose
    work they run beside: `prefetch("%arg1" ahead 2) defer("NR" by 1)`.

    Constraints: (1) only `sched.run` stands inside, at least one, each for
    another unit; (2) ranks of `order` are distinct; (3) inner <= block <= tile
    where they are given; (4) a block smaller than its tile is a multiple of
    inner; (5) a rank whose inner is smaller than its tile is in `order`; (6) a
    tensor is prefetched once and deferred once.
  }];
  let arguments = (ins StrArrayAttr:$order,
      OptionalAttr<Sched_TilingAttr>:$block,
      OptionalAttr<Sched_TilingAttr>:$inner, UnitAttr:$wrap, UnitAttr:$skip,
      OptionalAttr<Sched_PrefetchArrayAttr>:$prefetch,
      OptionalAttr<Sched_DeferArrayAttr>:$defer);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `order` custom<RankList>($order) (`block` `` custom<Tiling>($block)^)?
    (`inner` `` custom<Tiling>($inner)^)? (`wrap` $wrap^)? (`skip` $skip^)?
    (`prefetch` `` custom<Prefetch>($prefetch)^)?
    (`defer` `` custom<Defer>($defer)^)?
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getDefaultDialect() { return "sched"; }
  }];
}

def Sched_RunOp : Sched_Op<"run", [HasParent<"PhaseOp">]> {
  let summary = "slots of one unit, in the order in which they are issued";
  let description = [{
    `sched.run @mac2d [#sched.slot<"QK", stage 0, rows [p], cols [m0]>]`. The
    unit is one of the schedule's arch.

    Constraint: there is at least one slot.
  }];
  let arguments = (ins FlatSymbolRefAttr:$unit, Sched_SlotArrayAttr:$slots);
  let assemblyFormat = "$unit $slots attr-dict";
  let hasVerifier = 1;
}

#endif // TRANSFUSION_DIALECT_SCHED_IR_SCHEDOPS
