#ifndef TRANSFUSION_CONVERSION_PASSES_H
#define TRANSFUSION_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"
#include "transfusion/Options/Choice.h"

namespace transfusion {

/// Form of the report of --convert-linalg-to-einsum.
enum class RaiseReport { None, Text, Json };

} // namespace transfusion

template <>
class llvm::cl::parser<transfusion::RaiseReport>
    : public transfusion::ChoiceParser<transfusion::RaiseReport> {
  using ChoiceParser::ChoiceParser;
};

namespace transfusion {

inline llvm::cl::ValuesClass raiseReportChoices() {
  return llvm::cl::values(
      clEnumValN(RaiseReport::None, "none", "nothing"),
      clEnumValN(RaiseReport::Text, "text", "counts, and a line per op"),
      clEnumValN(RaiseReport::Json, "json", "the same for programs"));
}

#define GEN_PASS_DECL
#include "transfusion/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transfusion/Conversion/Passes.h.inc"

} // namespace transfusion

#endif // TRANSFUSION_CONVERSION_PASSES_H
