# -*- Python -*-
import os

import lit.formats
import lit.util

config.name = "TransFusion"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# These have a ctest entry and label of their own, which names them by path.
config.excludes = ["Data", "Inputs", "Integration", "Oracle", "Docs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.tf_obj

config.environment["PATH"] = os.pathsep.join(
    [config.tf_bin, config.llvm_tools_dir, os.environ["PATH"]])
config.environment["PYTHONPATH"] = os.path.join(config.tf_source, "python")
config.environment["TRANSFUSION_BIN"] = config.tf_bin
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["TRANSFUSION_BIN"] = config.tf_bin

config.substitutions += [
    ("%python", config.tf_python),
    ("%src", config.tf_source),
    ("%bin", config.tf_bin),
    ("%llvm_lib", config.llvm_lib_dir),
    ("%plugin", os.path.join(config.tf_lib, "TransFusionPlugin.so")),
    ("%{path}", config.environment["PATH"]),
]

# A stock mlir-opt cannot load what a sanitizer instruments.
if not config.tf_sanitize:
    config.available_features.add("plugin")

# A hang is a failure too; lit can only kill a test's children with psutil.
if lit.util.killProcessAndChildrenIsSupported()[0]:
    lit_config.maxIndividualTestTime = 600
