//===- RankExpr.cpp - Affine expressions written with rank names ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankExpr.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::detail;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Negative, and its opposite exists.
static bool canNegate(int64_t value) { return value < 0 && value != INT64_MIN; }

/// x * c with c < 0, or a negative constant: what is printed behind a minus.
static AffineExpr getNegated(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return canNegate(constant.getValue()) ? -expr : AffineExpr();
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::Mul)
    return {};
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return by && canNegate(by.getValue()) ? binary.getLHS() * -by.getValue()
                                        : AffineExpr();
}

static void printOperand(raw_ostream &os, AffineExpr expr,
                         ArrayRef<StringRef> names, bool spaced) {
  auto constant = dyn_cast<AffineConstantExpr>(expr);
  bool atom =
      isa<AffineDimExpr>(expr) || (constant && constant.getValue() >= 0);
  if (!atom)
    os << '(';
  printRankExpr(os, expr, names, spaced);
  if (!atom)
    os << ')';
}

void transfusion::einsum::detail::printRankExpr(raw_ostream &os,
                                                AffineExpr expr,
                                                ArrayRef<StringRef> names,
                                                bool spaced) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    os << constant.getValue();
    return;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    os << names[dim.getPosition()];
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  AffineExpr lhs = binary.getLHS(), rhs = binary.getRHS();
  switch (binary.getKind()) {
  case AffineExprKind::Add: {
    AffineExpr negatedRhs = getNegated(rhs);
    // A sum of a constant is stored constant last: `1-e1` reads better.
    if (AffineExpr negatedLhs = getNegated(lhs);
        negatedLhs && isa<AffineConstantExpr>(rhs) && !negatedRhs) {
      os << cast<AffineConstantExpr>(rhs).getValue() << (spaced ? " - " : "-");
      auto inner = dyn_cast<AffineBinaryOpExpr>(negatedLhs);
      if (inner && inner.getKind() == AffineExprKind::Add)
        printOperand(os, negatedLhs, names, spaced);
      else
        printRankExpr(os, negatedLhs, names, spaced);
      return;
    }
    printRankExpr(os, lhs, names, spaced);
    os << (spaced ? (negatedRhs ? " - " : " + ") : (negatedRhs ? "-" : "+"));
    AffineExpr term = negatedRhs ? negatedRhs : rhs;
    auto inner = dyn_cast<AffineBinaryOpExpr>(term);
    if (inner && inner.getKind() == AffineExprKind::Add)
      printOperand(os, term, names, spaced);
    else
      printRankExpr(os, term, names, spaced);
    return;
  }
  case AffineExprKind::Mul:
    if (AffineExpr negated = getNegated(expr)) {
      os << '-';
      printOperand(os, negated, names, spaced);
      return;
    }
    printOperand(os, lhs, names, spaced);
    os << '*';
    printOperand(os, rhs, names, spaced);
    return;
  case AffineExprKind::Mod:
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    printOperand(os, lhs, names, spaced);
    os << (binary.getKind() == AffineExprKind::Mod        ? " mod "
           : binary.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                                                          : " ceildiv ");
    printOperand(os, rhs, names, spaced);
    return;
  default:
    return;
  }
}

static void printConstraint(raw_ostream &os, AffineExpr expr, bool isEquality,
                            ArrayRef<StringRef> names) {
  MLIRContext *context = expr.getContext();
  std::optional<LinearForm> form = getLinearForm(expr, names.size());
  if (!form || form->toExpr(context) != expr) {
    printRankExpr(os, expr, names, /*spaced=*/true);
    os << (isEquality ? " == 0" : " >= 0");
    return;
  }
  // Each term on the side where it is positive: `m1*16 + m0 <= p`.
  LinearForm left, right;
  bool hasLeft = false, hasRight = false;
  for (int64_t c : form->coefficients) {
    left.coefficients.push_back(c < 0 ? -c : 0);
    right.coefficients.push_back(c > 0 ? c : 0);
    hasLeft |= c < 0;
    hasRight |= c > 0;
  }
  auto print = [&](const LinearForm &side) {
    printRankExpr(os, side.toExpr(context), names, /*spaced=*/true);
  };
  if (!hasLeft) {
    print(right);
    os << (isEquality ? " == " : " >= ") << -form->constant;
    return;
  }
  print(left);
  if (!hasRight && !isEquality) {
    os << " < " << form->constant + 1;
    return;
  }
  os << (isEquality ? " == " : " <= ");
  right.constant = form->constant;
  print(right);
}

