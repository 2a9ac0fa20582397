//===- transfusion-compare.cpp --------------------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   transfusion-compare INPUT.mlir --arch=NAME|FILE [--policies=a,b]
//
// It searches, so it is no translation.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "transfusion/Pipelines/Compare.h"
#include "transfusion/Pipelines/Registration.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace transfusion;
namespace cl = llvm::cl;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::opt<std::string> input(cl::Positional, cl::desc("<input file>"),
                             cl::init("-"));
  cl::opt<std::string> output("o", cl::desc("output file"),
                              cl::value_desc("file"), cl::init("-"));
  cl::opt<std::string> arch("arch",
                            cl::desc("machine by name, or path of a YAML file; "
                                     "none: that of the module"),
                            cl::value_desc("NAME|FILE"));
  cl::opt<std::string> policies("policies", cl::desc("all, if not given"),
                                cl::value_desc("a,b"));
  cl::opt<CompareModel> model(
      "model", cl::desc("whose cost model"), cl::init(CompareModel::Default),
      cl::values(clEnumValN(CompareModel::Default, "default",
                            "ours: what is searched and checked"),
                 clEnumValN(CompareModel::FuseMax, "fusemax",
                            "of the FuseMax artifact, in closed form"),
                 clEnumValN(CompareModel::TransFusionPaper, "transfusion-paper",
                            "of the TransFusion paper, in closed form"),
                 clEnumValN(CompareModel::AccelForge, "accelforge",
                            "of AccelForge, for a mapping")));
  cl::opt<std::string> mapping(
      "mapping",
      cl::desc("loop nests, for --model=accelforge; none: "
               "searched, each Einsum alone"),
      cl::value_desc("file"));
  cl::opt<bool> skipFirstReads(
      "skip-first-read-of-each-copy",
      cl::desc("leave out reads of partial sums of a split reduction, as the "
               "reference of --model=accelforge does"));
  cl::opt<CompareFormat> format(
      "format", cl::desc("of the output"), cl::init(CompareFormat::Text),
      cl::values(clEnumValN(CompareFormat::Text, "text", "for people"),
                 clEnumValN(CompareFormat::Csv, "csv", "for spreadsheets"),
                 clEnumValN(CompareFormat::Json, "json", "for programs")));
  CompareOptions options;
  cl::opt<uint64_t> seed("seed", cl::desc("of the random numbers"),
                         cl::init(options.seed));
  cl::opt<int64_t> evaluations(
      "evaluations",
      cl::desc("how many schedules a policy may evaluate; times 32, how "
               "many mappings of an Einsum under the model accelforge"),
      cl::init(options.evaluations));
  cl::opt<bool> suggest(
      "suggest", cl::desc("the changes to the machine that would help most, "
                          "each from a search on the changed machine"));
  cl::ParseCommandLineOptions(
      argc, argv, "compares the policies for a layer on a machine\n");

  DialectRegistry registry;
  registerToolDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  std::string fault;
  auto file = openInputFile(input, &fault);
  if (!file) {
    llvm::errs() << fault << "\n";
    return 1;
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return 1;
  if (evaluations < 1) {
    emitError(module->getLoc()) << "evaluations is " << evaluations.getValue()
                                << ", must be at least 1";
    return 1;
  }
  FailureOr<std::vector<core::Policy>> chosen =
      parsePolicies(module->getLoc(), policies);
  if (failed(chosen))
    return 1;
  options.arch = arch;
  options.policies = *chosen;
  options.model = model;
  options.seed = seed;
  options.evaluations = evaluations;
  options.suggest = suggest;
  options.mapping = mapping;
  options.skipFirstReads = skipFirstReads;
  if (model != CompareModel::AccelForge)
    for (auto [given, name] :
         {std::pair(!options.mapping.empty(), "mapping"),
          std::pair(options.skipFirstReads, "skip-first-read-of-each-copy")})
      if (given) {
        InFlightDiagnostic diag = emitError(module->getLoc())
                                  << "--" << name << " is for one model only";
        diag.attachNote() << "add --model=accelforge, or leave it out";
        return 1;
      }
  FailureOr<Comparison> comparison = compareLayer(*module, options);
  if (failed(comparison))
    return 1;
  auto out = openOutputFile(output, &fault);
  if (!out) {
    llvm::errs() << fault << "\n";
    return 1;
  }
  printComparison(*comparison, format, out->os());
  out->keep();
  return 0;
}
