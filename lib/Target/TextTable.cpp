//===- TextTable.cpp - Numbers and tables for people ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextTable.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace transfusion;

std::string transfusion::fixed(double x, int digits) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format(("%." + std::to_string(digits) + "f").c_str(), x);
  return text;
}

std::string transfusion::grouped(double x) {
  std::string digits = fixed(std::round(x), 0), text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-')
      text += ',';
    text += digits[i];
  }
  return text;
}

std::string transfusion::scaled(double x, double base,
                                std::initializer_list<const char *> units) {
  auto unit = units.begin();
  while (x >= base && unit + 1 != units.end()) {
    x /= base;
    ++unit;
  }
  return fixed(x, x >= 100 ? 0 : x >= 10 ? 1 : 2) + " " + *unit;
}

std::string transfusion::bytesText(double x) {
  return scaled(x, 1000, {"B", "kB", "MB", "GB", "TB", "PB"});
}
std::string transfusion::capacityText(double x) {
  return scaled(x, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}
std::string transfusion::energyText(double pj) {
  return scaled(pj, 1000, {"pJ", "nJ", "uJ", "mJ", "J", "kJ"});
}
std::string transfusion::timeText(double s) {
  return scaled(s * 1e9, 1000, {"ns", "us", "ms", "s"});
}
std::string transfusion::percent(double x) { return fixed(x * 100, 1) + " %"; }

void TextTable::print(llvm::raw_ostream &os) const {
  std::vector<size_t> width;
  for (const auto &cells : rows)
    for (size_t i = 0; i < cells.size(); ++i) {
      width.resize(std::max(width.size(), i + 1));
      width[i] = std::max(width[i], cells[i].size());
    }
  for (const auto &cells : rows) {
    std::string line = " ";
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string pad(width[i] - cells[i].size(), ' ');
      // Names to the left, numbers to the right.
      bool left = i < 2 || i + 1 == cells.size();
      line += " " + (left ? cells[i] + pad : pad + cells[i]) + " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    os << line << "\n";
  }
}