void transfusion::einsum::detail::printConstraints(raw_ostream &os,
                                                   IntegerSet set,
                                                   ArrayRef<StringRef> names) {
  for (unsigned i = 0, e = set.getNumConstraints(); i < e; ++i) {
    if (i)
      os << " and ";
    printConstraint(os, set.getConstraint(i), set.isEq(i), names);
  }
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

AffineExpr RankScope::lookup(AsmParser &parser, StringRef name, SMLoc loc) {
  uses.push_back({name.str(), loc});
  unsigned i = 0;
  while (i < names.size() && names[i] != name)
    ++i;
  if (i == names.size())
    names.push_back(name.str());
  return getAffineDimExpr(i, parser.getContext());
}

/// Sums and products of integers up to here are formed without wrapping.
static constexpr int64_t kLargestInRankExpr = int64_t(1) << 60;

static int64_t largestInteger(AffineExpr expr) {
  int64_t largest = 1;
  expr.walk([&](AffineExpr e) {
    if (auto constant = dyn_cast<AffineConstantExpr>(e))
      largest = std::max<int64_t>(largest, std::abs(constant.getValue()));
  });
  return largest;
}

static ParseResult tooLarge(AsmParser &parser, SMLoc loc) {
  return parser.emitError(loc, "integers of a rank expression exceed 2^60");
}

static ParseResult parseFactor(AsmParser &parser, RankScope &scope,
                               AffineExpr &expr) {
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalMinus())) {
    if (parseFactor(parser, scope, expr))
      return failure();
    expr = -expr;
    return success();
  }
  if (succeeded(parser.parseOptionalLParen()))
    return failure(failed(parseRankExpr(parser, scope, expr)) ||
                   failed(parser.parseRParen()));
  int64_t constant;
  if (OptionalParseResult parsed = parser.parseOptionalInteger(constant);
      parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    if (constant > kLargestInRankExpr || constant < -kLargestInRankExpr)
      return tooLarge(parser, loc);
    expr = getAffineConstantExpr(constant, parser.getContext());
    return success();
  }
  std::string name;
  if (failed(parser.parseOptionalKeywordOrString(&name)))
    return parser.emitError(loc, "expected a rank, an integer or '('");
  expr = scope.lookup(parser, name, loc);
  return success();
}

static ParseResult parseTerm(AsmParser &parser, RankScope &scope,
                             AffineExpr &expr) {
  if (parseFactor(parser, scope, expr))
    return failure();
  while (true) {
    SMLoc loc = parser.getCurrentLocation();
    AffineExpr rhs;
    auto parseBy = [&](bool positive) -> ParseResult {
      if (parseFactor(parser, scope, rhs))
        return failure();
      auto by = dyn_cast<AffineConstantExpr>(rhs);
      if (positive && (!by || by.getValue() <= 0))
        return parser.emitError(loc, "expected a positive integer divisor");
      if (!positive && !by && !isa<AffineConstantExpr>(expr))
        return parser.emitError(
            loc, "a product of ranks is not affine; one factor is an "
                 "integer");
      return success();
    };
    if (succeeded(parser.parseOptionalStar())) {
      if (parseBy(/*positive=*/false))
        return failure();
      if (largestInteger(expr) > kLargestInRankExpr / largestInteger(rhs))
        return tooLarge(parser, loc);
      expr = expr * rhs;
    } else if (succeeded(parser.parseOptionalKeyword("mod"))) {
      if (parseBy(/*positive=*/true))
        return failure();
      expr = expr % rhs;
    } else if (succeeded(parser.parseOptionalKeyword("floordiv"))) {
      if (parseBy(/*positive=*/true))
        return failure();
      expr = expr.floorDiv(rhs);
    } else if (succeeded(parser.parseOptionalKeyword("ceildiv"))) {
      if (parseBy(/*positive=*/true))
        return failure();
      expr = expr.ceilDiv(rhs);
    } else {
      return success();
    }
  }
}

