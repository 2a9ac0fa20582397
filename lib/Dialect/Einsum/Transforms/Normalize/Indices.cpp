//===- Indices.cpp - Affine expressions in one form -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "Hashing.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

int normal::plainDim(AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim ? static_cast<int>(dim.getPosition()) : -1;
}

int normal::compareIndices(AffineExpr a, AffineExpr b) {
  if (a == b)
    return 0;
  auto threeWay = [](int64_t l, int64_t r) { return l < r ? -1 : l > r; };
  if (a.getKind() != b.getKind())
    return threeWay(static_cast<int>(a.getKind()),
                    static_cast<int>(b.getKind()));
  if (auto constant = dyn_cast<AffineConstantExpr>(a))
    return threeWay(constant.getValue(),
                    cast<AffineConstantExpr>(b).getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(a))
    return threeWay(dim.getPosition(), cast<AffineDimExpr>(b).getPosition());
  auto l = dyn_cast<AffineBinaryOpExpr>(a), r = dyn_cast<AffineBinaryOpExpr>(b);
  if (!l || !r) // symbols: accesses have none
    return 0;
  if (int order = compareIndices(l.getLHS(), r.getLHS()))
    return order;
  return compareIndices(l.getRHS(), r.getRHS());
}

uint64_t normal::hashIndex(AffineExpr expr) {
  uint64_t hash = mixHash(17, static_cast<uint64_t>(expr.getKind()));
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return mixHash(hash, constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return mixHash(hash, dim.getPosition());
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr))
    return mixHash(mixHash(hash, hashIndex(binary.getLHS())),
                   hashIndex(binary.getRHS()));
  return hash;
}

std::optional<Interval> normal::rangeOf(AffineExpr expr,
                                        ArrayRef<int64_t> extents) {
  bool bounded = true;
  expr.walk([&](AffineExpr e) {
    if (auto dim = dyn_cast<AffineDimExpr>(e))
      bounded &=
          dim.getPosition() < extents.size() && extents[dim.getPosition()] > 0;
  });
  if (!bounded)
    return std::nullopt;
  return getRange(expr, extents);
}

namespace {
struct Atom {
  AffineExpr expr;
  int64_t coefficient;
};
/// constant + the atoms.
struct Flat {
  int64_t constant = 0;
  SmallVector<Atom, 4> atoms;
};

class Simplifier {
public:
  Simplifier(MLIRContext *context, ArrayRef<int64_t> extents)
      : context(context), extents(extents) {}

  Flat flatten(AffineExpr expr) {
    Flat result;
    add(result, expr, 1);
    recombine(result);
    return result;
  }

  AffineExpr build(Flat flat) {
    llvm::erase_if(flat.atoms, [](const Atom &a) { return !a.coefficient; });
    llvm::sort(flat.atoms, [](const Atom &a, const Atom &b) {
      if (std::abs(a.coefficient) != std::abs(b.coefficient))
        return std::abs(a.coefficient) > std::abs(b.coefficient);
      return compareIndices(a.expr, b.expr) < 0;
    });
    AffineExpr result;
    for (const Atom &atom : flat.atoms) {
      AffineExpr term = atom.expr * atom.coefficient;
      result = result ? result + term : term;
    }
    if (!result)
      return getAffineConstantExpr(flat.constant, context);
    return flat.constant ? result + flat.constant : result;
  }

private:
  static void addAtom(Flat &flat, AffineExpr expr, int64_t coefficient) {
    for (Atom &atom : flat.atoms)
      if (atom.expr == expr) {
        atom.coefficient += coefficient;
        return;
      }
    flat.atoms.push_back({expr, coefficient});
  }

