//===- Rules.cpp - The numbered rules of the checker ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Check/Rules.h"

using namespace transfusion::core;

const std::vector<Rule> &transfusion::core::checkRules() {
  // clang-format off
  static const std::vector<Rule> rules = {
    {"C01", "ids", "every rank, tensor and Einsum that is named exists; accesses are canonical and have one expression per dimension"},
    {"C02", "names", "ranks, tensors and Einsums have names of their own"},
    {"C03", "extents", "every rank has a positive extent"},
    {"C04", "shapes", "every tensor has a positive shape, values of 1 to 64 bits; a recurrence has one slice more than its iterative rank"},
    {"C05", "producers", "an input has no producer, any other tensor exactly one"},
    {"C06", "ranks", "an Einsum iterates each rank once, those of its result first"},
    {"C07", "access ranks", "an operand is accessed by ranks that are iterated where it is read"},
    {"C08", "bounds", "every access stays inside its tensor, at the points that exist"},
    {"C09", "single assignment", "no two points of a result have the same coordinates"},
    {"C10", "reduction", "an Einsum whose result lacks a rank has a reduction"},
    {"C11", "operations", "no Einsum costs nothing, and a finish is said to exist"},
    {"C12", "counts", "points, operations and bits stay below 2^63, coefficients below 2^60, and no domain is empty"},
    {"C13", "slices", "a recurrence defines slice r + 1; slice r, r + 1 or the last one is read"},
    {"C14", "cycles", "every cycle of reads advances an iterative rank"},
    {"C15", "defined", "what is read of a tensor lies in what its producer makes"},
    {"C16", "bases", "a tensor that is extended is the result without the Einsum's own points, which follow it along one dimension and all exist; it is extended once"},

    {"A01", "clock", "the clock is above 0"},
    {"A02", "schedulable", "schedules are for two or more memories, one of each, that keep everything, one that feeds every unit, and grids that share both ways"},
    {"A03", "names", "memories and units have names of their own"},
    {"A04", "capacity", "every memory but the outermost has a positive capacity"},
    {"A05", "bandwidth", "bandwidths are finite and not negative (0: not given)"},
    {"A06", "energy", "energies are 0 to 1e12 pJ a byte"},
    {"A07", "units", "there is a unit"},
    {"A08", "lanes", "every unit has a positive number of lanes; only a grid has rows"},
    {"A09", "feed", "every unit is on an inner memory"},
    {"A10", "use", "every inner memory feeds a unit, directly or through others"},
    {"A11", "op table", "every unit supports an op class, at a positive number of cycles and 0 to 1e12 pJ"},
    {"A12", "expansions", "an expansion has positive counts and never reaches itself; a unit supports it if it supports its parts"},
    {"A13", "hierarchy", "every memory but the outermost is in one other, and none in itself"},
    {"A14", "instances", "a memory has a multiple of the instances of the one that it is in, a unit of its memory's, or a memory in every lane"},
    {"A15", "keeps", "the outermost memory keeps everything, any other something"},
    {"A16", "leakage", "leakages are 0 to 1e9 W"},
    {"A17", "magnitude", "a warning: energies and leakages are of a usual order of magnitude, a memory's energy at most ten times that of the one that it is in"},

    {"S01", "ids", "every rank, Einsum, unit and tensor that is named exists; sizes are given for all ranks or none"},
    {"S02", "complete", "every Einsum is scheduled"},
    {"S03", "once", "no Einsum is scheduled twice"},
    {"S04", "no empty parts", "groups have phases, phases have slots, a unit has one issue order in a phase"},
    {"S05", "counts", "epochs stay below 2^63"},
    {"S06", "sizes", "no size is negative, no tile exceeds its rank"},
    {"S07", "nesting", "inner <= block <= tile"},
    {"S08", "whole inner tiles", "a block smaller than its tile is a multiple of inner"},
    {"S09", "order", "a phase loops over each rank once, and over ranks that its Einsums have"},
    {"S10", "outer loops", "a group loops over each rank once, and over ranks that its Einsums have"},
    {"S11", "reach", "a rank that is cut is looped over, so that every point is computed"},
    {"S12", "whole ranks", "outer tiles cut no rank over which an Einsum reduces or recurs"},
    {"S13", "recurrence", "a rank along which an Einsum recurs is innermost, one point at a time"},
    {"S14", "finish", "a reduction that spans epochs is finished"},
    {"S15", "no idle finish", "only such a reduction is finished on its own"},
    {"S16", "finish later", "it is finished in a later phase of the same group"},
    {"S17", "added once", "an Einsum that accumulates has every rank that its phase loops over"},
    {"S18", "support", "a unit executes every op class of its Einsums"},
    {"S19", "mapping", "rows and columns are ranks of the Einsum, each once"},
    {"S20", "stages", "stages count from 0 without gaps"},
    {"S21", "group order", "nothing is read in an earlier group than it is made in"},
    {"S22", "phase order", "nothing is read in an earlier phase than it is complete in"},
    {"S23", "slices", "slices of a recurrence are read in its phase, its last slice after it"},
    {"S24", "stage order", "nothing is read in an earlier step than it is made in"},
    {"S25", "issue order", "within a step, units do not wait in a circle"},
    {"S26", "tile covers", "a later phase reads no more than the tile made on chip"},
    {"S27", "epoch covers", "an Einsum reads no more of its own phase than the epoch made"},
    {"S28", "retained inputs", "a group retains only what it reads and does not make"},
    {"S29", "retained once", "retained tensors are sorted, each once"},
    {"S30", "capacity", "what is live in a phase fits its memory"},
    {"S31", "prefetched inputs", "a phase prefetches only what it is the first to load in an outer tile"},
    {"S32", "deferred results", "a phase defers only results that it makes for the outer memory, and no recurrence"},
    {"S33", "moved once", "prefetched and deferred tensors are sorted, each once, moved by at least one phase"},
    {"S34", "free again", "nothing is still needed when it is loaded or made for the next outer tile"},
    {"S35", "skipped steps", "a phase skips steps of its recurrence only where nothing depends on a step without points"},
    {"S36", "whole when read", "what extends a tensor is read in a later group than all its pieces are made in"},
    {"S37", "parts", "a group holds Einsums of one part, and parts follow one another"},
    {"S38", "residents", "a resident is an input, or crosses groups and is no output, recurrence or part of a longer tensor; it lies between the outermost memory and that of the units, residents are sorted, each once"},
    {"S39", "resident capacity", "the residents of a group, whole and pieces, fit their memory"},
    {"S40", "residents wait", "what is prefetched or deferred is no resident"},
    {"S41", "pieces", "a group's resident is a tensor that it reads, in one way, and does not make, no recurrence, not retained at group and no resident as a whole; it lies between the outermost memory and that of the units, residents are sorted, each once"},

    {"P01", "mirror", "the plan runs the slots of its schedule"},
    {"P02", "buffers", "a buffer is in the memory that feeds the units, aligned, of positive size"},
    {"P03", "sources", "every operand is read from a buffer that holds it, of the right epoch"},
    {"P04", "results", "every result has a buffer for each of its uses, and is stored if it leaves the group"},
    {"P05", "footprints", "a slot of a buffer holds its whole piece"},
    {"P06", "slots", "a buffer has as many slots as pieces are live at once"},
    {"P07", "lifetimes", "a buffer lives from its first use to its last"},
    {"P08", "overlap", "buffers that are live together share no byte"},
    {"P09", "placement", "no buffer or resident ends beyond its memory"},
    {"P10", "allocation", "an allocation ends where its last buffer ends"},
    {"P11", "moves", "first pieces are loaded ahead, and results stored later, as the schedule says"},
    {"P12", "active steps", "of a phase that skips, every step that has points runs, and no other that need not"},
    {"P13", "residents", "residents are those of the schedule, hold their tensors while groups use them, and share no byte; what is loaded or stored is where its tensor lies"},
    {"P14", "pieces", "pieces that reside are those of the schedule, hold what the readers of an outer tile read, and are copied when that changes"},
  };
  // clang-format on
  return rules;
}
