//===- Choice.h - Options with a fixed set of values ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM answers an unknown value of an option with "Cannot find option named
// 'x'!" and leaves the user to guess what is allowed. Here the answer lists it.
// An enum E that options take says so where it is declared, before the first
// option of its type:
//
//   template <>
//   class llvm::cl::parser<E> : public transfusion::ChoiceParser<E> {
//     using ChoiceParser::ChoiceParser;
//   };
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_OPTIONS_CHOICE_H
#define TRANSFUSION_OPTIONS_CHOICE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"

#include <string>

namespace transfusion {

/// llvm::cl::parser of an enum, with another message.
template <typename Enum>
class ChoiceParser : public llvm::cl::generic_parser_base {
  class OptionInfo : public GenericOptionInfo {
  public:
    OptionInfo(llvm::StringRef name, Enum value, llvm::StringRef help)
        : GenericOptionInfo(name, help), V(value) {}
    llvm::cl::OptionValue<Enum> V;
  };

protected:
  // MLIR's wrapper of the parser reads this, and V, by these names.
  llvm::SmallVector<OptionInfo, 8> Values;

public:
  using parser_data_type = Enum;

  explicit ChoiceParser(llvm::cl::Option &option)
      : generic_parser_base(option) {}

  unsigned getNumOptions() const override { return Values.size(); }
  llvm::StringRef getOption(unsigned n) const override {
    return Values[n].Name;
  }
  llvm::StringRef getDescription(unsigned n) const override {
    return Values[n].HelpStr;
  }
  const llvm::cl::GenericOptionValue &
  getOptionValue(unsigned n) const override {
    return Values[n].V;
  }

  template <class T>
  void addLiteralOption(llvm::StringRef name, const T &value,
                        llvm::StringRef help) {
    Values.push_back({name, static_cast<Enum>(value), help});
    llvm::cl::AddLiteralOption(Owner, name);
  }

  /// True on error, as everywhere in llvm::cl.
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             Enum &value) {
    for (const OptionInfo &info : Values)
      if (info.Name == text) {
        value = info.V.getValue();
        return false;
      }
    std::string known;
    for (const OptionInfo &info : Values)
      known += (known.empty() ? "" : ", ") + info.Name.str();
    return option.error("unknown value '" + text + "' (known values: " + known +
                        ")");
  }
};

} // namespace transfusion

#endif // TRANSFUSION_OPTIONS_CHOICE_H
