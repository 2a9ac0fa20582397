//===- ExpectedErrors.cpp - Errors that are checked in --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpectedErrors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace transfusion::core::test {

std::vector<std::vector<std::string>> oracleRows(const std::string &file) {
  std::ifstream in(std::string(TRANSFUSION_SOURCE_DIR "/test/Oracle/Inputs/") +
                   file);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');)
      rows.back().push_back(cell);
  }
  return rows;
}

ExpectedErrors::ExpectedErrors(const std::string &file) : file(file) {
  const auto rows = oracleRows(file);
  for (size_t i = 1; i < rows.size(); ++i)
    if (rows[i].size() == 2)
      expected[rows[i][0]] = std::stod(rows[i][1]);
}

void ExpectedErrors::check(const std::string &row, double ours, double theirs) {
  const double error = 100 * (ours / theirs - 1);
  char line[256];
  std::snprintf(line, sizeof line, "%s,%.2f", row.c_str(), error);
  seen.push_back(line);
  auto it = expected.find(row);
  if (it == expected.end()) {
    ADD_FAILURE() << row << " has no expected error, it is " << error << " %";
    return;
  }
  const double was = it->second;
  expected.erase(it);
  if (std::fabs(error - was) <= .0051)
    return;
  ADD_FAILURE() << row << ": " << ours << " against " << theirs << ", error "
                << error << " %, expected " << was << " %: "
                << (std::fabs(error) > std::fabs(was)
                        ? "worse"
                        : "not worse, update the file");
}

ExpectedErrors::~ExpectedErrors() {
  for (const auto &row : expected)
    ADD_FAILURE() << row.first << " is expected in " << file
                  << " and was not computed";
  if (!::testing::Test::HasFailure())
    return;
  std::string text = "row,error_percent\n";
  for (const std::string &line : seen)
    text += line + "\n";
  GTEST_LOG_(INFO) << file << " would be\n" << text;
}

} // namespace transfusion::core::test
