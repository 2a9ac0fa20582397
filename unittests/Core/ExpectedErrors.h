//===- ExpectedErrors.h - Errors that are checked in ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A foreign oracle is not always reached. How far off we are is a file beside
// it: a row that is worse than it says fails, and so does one that is better,
// which asks for the file to be updated. Errors are in per cent, signed, and
// compared to a hundredth.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_CORE_EXPECTEDERRORS_H
#define TRANSFUSION_UNITTESTS_CORE_EXPECTEDERRORS_H

#include <map>
#include <string>
#include <vector>

namespace transfusion::core::test {

/// Lines of a CSV file below test/Oracle/Inputs, the header first; empty when
/// it cannot be read.
std::vector<std::vector<std::string>> oracleRows(const std::string &file);

class ExpectedErrors {
public:
  /// Lines "row,error_percent" after a header.
  explicit ExpectedErrors(const std::string &file);
  ~ExpectedErrors();
  void check(const std::string &row, double ours, double theirs);

private:
  std::string file;
  std::map<std::string, double> expected;
  std::vector<std::string> seen; ///< as they should stand in the file
};

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_EXPECTEDERRORS_H
