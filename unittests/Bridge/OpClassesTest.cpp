//===- OpClassesTest.cpp - No scalar op is free by accident ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Bridge/OpClasses.h"
#include "BridgeTest.h"

using namespace transfusion;
using namespace transfusion::test;

namespace {

class OpClasses : public BridgeTest {
protected:
  /// Ops of one body, or "error".
  std::string classify(const std::string &body) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(%a: f32, %b: f32, %i: i32, %j: i32, %c: i1) {\n" + body +
            "\nreturn }",
        &context);
    if (!module)
      return "no IR";
    mlir::func::FuncOp function = *module->getOps<mlir::func::FuncOp>().begin();
    function.front().getTerminator()->erase();
    mlir::ScopedDiagnosticHandler quiet(
        &context, [](mlir::Diagnostic &) { return mlir::success(); });
    auto ops = classifyBody(function.getBody());
    if (failed(ops))
      return "error";
    std::string text;
    for (int i = 0; i < core::kNumOpClasses; ++i)
      if (ops->count[i])
        text += std::string(text.empty() ? "" : " ") +
                std::to_string(ops->count[i]) + " " +
                core::opClassName(core::OpClass(i));
    return text.empty() ? "none" : text;
  }
};

TEST_F(OpClasses, ArithmeticAndComparisons) {
  EXPECT_EQ(classify("%0 = arith.mulf %a, %b : f32"), "1 mac");
  EXPECT_EQ(classify("%0 = math.fma %a, %b, %a : f32"), "1 mac");
  EXPECT_EQ(classify("%0 = arith.subf %a, %b : f32"), "1 add");
  EXPECT_EQ(classify("%0 = arith.negf %a : f32"), "1 add");
  EXPECT_EQ(classify("%0 = arith.xori %i, %j : i32"), "1 add");
  EXPECT_EQ(classify("%0 = arith.maximumf %a, %b : f32"), "1 max");
  EXPECT_EQ(classify("%0 = arith.cmpf ogt, %a, %b : f32"), "1 max");
  EXPECT_EQ(classify("%0 = arith.select %c, %a, %b : f32"), "1 max");
  EXPECT_EQ(classify("%0 = math.absf %a : f32"), "1 max");
}

TEST_F(OpClasses, ADivisionByAConstantIsAMultiplication) {
  EXPECT_EQ(classify("%0 = arith.divf %a, %b : f32"), "1 div");
  EXPECT_EQ(classify("%k = arith.constant 3.0 : f32\n"
                     "%0 = arith.divf %a, %k : f32"),
            "1 mac");
  EXPECT_EQ(classify("%k = arith.constant 3.0 : f32\n" // a reciprocal
                     "%0 = arith.divf %k, %a : f32"),
            "1 div");
  EXPECT_EQ(classify("%k = arith.constant 3 : i32\n"
                     "%x = arith.sitofp %k : i32 to f32\n"
                     "%0 = arith.divf %a, %x : f32"),
            "1 mac");
}

TEST_F(OpClasses, FunctionsAndWhatTheyAreMadeOf) {
  EXPECT_EQ(classify("%0 = math.exp %a : f32"), "1 exp");
  EXPECT_EQ(classify("%0 = math.rsqrt %a : f32"), "1 rsqrt");
  EXPECT_EQ(classify("%0 = math.erf %a : f32"), "1 erf");
  EXPECT_EQ(classify("%0 = math.tanh %a : f32"), "1 tanh");
  EXPECT_EQ(classify("%0 = math.powf %a, %b : f32"), "1 mac 1 exp 1 log");
  EXPECT_EQ(classify("%0 = math.log1p %a : f32"), "1 add 1 log");
}

TEST_F(OpClasses, CastsAndConstantsAreFree) {
  EXPECT_EQ(classify("%0 = arith.truncf %a : f32 to bf16"), "none");
  EXPECT_EQ(classify("%0 = arith.constant 1.0 : f32"), "none");
}

TEST_F(OpClasses, WhatIsInNoClassIsAnError) {
  EXPECT_EQ(classify("%0 = math.atan %a : f32"), "error");
  EXPECT_EQ(classify("func.call @f(%a, %b, %i, %j, %c) : (f32, f32, i32, i32, "
                     "i1) -> ()"),
            "error");
}

/// Every op of arith and math that exists is either in the table or known here
/// to be refused: a new op of MLIR makes this fail, not a cost of zero.
TEST_F(OpClasses, EveryScalarOpIsDecidedUpon) {
  std::vector<std::string> refused = {"arith.addui_extended",
                                      "arith.mulsi_extended",
                                      "arith.mului_extended",
                                      "arith.scaling_extf",
                                      "arith.scaling_truncf",
                                      "math.acos",
                                      "math.acosh",
                                      "math.asin",
                                      "math.asinh",
                                      "math.atan",
                                      "math.atan2",
                                      "math.atanh",
                                      "math.ctlz",
                                      "math.ctpop",
                                      "math.cttz",
                                      "math.isnormal",
                                      "math.sincos"};
  int seen = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    llvm::StringRef dialect = name.getDialectNamespace();
    if (dialect != "arith" && dialect != "math")
      continue;
    ++seen;
    bool isRefused = llvm::is_contained(refused, name.getStringRef());
    EXPECT_EQ(hasOpClass(name), !isRefused) << name.getStringRef().str();
  }
  EXPECT_GT(seen, 90);
}

} // namespace