ParseResult transfusion::einsum::detail::parseRankExpr(AsmParser &parser,
                                                       RankScope &scope,
                                                       AffineExpr &expr) {
  if (parseTerm(parser, scope, expr))
    return failure();
  while (true) {
    SMLoc loc = parser.getCurrentLocation();
    AffineExpr rhs;
    if (succeeded(parser.parseOptionalPlus())) {
      if (parseTerm(parser, scope, rhs))
        return failure();
      expr = expr + rhs;
    } else if (succeeded(parser.parseOptionalMinus())) {
      if (parseTerm(parser, scope, rhs))
        return failure();
      expr = expr - rhs;
    } else {
      return success();
    }
    if (largestInteger(expr) > kLargestInRankExpr)
      return tooLarge(parser, loc);
  }
}

ParseResult transfusion::einsum::detail::parseConstraints(
    AsmParser &parser, RankScope &scope,
    SmallVectorImpl<ParsedConstraint> &constraints) {
  do {
    AffineExpr lhs, rhs;
    if (parseRankExpr(parser, scope, lhs))
      return failure();
    bool less = false, strict = false, equality = false;
    if (succeeded(parser.parseOptionalEqual())) {
      equality = true;
      if (parser.parseEqual())
        return failure();
    } else if (succeeded(parser.parseOptionalLess())) {
      less = true;
      strict = failed(parser.parseOptionalEqual());
    } else if (succeeded(parser.parseOptionalGreater())) {
      strict = failed(parser.parseOptionalEqual());
    } else {
      return parser.emitError(parser.getCurrentLocation(),
                              "expected '<=', '<', '>=', '>' or '=='");
    }
    SMLoc loc = parser.getCurrentLocation();
    if (parseRankExpr(parser, scope, rhs))
      return failure();
    ParsedConstraint constraint;
    constraint.isEquality = equality;
    auto zero = dyn_cast<AffineConstantExpr>(rhs);
    constraint.isExact = !less && !strict && zero && zero.getValue() == 0;
    constraint.expr = (less || equality) ? rhs - lhs : lhs - rhs;
    if (strict)
      constraint.expr = constraint.expr - 1;
    if (constraint.isExact)
      constraint.expr = lhs;
    if (largestInteger(constraint.expr) >= kLargestInRankExpr)
      return tooLarge(parser, loc);
    constraints.push_back(constraint);
  } while (succeeded(parser.parseOptionalKeyword("and")));
  return success();
}

std::string
transfusion::einsum::detail::suggestName(StringRef name,
                                         ArrayRef<StringRef> candidates) {
  StringRef best;
  unsigned bestDistance = std::max<size_t>(name.size() / 2, 1) + 1;
  for (StringRef candidate : candidates) {
    unsigned distance = name.edit_distance(candidate);
    // A single letter is close to every other single letter.
    if (distance < bestDistance && distance < candidate.size()) {
      best = candidate;
      bestDistance = distance;
    }
  }
  if (!best.empty())
    return "; did you mean '" + best.str() + "'?";
  if (candidates.empty())
    return "; there is none";
  std::string list;
  llvm::raw_string_ostream os(list);
  os << "; there are ";
  llvm::interleaveComma(candidates, os);
  return list;
}
