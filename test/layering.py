#!/usr/bin/env python3
"""Enforces the layer rule of docs/Architecture.md.

Every `#include "transfusion/..."` (in C++ and TableGen) and every link line
points down in ALLOWED. Core, besides, is C++17 and the standard library, and
its checker and simulator know nothing of the cost model and the search that
they are there to check.

    layering.py ROOT              prints one line per violation; exit code 1
    layering.py ROOT --self-test  breaks a copy of ROOT in every way below, and
                                  fails if one of them goes unnoticed
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

# Folder -> (library, folders it may include). A folder may always include
# itself. Longest match wins.
EINSUM_IR = "Dialect/Einsum/IR"
EINSUM_TRANSFORMS = "Dialect/Einsum/Transforms"
SCHED_IR = "Dialect/Sched/IR"
BRIDGE_DOWN = {"Bridge", EINSUM_IR, SCHED_IR, "Core", "Options"}
PASSES_DOWN = BRIDGE_DOWN | {EINSUM_TRANSFORMS}
ALLOWED = {
    "Core": ("TFCore", set()),
    EINSUM_IR: ("TFEinsumIR", set()),
    "Options": ("TFOptions", set()),
    EINSUM_TRANSFORMS: ("TFEinsumTransforms", {EINSUM_IR, "Options"}),
    SCHED_IR: ("TFSchedIR", {EINSUM_IR}),
    "Bridge": ("TFBridge", BRIDGE_DOWN),
    "Transforms": ("TFTransforms", PASSES_DOWN),
    "Conversion": ("TFConversion", PASSES_DOWN),
    "Target": ("TFTarget", BRIDGE_DOWN | {"Target/ScheduleFile"}),
    "Target/ScheduleFile": ("TFScheduleFile", {"Core"}),
    "Pipelines": ("TFPipelines",
                  PASSES_DOWN | {"Transforms", "Conversion", "Target"}),
}
# Inside Core: folder -> folders of Core that it may not include.
CORE_FORBIDDEN = {
    "Model": {"Check", "Cost", "Search", "Sim"},
    "Check": {"Cost", "Search", "Sim"},
    "Cost": {"Search", "Sim"},
    "Search": {"Sim"},
    "Sim": {"Check", "Cost", "Search", "Model"},
}
# No I/O in Core: what it has to say it returns.
CORE_IO = {"iostream", "fstream", "filesystem"}
# Targets of others, and those that carry no code of ours.
FOREIGN = {"TFMLIR", "TFLLVM", "MLIR", "LLVM", "GTest::gtest", "GTest::gtest_main"}

INCLUDE = re.compile(r'^\s*#?\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.M)
LINK = re.compile(
    r"\b(tf_add_library|tf_add_executable|target_link_libraries)"
    r"\s*\(([^)]*)\)")


def layer_of(path):
    """The layer of a path below include/transfusion or lib, or None."""
    fits = [d for d in ALLOWED if path == d or path.startswith(d + "/")]
    return max(fits, key=len, default=None)


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def check_core_include(inside, quoted, angled):
    """What is wrong with an include of a file of Core, or None."""
    if angled:
        if "/" in angled or angled.endswith(".h"):
            return f"<{angled}> in Core, which is C++17 and std only"
        if angled in CORE_IO:
            return f"<{angled}> in Core, which does no I/O"
        return None
    prefix = "transfusion/Core/"
    for folder in CORE_FORBIDDEN.get(inside, ()):
        target = prefix + folder
        if quoted == target or quoted.startswith(target + "/"):
            return f'Core/{inside} may not include "{quoted}"'
    return None


def check_includes(root):
    for top in ("include/transfusion", "lib"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".cpp", ".td"):
                continue
            below = file.relative_to(root / top).as_posix()
            layer = layer_of(below)
            if layer is None:
                yield f"{top}/{below}:1: in no layer of test/layering.py"
                continue
            text = file.read_text()
            for match in INCLUDE.finditer(text):
                quoted, angled = match.groups()
                where = f"{top}/{below}:{line_of(text, match)}"
                wrong = None
                if layer == "Core":
                    inside = below.split("/")[1]
                    wrong = check_core_include(inside, quoted, angled)
                if wrong is None and quoted:
                    wrong = check_quoted(layer, file, quoted)
                if wrong:
                    yield f"{where}: {wrong}"


def check_quoted(layer, file, quoted):
    if quoted.startswith("transfusion/"):
        target = layer_of(quoted[len("transfusion/"):])
        if target is None:
            return f'"{quoted}" is in no layer'
        if target != layer and target not in ALLOWED[layer][1]:
            return f'{layer} may not include "{quoted}" ({target})'
    elif quoted.startswith(("mlir/", "llvm/")):
        if layer == "Core":
            return f'"{quoted}" in Core, which is C++17 and std only'
    elif layer_of_private(file, quoted) != layer:
        return f'"{quoted}": write the path from transfusion/ on'
    return None


def layer_of_private(file, quoted):
    """The layer of a header beside the file, or elsewhere in lib, or None."""
    header = pathlib.Path(os.path.normpath(file.parent / quoted))
    lib = next(p for p in file.parents if p.name in ("lib", "transfusion"))
    if not header.exists() or lib not in header.parents:
        return None
    return layer_of(header.relative_to(lib).as_posix())


def check_links(root):
    layer_of_library = {lib: layer for layer, (lib, _) in ALLOWED.items()}
    seen = set()
    for file in sorted(root.rglob("CMakeLists.txt")):
        below = file.relative_to(root).as_posix()
        if below.startswith("build"):
            continue
        text = re.sub(r"#.*", "", file.read_text())
        for match in LINK.finditer(text):
            words = match.group(2).split()
            name, where = words[0], f"{below}:{line_of(text, match)}"
            links = set(words[1:]) - {"PUBLIC", "PRIVATE", "INTERFACE"}
            if match.group(1) != "target_link_libraries":
                links = set(words[words.index("LINK") + 1:]) if "LINK" in words else set()
            if name not in layer_of_library:
                # A tool or a test may link any layer; the Core tests only Core.
                if name == "TFCoreTests":
                    for link in sorted(links - FOREIGN - {"TFCore"}):
                        yield f"{where}: {name} may not link {link}"
                continue
            layer = layer_of_library[name]
            if match.group(1) == "tf_add_library":
                seen.add(name)
                if words[1] != layer:
                    yield f"{where}: {name} is made of {words[1]}, not of {layer}"
            if layer == "Core" and links:
                yield f"{where}: TFCore may link nothing, and links {sorted(links)}"
            for link in sorted(links - FOREIGN):
                target = layer_of_library.get(link)
                if target is None:
                    yield f"{where}: {name} links {link}, which is in no layer"
                elif target not in ALLOWED[layer][1]:
                    yield f"{where}: {name} may not link {link}"
    for library in sorted(set(layer_of_library) - seen):
        yield f"lib/CMakeLists.txt:1: no library {library}"


def violations(root):
    return list(check_includes(root)) + list(check_links(root))


# File, what is appended to it: each must be reported by itself.
BREAKS = [
    ("lib/Core/Model/X.cpp", '#include "mlir/IR/Builders.h"'),
    ("lib/Core/Model/X.cpp", "#include <llvm/ADT/STLExtras.h>"),
    ("lib/Core/Model/X.cpp", "#include <iostream>"),
    ("lib/Core/Model/X.cpp", '#include "transfusion/Core/Search/DPipe.h"'),
    ("lib/Core/Cost/X.cpp", '#include "transfusion/Bridge/Import.h"'),
    ("lib/Core/Check/X.cpp", '#include "transfusion/Core/Search/DPipe.h"'),
    ("lib/Core/Check/X.cpp", '#include "transfusion/Core/Cost/Evaluate.h"'),
    ("lib/Core/Sim/X.cpp", '#include "transfusion/Core/Cost/Evaluate.h"'),
    ("lib/Core/Sim/X.cpp", '#include "transfusion/Core/Model/Schedule.h"'),
    ("lib/Core/Sim/X.cpp", '#include "transfusion/Core/Model/Plan.h"'),
    ("include/transfusion/Core/Sim/X.h",
     '#include "transfusion/Core/Check/Check.h"'),
    ("lib/Target/ScheduleFile/X.cpp",
     '#include "transfusion/Bridge/ImportSchedule.h"'),
    ("lib/CMakeLists.txt",
     "target_link_libraries(TFScheduleFile PUBLIC TFBridge)"),
    ("lib/Dialect/Einsum/IR/X.cpp",
     '#include "transfusion/Dialect/Sched/IR/Sched.h"'),
    ("include/transfusion/Dialect/Einsum/IR/X.td",
     'include "transfusion/Dialect/Sched/IR/SchedOps.td"'),
    ("lib/Dialect/Einsum/IR/X.cpp",
     '#include "transfusion/Dialect/Einsum/Transforms/Passes.h"'),
    ("lib/Dialect/Sched/IR/X.cpp", '#include "transfusion/Core/Model/Arch.h"'),
    ("lib/Options/X.cpp", '#include "transfusion/Dialect/Einsum/IR/Einsum.h"'),
    ("lib/Core/Model/X.cpp", '#include "transfusion/Options/Choice.h"'),
    ("lib/Bridge/X.cpp", '#include "transfusion/Transforms/Passes.h"'),
    ("lib/Transforms/X.cpp", '#include "transfusion/Conversion/Passes.h"'),
    ("lib/Target/X.cpp", '#include "transfusion/Pipelines/Registration.h"'),
    ("lib/Target/X.cpp", '#include "../Bridge/Import.h"'),
    ("lib/Target/X.cpp", '#include "../Bridge/FactorDims.h"'),
    ("lib/Misc/X.cpp", "// a folder that belongs to no layer"),
    ("lib/CMakeLists.txt", "target_link_libraries(TFCore PUBLIC LLVM)"),
    ("lib/CMakeLists.txt", "target_link_libraries(TFEinsumIR PUBLIC TFSchedIR)"),
    ("lib/CMakeLists.txt", "target_link_libraries(TFBridge PRIVATE TFTransforms)"),
    ("unittests/CMakeLists.txt", "target_link_libraries(TFCoreTests PRIVATE TFBridge)"),
]


def self_test(root):
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for top in ("include", "lib", "tools", "unittests"):
            shutil.copytree(root / top, copy / top)
        before = set(violations(copy))
        for name, line in BREAKS:
            file = copy / name
            old = file.read_bytes() if file.exists() else None
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a") as out:
                out.write("\n" + line + "\n")
            if not set(violations(copy)) - before:
                yield f"{name}: not noticed: {line}"
            if old is None:
                file.unlink()
            else:
                file.write_bytes(old)


def main(args):
    found = violations(pathlib.Path(args[0]))
    if "--self-test" in args[1:]:
        found = list(self_test(pathlib.Path(args[0])))
        print(f"{len(BREAKS) - len(found)} of {len(BREAKS)} breaks noticed")
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
