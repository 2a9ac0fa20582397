//===- ImportCascadeTest.cpp - What Core sees of a BERT layer -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BridgeTest.h"
#include "transfusion/Core/Check/Check.h"

#include <map>

using namespace transfusion;
using namespace transfusion::test;
using Shape = std::vector<int64_t>;

namespace {

class ImportCascade : public BridgeTest {
protected:
  void SetUp() override {
    module = example("bert_tiny", "func.func(einsum-decompose{key-tile=4})");
    ASSERT_TRUE(module);
    auto imported = importCascade(functionOf(*module));
    ASSERT_TRUE(succeeded(imported));
    source = std::move(*imported);
  }
  const core::Tensor &tensor(const char *name) const {
    return source.cascade.tensors[source.tensorId(name)];
  }
  const core::Einsum &einsum(const char *name) const {
    return source.cascade.einsums[source.einsumId(name)];
  }
  /// "add 1, mac 2", classes in the order of OpClass.
  static std::string text(const core::OpHistogram &h) {
    std::string text;
    for (int i = 0; i < core::kNumOpClasses; ++i)
      if (h.count[i])
        text += (text.empty() ? "" : ", ") +
                std::string(core::opClassName(core::OpClass(i))) + " " +
                std::to_string(h.count[i]);
    return text;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
  ImportedCascade source;
};

TEST_F(ImportCascade, IsLegal) {
  for (const core::Violation &v : core::checkCascade(source.cascade))
    ADD_FAILURE() << v.rule << ": " << v.what;
}

TEST_F(ImportCascade, FactorsDimensionsThatAllUsersReadAlike) {
  EXPECT_EQ(tensor("%arg2").shape, (Shape{4, 12, 48})); // WQ[h*12+e, d]
  EXPECT_EQ(tensor("%arg3").shape, (Shape{4, 12}));     // its bias
  EXPECT_EQ(tensor("%arg8").shape, (Shape{48, 4, 12})); // WO[d, h*12+f]
  EXPECT_EQ(tensor("%arg0").shape, (Shape{2, 29, 48}));
  const auto &digits = source.digits[source.tensorId("%arg8")];
  EXPECT_EQ(digits[0].dim, 0);
  EXPECT_EQ(digits[0].stride, 1);
  EXPECT_EQ(digits[1].dim, 1);
  EXPECT_EQ(digits[1].stride, 12);
  EXPECT_EQ(digits[2].dim, 1);
  EXPECT_EQ(digits[2].stride, 1);
}

TEST_F(ImportCascade, KeepsDimensionsThatUsersReadDifferently) {
  EXPECT_EQ(tensor("BK").shape, (Shape{2, 4, 29, 12}));
  // m1*4 + m0 of 29 is no number with digits 8 and 4.
  EXPECT_EQ(tensor("%arg1").shape, (Shape{2, 1, 1, 29}));
  const core::LinearExpr &key = einsum("QK").inputs[1].access[2];
  ASSERT_EQ(key.terms.size(), 2u);
  EXPECT_EQ(key.terms[0].second + key.terms[1].second, 4 + 1);
}

TEST_F(ImportCascade, KnowsRecurrences) {
  EXPECT_EQ(tensor("RM").iterativeDim, 2);
  EXPECT_EQ(tensor("RM").iterativeRank, source.rankId("m1"));
  EXPECT_EQ(tensor("RM").shape[2], 9);
  EXPECT_EQ(tensor("QK").iterativeDim, -1);
  EXPECT_TRUE(tensor("ln2.NR").isOutput);
  EXPECT_FALSE(tensor("ln1.NR").isOutput);
  EXPECT_TRUE(tensor("%arg0").isInput);
}

TEST_F(ImportCascade, RaggedKeysAreADomain) {
  // 2 * 4 * 29 queries, 29 of the 32 keys, 12 wide.
  EXPECT_EQ(core::pointCount(source.cascade, source.einsumId("QK")),
            2 * 4 * 29 * 29 * 12);
}

TEST_F(ImportCascade, CountsOps) {
  std::map<std::string, std::string> point = {{"Q", "mac 1"},
                                              {"QK", "mac 1"},
                                              {"LM", "max 1"},
                                              {"RM", "max 1"},
                                              {"RMG", "max 2"},
                                              {"SLN", "add 1, exp 1"},
                                              {"SLD", "add 1"},
                                              {"SLNV", "mac 1"},
                                              {"PRM", "add 1, exp 1"},
                                              {"SPD", "mac 1"},
                                              {"RD", "add 1"},
                                              {"AV", "div 1"},
                                              {"O", "mac 1"},
                                              {"ln1.SAV", "add 1"},
                                              {"ln1.MAV", "mac 1"},
                                              {"ln1.QAV", "mac 1"},
                                              {"ln1.SR", "add 1, rsqrt 1"},
                                              {"ln1.NR", "mac 2, add 1"},
                                              {"AR", "mac 3, add 1, erf 1"}};
  for (const auto &[name, ops] : point)
    EXPECT_EQ(text(einsum(name.c_str()).pointOps), ops) << name;
  EXPECT_EQ(text(einsum("QK").finishOps), "mac 1, add 1"); // scale and mask
  EXPECT_EQ(text(einsum("FFN1").finishOps), "add 1");      // bias
  EXPECT_FALSE(einsum("LM").hasFinish);
}

} // namespace
