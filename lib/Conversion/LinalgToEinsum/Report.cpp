//===- Report.cpp - What became of every op -------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace transfusion::raise;

static const StringRef fates[] = {"einsum",   "copy", "folded", "view",
                                  "constant", "init", "dead",   "kept",
                                  "left",     "body"};

static StringRef describe(StringRef fate) {
  if (fate == "einsum")
    return "an Einsum";
  if (fate == "copy")
    return "an Einsum that copies";
  if (fate == "folded")
    return "part of another Einsum";
  if (fate == "view")
    return "an access of its readers";
  if (fate == "constant")
    return "a constant in bodies";
  if (fate == "init")
    return "only storage to write to";
  if (fate == "dead")
    return "not read by anything";
  if (fate == "kept")
    return "no tensor computation, as it was";
  if (fate == "left")
    return "not raised, as it was";
  return "a scalar op in a body";
}

void FunctionReport::add(ReportEntry entry) {
  ++counts[entry.fate];
  ++total;
  entries.push_back(std::move(entry));
}

void FunctionReport::addBody(int64_t ops) {
  if (ops)
    counts["body"] += ops;
  total += ops;
}

ReportEntry transfusion::raise::makeEntry(Operation *op, StringRef fate) {
  ReportEntry entry;
  entry.op = op->getName().getStringRef().str();
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
    entry.place = (loc.getFilename().getValue() + ":" + Twine(loc.getLine()) +
                   ":" + Twine(loc.getColumn()))
                      .str();
  entry.fate = fate.str();
  return entry;
}

void transfusion::raise::printText(raw_ostream &os,
                                   ArrayRef<FunctionReport> functions) {
  for (const FunctionReport &function : functions) {
    os << "raised " << function.name << ": " << function.total << " ops\n";
    for (StringRef fate : fates) {
      auto it = function.counts.find(fate.str());
      if (it != function.counts.end())
        os << llvm::format("%8lld  %-9s", static_cast<long long>(it->second),
                           fate.str().c_str())
           << describe(fate) << '\n';
    }
    for (const ReportEntry &entry : function.entries) {
      os << "  " << entry.place << "  " << entry.op << "  " << entry.fate;
      for (auto [i, name] : llvm::enumerate(entry.einsums))
        os << (i ? ", " : " ") << name;
      if (!entry.note.empty())
        os << "  (" << entry.note << ')';
      os << '\n';
    }
  }
}

void transfusion::raise::printJson(raw_ostream &os,
                                   ArrayRef<FunctionReport> functions) {
  llvm::json::OStream json(os, 1);
  auto writeCounts = [&](const std::map<std::string, int64_t> &counts) {
    json.attributeObject("counts", [&] {
      for (StringRef fate : fates) {
        auto it = counts.find(fate.str());
        json.attribute(fate, it == counts.end() ? 0 : it->second);
      }
    });
  };
  json.object([&] {
    std::map<std::string, int64_t> all;
    int64_t total = 0;
    json.attributeArray("functions", [&] {
      for (const FunctionReport &function : functions) {
        total += function.total;
        for (auto &[fate, count] : function.counts)
          all[fate] += count;
        json.object([&] {
          json.attribute("name", function.name);
          json.attribute("ops", function.total);
          writeCounts(function.counts);
          json.attributeArray("entries", [&] {
            for (const ReportEntry &entry : function.entries)
              json.object([&] {
                json.attribute("op", entry.op);
                json.attribute("at", entry.place);
                json.attribute("fate", entry.fate);
                json.attributeArray("einsums", [&] {
                  for (const std::string &name : entry.einsums)
                    json.value(name);
                });
                if (!entry.note.empty())
                  json.attribute("note", entry.note);
              });
          });
        });
      }
    });
    json.attribute("ops", total);
    writeCounts(all);
  });
  os << '\n';
}
