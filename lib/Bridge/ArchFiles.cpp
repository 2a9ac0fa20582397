//===- ArchFiles.cpp - Where machines are looked up -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Bridge/ArchFiles.h"
#include "transfusion/Dialect/Sched/IR/Names.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>
#include <set>

using namespace mlir;
using namespace transfusion;

/// share/transfusion/arch of the prefix that `file` is installed in: bin/tool
/// or lib/plugin.so.
static std::string shareFolderOf(StringRef file) {
  llvm::SmallString<256> folder(file);
  llvm::sys::path::remove_filename(folder);
  llvm::sys::path::append(folder, "..", "share", "transfusion", "arch");
  return std::string(folder);
}

static std::vector<std::string> &addedArchFolders() {
  static std::vector<std::string> folders;
  return folders;
}

void transfusion::addArchFolder(StringRef folder) {
  if (!llvm::is_contained(addedArchFolders(), folder))
    addedArchFolders().push_back(folder.str());
}

/// In the order of search: what a host added, the share folders beside the
/// plugin and beside the tool, the source tree's.
static std::vector<std::string> archFolders() {
  std::vector<std::string> folders = addedArchFolders();
  static int anchor; // any address in this library or program
  Dl_info library;
  // Of a program this is how it was called, perhaps without a folder.
  if (dladdr(&anchor, &library) && library.dli_fname &&
      StringRef(library.dli_fname).contains('/'))
    folders.push_back(shareFolderOf(library.dli_fname));
  folders.push_back(
      shareFolderOf(llvm::sys::fs::getMainExecutable(nullptr, &anchor)));
  folders.push_back(TRANSFUSION_SOURCE_ARCH_DIR);
  return folders;
}

std::vector<std::string> transfusion::knownArchNames() {
  std::set<std::string> names;
  for (const std::string &folder : archFolders()) {
    std::error_code ec;
    for (llvm::sys::fs::directory_iterator it(folder, ec), end;
         !ec && it != end; it.increment(ec))
      if (llvm::sys::path::extension(it->path()) == ".yaml")
        names.insert(llvm::sys::path::stem(it->path()).str());
  }
  return {names.begin(), names.end()};
}

static std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

FailureOr<std::string> transfusion::findArchFile(Location loc,
                                                 StringRef nameOrFile) {
  bool isPath = nameOrFile.contains('/') || nameOrFile.ends_with(".yaml") ||
                nameOrFile.ends_with(".yml");
  if (isPath)
    return nameOrFile.str();
  std::vector<std::string> names = knownArchNames();
  for (const std::string &folder : archFolders()) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, nameOrFile + ".yaml");
    if (llvm::is_contained(names, nameOrFile) && llvm::sys::fs::exists(path))
      return std::string(path);
  }
  std::vector<StringRef> known(names.begin(), names.end());
  InFlightDiagnostic diag = emitError(loc);
  if (nameOrFile.empty()) {
    diag << "no machine is named";
  } else {
    // The note lists them all.
    diag << "no machine is called '" << nameOrFile << "'";
    const std::string hint = sched::suggest(nameOrFile, known, "machines");
    if (StringRef(hint).starts_with(" (did you mean"))
      diag << hint;
  }
  diag.attachNote() << "known machines: " << joined(names)
                    << "; a file is given by its path, PATH.yaml";
  return diag;
}

FailureOr<sched::ArchOp> transfusion::readArchFile(OpBuilder &builder,
                                                   StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file) {
    emitError(FileLineColLoc::get(builder.getContext(), path, 1, 1))
        << "cannot read the machine: " << file.getError().message();
    return failure();
  }
  return readArchText(builder, (*file)->getBuffer(), path);
}

FailureOr<sched::ArchOp> transfusion::findArch(Operation *module) {
  SmallVector<sched::ArchOp> archs;
  for (Region &region : module->getRegions())
    for (auto op : region.getOps<sched::ArchOp>())
      archs.push_back(op);
  if (archs.empty()) {
    InFlightDiagnostic diag = emitError(module->getLoc())
                              << "the module describes no machine (sched.arch)";
    diag.attachNote()
        << "--load-arch=NAME or --transfusion=arch=NAME puts one into "
           "it; known machines: "
        << joined(knownArchNames());
    return diag;
  }
  if (archs.size() > 1) {
    InFlightDiagnostic diag = emitError(archs[1].getLoc())
                              << "'sched.arch' op is a second machine; which "
                                 "one is meant?";
    diag.attachNote(archs[0].getLoc()) << "the first machine";
    diag.attachNote() << "keep one sched.arch in the module";
    return diag;
  }
  return archs.front();
}
