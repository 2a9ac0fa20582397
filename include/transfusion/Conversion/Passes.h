#ifndef TRANSFUSION_CONVERSION_PASSES_H
#define TRANSFUSION_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace transfusion {

/// Form of the report of --convert-linalg-to-einsum.
enum class RaiseReport { None, Text, Json };

#define GEN_PASS_DECL
#include "transfusion/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transfusion/Conversion/Passes.h.inc"

} // namespace transfusion

#endif // TRANSFUSION_CONVERSION_PASSES_H
