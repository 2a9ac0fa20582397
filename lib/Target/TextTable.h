//===- TextTable.h - Numbers and tables for people --------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_TARGET_TEXTTABLE_H
#define TRANSFUSION_LIB_TARGET_TEXTTABLE_H

#include <initializer_list>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace transfusion {

std::string fixed(double x, int digits);
/// 1349800000 -> "1,349,800,000"
std::string grouped(double x);
/// Three significant digits with a prefix of `base`: "4.91 MiB", "10.9 J".
std::string scaled(double x, double base,
                   std::initializer_list<const char *> units);
std::string bytesText(double x);
std::string capacityText(double x);
std::string energyText(double pj);
std::string timeText(double s);
/// 0.17843 -> "17.8 %"
std::string percent(double x);

/// Rows of cells, columns as wide as their widest cell.
class TextTable {
public:
  void row(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<std::vector<std::string>> rows;
};

} // namespace transfusion

#endif // TRANSFUSION_LIB_TARGET_TEXTTABLE_H
