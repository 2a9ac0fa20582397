//===- LinearForm.cpp - Coefficients of an affine expression --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Dialect/Einsum/IR/LinearForm.h"

using namespace mlir;
using namespace transfusion::einsum;

AffineExpr LinearForm::toExpr(MLIRContext *context) const {
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (auto [i, coefficient] : llvm::enumerate(coefficients))
    if (coefficient != 0)
      sum = sum + getAffineDimExpr(i, context) * coefficient;
  return sum + constant;
}

static bool addLinear(AffineExpr expr, int64_t factor, LinearForm &form) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    form.constant += factor * constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= form.coefficients.size())
      return false;
    form.coefficients[dim.getPosition()] += factor;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, form) &&
           addLinear(binary.getRHS(), factor, form);
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && by &&
         addLinear(binary.getLHS(), factor * by.getValue(), form);
}

std::optional<LinearForm>
transfusion::einsum::getLinearForm(AffineExpr expr, unsigned numRanks) {
  LinearForm form;
  form.coefficients.assign(numRanks, 0);
  if (!addLinear(expr, 1, form))
    return std::nullopt;
  return form;
}

SmallVector<unsigned>
transfusion::einsum::getDigits(const LinearForm &form,
                               ArrayRef<int64_t> extents) {
  SmallVector<unsigned> digits;
  for (auto [i, c] : llvm::enumerate(form.coefficients))
    if (c != 0 && extents[i] > 1)
      digits.push_back(i);
  llvm::sort(digits, [&](unsigned a, unsigned b) {
    return std::pair(std::abs(form.coefficients[a]), a) <
           std::pair(std::abs(form.coefficients[b]), b);
  });
  return digits;
}
