//===- LinearConditions.cpp - Conditions without quotients ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearConditions.h"
#include "Indices.h"
#include "transfusion/Dialect/Einsum/IR/LinearForm.h"

#include <cstdlib>
#include <numeric>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

/// Nothing that is multiplied here may wrap.
static constexpr int64_t kHuge = int64_t(1) << 20;

static bool isLinear(AffineExpr expr) {
  bool result = true;
  expr.walk([&](AffineExpr e) {
    result &= e.getKind() != AffineExprKind::FloorDiv &&
              e.getKind() != AffineExprKind::Mod &&
              e.getKind() != AffineExprKind::CeilDiv;
  });
  return result;
}

static int64_t divisorOf(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  auto by = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                   : AffineConstantExpr();
  return by ? by.getValue() : 0;
}

namespace {
/// The sum of factor * quotient, and of the rest. (An affine expression folds
/// x - c * (x floordiv c) into a remainder, so this is no expression.)
struct Quotients {
  struct Term {
    AffineExpr quotient;
    int64_t factor;
  };
  SmallVector<Term> terms;
  AffineExpr rest;

  void add(AffineExpr quotient, int64_t factor) {
    for (Term &term : terms)
      if (term.quotient == quotient) {
        term.factor += factor;
        return;
      }
    terms.push_back({quotient, factor});
  }
};
} // namespace

/// Adds factor * expr; false where something is not understood.
static bool takeApart(AffineExpr expr, int64_t factor, Quotients &into) {
  if (isLinear(expr)) {
    into.rest = into.rest + expr * factor;
    return true;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  AffineExpr l = binary.getLHS(), r = binary.getRHS();
  int64_t by = divisorOf(expr);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return takeApart(l, factor, into) && takeApart(r, factor, into);
  case AffineExprKind::Mul:
    return by != 0 && std::abs(by) < kHuge && std::abs(factor) < kHuge &&
           takeApart(l, factor * by, into);
  case AffineExprKind::FloorDiv:
  case AffineExprKind::Mod:
    if (!isLinear(l) || by <= 0 || by > kHuge || std::abs(factor) > kHuge)
      return false;
    if (binary.getKind() == AffineExprKind::FloorDiv) {
      into.add(expr, factor);
      return true;
    }
    into.add(l.floorDiv(by), -factor * by); // l mod by
    return takeApart(l, factor, into);
  default:
    return false;
  }
}

AffineExpr normal::linearEquivalent(AffineExpr expr,
                                    ArrayRef<int64_t> extents) {
  expr = simplifyIndex(expr, extents);
  if (isLinear(expr))
    return expr;
  Quotients parts;
  parts.rest = getAffineConstantExpr(0, expr.getContext());
  if (!takeApart(expr, 1, parts))
    return {};
  llvm::erase_if(parts.terms,
                 [](const Quotients::Term &t) { return t.factor == 0; });
  if (parts.terms.empty())
    return simplifyIndex(parts.rest, extents);
  if (parts.terms.size() > 1)
    return {};
  auto [quotient, factor] = parts.terms.front();
  AffineExpr inner = cast<AffineBinaryOpExpr>(quotient).getLHS();
  int64_t size = divisorOf(quotient);
  // Above: quotient >= -bound. Below: quotient <= bound.
  AffineExpr bound =
      simplifyIndex(parts.rest.floorDiv(std::abs(factor)), extents);
  if (!isLinear(bound))
    return {};
  AffineExpr result =
      factor > 0 ? inner + bound * size : bound * size + (size - 1) - inner;
  return simplifyIndex(result, extents);
}

/// A linear expression that is nowhere less than factor * scale * expr, in
/// which quotients by divisors of `scale` are; null where there is none.
static AffineExpr linearUpperBound(AffineExpr expr, int64_t factor,
                                   int64_t scale) {
  if (factor > kHuge || factor < -kHuge || scale > kHuge)
    return {};
  if (isa<AffineDimExpr, AffineConstantExpr>(expr))
    return expr * (factor * scale);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return {};
  AffineExpr l = binary.getLHS(), r = binary.getRHS();
  if (binary.getKind() == AffineExprKind::Add) {
    AffineExpr left = linearUpperBound(l, factor, scale);
    AffineExpr right = linearUpperBound(r, factor, scale);
    return left && right ? left + right : AffineExpr();
  }
  auto by = dyn_cast<AffineConstantExpr>(r);
  if (!by)
    return {};
  int64_t k = by.getValue();
  if (binary.getKind() == AffineExprKind::Mul)
    return linearUpperBound(l, factor * k, scale);
  if (!isLinear(l) || k <= 0 || scale % k != 0)
    return {};
  if (binary.getKind() == AffineExprKind::FloorDiv) // (l - k + 1) / k ... l / k
    return (factor > 0 ? l : l - (k - 1)) * (factor * (scale / k));
  if (binary.getKind() != AffineExprKind::Mod)
    return {};
  // l - k * (l floordiv k)
  AffineExpr multiple = linearUpperBound(l.floorDiv(k), -factor * k, scale);
  return multiple ? l * (factor * scale) + multiple : AffineExpr();
}

AffineExpr normal::linearConsequence(AffineExpr expr) {
  int64_t scale = 1;
  expr.walk([&](AffineExpr e) {
    bool divides = e.getKind() == AffineExprKind::FloorDiv ||
                   e.getKind() == AffineExprKind::Mod;
    if (divides && divisorOf(e) > 0 && scale < kHuge)
      scale = std::lcm(scale, divisorOf(e));
  });
  return scale < kHuge ? linearUpperBound(expr, 1, scale) : AffineExpr();
}

std::optional<Blocks> normal::findBlocks(AffineExpr expr, AffineExpr key,
                                         ArrayRef<int64_t> extents) {
  std::optional<Blocks> result;
  simplifyIndex(expr, extents).walk([&](AffineExpr e) {
    int64_t size = divisorOf(e);
    bool divides = e.getKind() == AffineExprKind::FloorDiv ||
                   e.getKind() == AffineExprKind::Mod;
    if (result || !divides || size < 2)
      return;
    std::optional<LinearForm> form =
        getLinearForm(cast<AffineBinaryOpExpr>(e).getLHS(), extents.size());
    if (!form || form->constant < 0 || form->constant >= size)
      return;
    AffineExpr found;
    for (auto [i, coefficient] : llvm::enumerate(form->coefficients)) {
      if (coefficient == 0)
        continue;
      if (coefficient != 1 || found)
        return;
      found = getAffineDimExpr(i, expr.getContext());
    }
    if (found && found != key)
      result = {found, size, form->constant};
  });
  return result;
}
