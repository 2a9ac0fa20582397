//===- RulesDocTest.cpp - The page of rules is the list of rules ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Check/Rules.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using namespace transfusion::core;

TEST(RulesDoc, EveryRuleHasItsRowAndNoRowIsLeftOver) {
  const char *path = TRANSFUSION_SOURCE_DIR "/docs/Rationale/Schedule.md";
  auto file = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(file) << path;
  llvm::StringRef page = (*file)->getBuffer();
  for (const Rule &r : checkRules()) {
    std::string row =
        std::string("\n| ") + r.id + " | " + r.name + " | " + r.holds + " |\n";
    EXPECT_TRUE(page.contains(row)) << "the page lacks:" << row;
  }
  size_t rows = 0;
  for (const char *kind : {"\n| C", "\n| A", "\n| S", "\n| P"})
    rows += page.count(kind);
  EXPECT_EQ(rows, checkRules().size());
}