  void add(Flat &flat, AffineExpr expr, int64_t factor) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      flat.constant += factor * constant.getValue();
      return;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary) {
      addAtom(flat, expr, factor);
      return;
    }
    auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
    switch (binary.getKind()) {
    case AffineExprKind::Add:
      add(flat, binary.getLHS(), factor);
      add(flat, binary.getRHS(), factor);
      return;
    case AffineExprKind::Mul:
      if (by)
        add(flat, binary.getLHS(), factor * by.getValue());
      else
        addAtom(flat, expr, factor);
      return;
    case AffineExprKind::FloorDiv:
      if (by && by.getValue() > 0)
        return addFloorDiv(flat, binary.getLHS(), by.getValue(), factor);
      break;
    case AffineExprKind::Mod:
      if (by && by.getValue() > 0)
        return addMod(flat, binary.getLHS(), by.getValue(), factor);
      break;
    default:
      break;
    }
    addAtom(flat, expr, factor);
  }

  /// Splits off what `by` divides.
  static Flat takeMultiples(Flat &from, int64_t by) {
    Flat multiples;
    SmallVector<Atom, 4> rest;
    for (const Atom &atom : from.atoms)
      if (atom.coefficient % by == 0)
        multiples.atoms.push_back({atom.expr, atom.coefficient / by});
      else
        rest.push_back(atom);
    from.atoms = rest;
    int64_t quotient = from.constant / by;
    if (from.constant % by < 0)
      --quotient;
    multiples.constant = quotient;
    from.constant -= quotient * by;
    return multiples;
  }

  void addFloorDiv(Flat &flat, AffineExpr expr, int64_t by, int64_t factor) {
    Flat rest = flatten(expr);
    Flat multiples = takeMultiples(rest, by);
    for (const Atom &atom : multiples.atoms)
      addAtom(flat, atom.expr, atom.coefficient * factor);
    flat.constant += multiples.constant * factor;
    AffineExpr remainder = build(rest);
    if (auto range = rangeOf(remainder, extents)) {
      int64_t low = floorDiv(range->min, by);
      if (low == floorDiv(range->max, by)) {
        flat.constant += low * factor;
        return;
      }
    }
    addAtom(flat, remainder.floorDiv(by), factor);
  }

  void addMod(Flat &flat, AffineExpr expr, int64_t by, int64_t factor) {
    Flat rest = flatten(expr);
    takeMultiples(rest, by);
    AffineExpr remainder = build(rest);
    if (auto range = rangeOf(remainder, extents)) {
      int64_t low = floorDiv(range->min, by);
      if (low == floorDiv(range->max, by)) {
        for (const Atom &atom : rest.atoms)
          addAtom(flat, atom.expr, atom.coefficient * factor);
        flat.constant += (rest.constant - low * by) * factor;
        return;
      }
    }
    addAtom(flat, remainder % by, factor);
  }

  /// k*(x mod c) + k*c*(x floordiv c) is k*x; with (x floordiv c) mod b for the
  /// quotient it is k*(x mod b*c).
  void recombine(Flat &flat) {
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned i = 0; i < flat.atoms.size() && !changed; ++i) {
        auto mod = dyn_cast<AffineBinaryOpExpr>(flat.atoms[i].expr);
        int64_t factor = flat.atoms[i].coefficient;
        if (!mod || mod.getKind() != AffineExprKind::Mod || factor == 0)
          continue;
        int64_t c = cast<AffineConstantExpr>(mod.getRHS()).getValue();
        AffineExpr quotient = mod.getLHS().floorDiv(c);
        for (unsigned j = 0; j < flat.atoms.size() && !changed; ++j) {
          if (j == i || flat.atoms[j].coefficient != factor * c)
            continue;
          AffineExpr other = flat.atoms[j].expr;
          AffineExpr whole;
          auto digit = dyn_cast<AffineBinaryOpExpr>(other);
          if (other == quotient)
            whole = mod.getLHS();
          else if (digit && digit.getKind() == AffineExprKind::Mod &&
                   digit.getLHS() == quotient)
            whole = mod.getLHS() %
                    (c * cast<AffineConstantExpr>(digit.getRHS()).getValue());
          else
            continue;
          flat.atoms[i].coefficient = flat.atoms[j].coefficient = 0;
          llvm::erase_if(flat.atoms,
                         [](const Atom &a) { return !a.coefficient; });
          add(flat, whole, factor);
          changed = true;
        }
      }
    }
  }

  static int64_t floorDiv(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && a < 0);
  }

  MLIRContext *context;
  ArrayRef<int64_t> extents;
};
} // namespace

AffineExpr normal::simplifyIndex(AffineExpr expr, ArrayRef<int64_t> extents) {
  if (isa<AffineDimExpr, AffineConstantExpr>(expr))
    return expr;
  Simplifier simplifier(expr.getContext(), extents);
  return simplifier.build(simplifier.flatten(expr));
}
