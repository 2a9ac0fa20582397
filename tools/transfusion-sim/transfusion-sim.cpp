//===- transfusion-sim.cpp - Runs a schedule file -------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exit code 0: legal; 1: an illegal schedule; 2: bad input or usage.
//
//===----------------------------------------------------------------------===//

#include "SimOutput.h"
#include "transfusion/Options/Choice.h"
#include "transfusion/Target/ScheduleFile/ReadProgram.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace transfusion;
namespace cl = llvm::cl;

namespace {
enum class Format { Text, Json };
} // namespace

template <>
class llvm::cl::parser<Format> : public transfusion::ChoiceParser<Format> {
  using ChoiceParser::ChoiceParser;
};

namespace {
cl::OptionCategory category("simulator options");
cl::opt<std::string> input(cl::Positional,
                           cl::desc("schedule.json, - for stdin"), cl::Required,
                           cl::cat(category));
cl::opt<Format>
    format("format", cl::desc("form of the output"),
           cl::values(clEnumValN(Format::Text, "text", "for people"),
                      clEnumValN(Format::Json, "json", "for programs")),
           cl::init(Format::Text), cl::cat(category));
cl::opt<bool>
    skip("skip",
         cl::desc("skip steps that provably repeat; =false runs every "
                  "step and finds the same"),
         cl::init(true), cl::cat(category));
cl::opt<int64_t> maxSteps("max-steps",
                          cl::desc("give up beyond this many steps that are "
                                   "run one by one"),
                          cl::init(int64_t(1) << 31), cl::cat(category));

constexpr int kIllegal = 1, kBadInput = 2;
} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Runs a schedule file (docs/schemas/schedule-v1.schema.json) on the "
          "machine that it names\n",
          &llvm::errs()))
    return kBadInput;
  auto error = [&]() -> llvm::raw_ostream & {
    return llvm::errs() << input << ": error: ";
  };
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(input, /*IsText=*/true);
  if (std::error_code code = file.getError()) {
    error() << "cannot be read: " << code.message() << "\n";
    return kBadInput;
  }
  core::sim::Program program;
  const std::vector<FileError> errors =
      readProgram((*file)->getBuffer(), program);
  for (const FileError &e : errors)
    llvm::errs() << input << ":" << e.line << ":" << e.column
                 << ": error: " << e.path << " " << e.message << "\n";
  if (!errors.empty())
    return kBadInput;

  core::sim::SimOptions options;
  options.skip = skip;
  options.maxSteps = maxSteps;
  const core::sim::SimReport report = core::sim::simulate(program, options);
  for (const core::sim::Refusal &r : report.refusals)
    error() << "illegal schedule: " << r.where << ": " << r.what << "\n";
  if (format == Format::Json)
    writeSimJson(program, report, llvm::outs());
  else if (report.refusals.empty())
    writeSimText(program, report, llvm::outs());
  return report.refusals.empty() ? 0 : kIllegal;
}
