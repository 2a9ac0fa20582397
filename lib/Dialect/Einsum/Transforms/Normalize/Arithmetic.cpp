//===- Arithmetic.cpp - Sums and products ---------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is folded here changes values by rounding only: x - x is not 0 and x / x
// is not 1 (either may be NaN), and constants are only merged where the result
// is a normal number of the type.
//
//===----------------------------------------------------------------------===//

#include "NormalForm.h"
#include "OperandOrder.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

/// A number that the type holds to full precision.
static bool isNormal(double value, Type type) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  double least =
      llvm::APFloat::getSmallestNormalized(semantics).convertToDouble();
  double most = llvm::APFloat::getLargest(semantics).convertToDouble();
  return std::abs(value) >= least && std::abs(value) <= most;
}

bool normal::isClose(double a, double b, Type type, unsigned ulps) {
  unsigned precision = llvm::APFloat::semanticsPrecision(
      cast<FloatType>(type).getFloatSemantics());
  return a == b ||
         std::abs(a - b) <= ulps * std::ldexp(std::abs(b), 1 - int(precision));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Ref Graph::product(const Frame &frame, const Factors &factors, Type type) {
  double constant = factors.constant;
  SmallVector<Factor> list;
  auto add = [&](const Ref &ref, int power) {
    for (Factor &factor : list)
      if (factor.ref == ref && (factor.power > 0) == (power > 0)) {
        factor.power += power;
        return;
      }
    list.push_back({ref, power});
  };
  for (const Factor &factor : factors.list) {
    const Node &node = nodes[factor.ref.node];
    if (node.kind == Kind::Constant) {
      double folded = constant * std::pow(node.constant, factor.power);
      if (isNormal(folded, type) || folded == node.constant) {
        constant = folded;
        continue;
      }
    }
    if (node.kind == Kind::Product) {
      double folded = constant * std::pow(node.constant, factor.power);
      bool hoists = node.constant != 1 && isNormal(folded, type);
      // A power of one value: x*x*x is x^3.
      bool isPower =
          node.operands.size() == 1 && (node.constant == 1 || hoists);
      if (hoists)
        constant = folded;
      if (isPower) {
        add(operand(factor.ref, 0), node.powers[0] * factor.power);
        continue;
      }
      if (hoists) {
        Factors rest;
        for (auto [i, power] : llvm::enumerate(node.powers))
          rest.list.push_back({operand(factor.ref, i), power});
        add(product(frame, rest, type), factor.power);
        continue;
      }
    }
    add(factor.ref, factor.power);
  }
  if (list.empty())
    return this->constant(constant, type);
  if (list.size() == 1 && list[0].power == 1) {
    Ref only = list[0].ref;
    if (constant == 1)
      return only;
    // The constant stands beside the factors: c(xy) is (cx)y.
    if (nodes[only.node].kind == Kind::Product &&
        nodes[only.node].constant == 1)
      list = ownFactors(only).list;
  }

  SmallVector<Ref> operands;
  SmallVector<uint64_t> powers;
  for (const Factor &factor : list) {
    operands.push_back(factor.ref);
    powers.push_back(factor.power);
  }
  Node node;
  node.kind = Kind::Product;
  node.type = type;
  node.constant = constant;
  for (unsigned i : orderOf(*this, operands, /*isProduct=*/true, powers)) {
    node.operands.push_back(list[i].ref);
    node.powers.push_back(list[i].power);
  }
  Exprs dims = usedDims(frame, node.operands);
  return make(frame, std::move(node), dims, {});
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Ref Graph::sum(const Frame &frame, const Terms &terms, Type type) {
  double constant = terms.constant;
  SmallVector<Term> list;
  auto add = [&](const Ref &ref, double coefficient) {
    for (Term &term : list)
      if (term.ref == ref && term.coefficient + coefficient != 0) {
        term.coefficient += coefficient;
        return;
      }
    list.push_back({coefficient, ref});
  };
  unsigned numSums = 0;
  for (const Term &term : terms.list) {
    const Node &node = nodes[term.ref.node];
    numSums += node.kind != Kind::Constant;
  }
  for (const Term &term : terms.list) {
    const Node &node = nodes[term.ref.node];
    double folded = constant + term.coefficient * node.constant;
    if (node.kind == Kind::Constant && std::isfinite(folded)) {
      constant = folded;
      continue;
    }
    if (node.kind == Kind::Product && node.constant != 1 &&
        isNormal(node.constant * term.coefficient, type)) {
      Factors rest;
      for (auto [i, power] : llvm::enumerate(node.powers))
        rest.list.push_back({operand(term.ref, i), power});
      add(product(frame, rest, type), node.constant * term.coefficient);
      continue;
    }
    // (a + 1) + 2, where the rest is constants.
    if (node.kind == Kind::Sum && numSums == 1 && constant != 0 &&
        node.constant != 0 && std::isfinite(folded)) {
      constant = folded;
      for (auto [i, coefficient] : llvm::enumerate(node.coefficients))
        add(operand(term.ref, i), coefficient * term.coefficient);
      continue;
    }
    add(term.ref, term.coefficient);
  }
  if (list.empty())
    return this->constant(constant, type);
  if (constant == 0 && list.size() == 1)
    return product(frame, {list[0].coefficient, {{list[0].ref, 1}}}, type);

  SmallVector<Ref> operands;
  SmallVector<uint64_t> coefficients;
  for (const Term &term : list) {
    operands.push_back(term.ref);
    coefficients.push_back(llvm::bit_cast<uint64_t>(term.coefficient));
  }
  Node node;
  node.kind = Kind::Sum;
  node.type = type;
  node.constant = constant;
  for (unsigned i :
       orderOf(*this, operands, /*isProduct=*/false, coefficients)) {
    node.operands.push_back(list[i].ref);
    node.coefficients.push_back(list[i].coefficient);
  }
  Exprs dims = usedDims(frame, node.operands);
  return make(frame, std::move(node), dims, {});
}
