#ifndef TRANSFUSION_TRANSFORMS_PASSES_H
#define TRANSFUSION_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace transfusion {

#define GEN_PASS_DECL
#include "transfusion/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transfusion/Transforms/Passes.h.inc"

} // namespace transfusion

#endif // TRANSFUSION_TRANSFORMS_PASSES_H
