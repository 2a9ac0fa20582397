//===- YamlTree.cpp - A YAML document with positions ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "YamlTree.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace mlir;
using namespace transfusion;

/// Deeper nesting than any description has; each level is a frame here and in
/// the parser.
static constexpr int kMaxDepth = 16;

const char *YamlNode::kindName() const {
  switch (kind) {
  case Scalar:
    return "a value";
  case Mapping:
    return "a mapping";
  case Sequence:
    return "a sequence";
  case Null:
    break;
  }
  return "nothing";
}

namespace {

class Reader {
public:
  Reader(MLIRContext *context, StringRef text, StringRef name)
      : context(context), name(name) {
    sources.setDiagHandler(report, this);
    stream.emplace(text, sources, /*ShowColors=*/false);
  }
  FailureOr<YamlNode> run();

private:
  static void report(const llvm::SMDiagnostic &diag, void *self);
  Location at(unsigned line, unsigned column) const {
    return FileLineColLoc::get(context, name, line, column);
  }
  Location locOf(llvm::yaml::Node *node) const;
  FailureOr<YamlNode> read(llvm::yaml::Node *node, int depth);
  FailureOr<YamlNode> readMapping(llvm::yaml::MappingNode *node, YamlNode to,
                                  int depth);

  MLIRContext *context;
  StringRef name;
  llvm::SourceMgr sources;
  std::optional<llvm::yaml::Stream> stream;
  bool reported = false;
};

} // namespace

/// What the parser finds: only the first error, the rest follows from it.
void Reader::report(const llvm::SMDiagnostic &diag, void *self) {
  auto *reader = static_cast<Reader *>(self);
  if (reader->reported)
    return;
  reader->reported = true;
  unsigned line = std::max(diag.getLineNo(), 1);
  unsigned column = std::max(diag.getColumnNo(), 0) + 1;
  emitError(reader->at(line, column)) << "not YAML: " << diag.getMessage();
}

Location Reader::locOf(llvm::yaml::Node *node) const {
  SMLoc start = node->getSourceRange().Start;
  if (!start.isValid() || !sources.FindBufferContainingLoc(start))
    return at(1, 1);
  auto [line, column] = sources.getLineAndColumn(start);
  return at(line, column);
}

FailureOr<YamlNode> Reader::readMapping(llvm::yaml::MappingNode *node,
                                        YamlNode to, int depth) {
  to.kind = YamlNode::Mapping;
  for (llvm::yaml::KeyValueNode &entry : *node) {
    FailureOr<YamlNode> key = read(entry.getKey(), depth);
    if (failed(key))
      return failure();
    if (key->kind != YamlNode::Scalar) {
      key->error() << "expected a key here, found " << key->kindName();
      return failure();
    }
    for (const YamlNode &other : to.keys)
      if (other.text == key->text) {
        key->error() << "key '" << key->text << "' is given twice";
        return failure();
      }
    FailureOr<YamlNode> value = read(entry.getValue(), depth);
    if (failed(value))
      return failure();
    if (value->kind == YamlNode::Null)
      value->loc = key->loc;
    to.keys.push_back(std::move(*key));
    to.items.push_back(std::move(*value));
  }
  return to;
}

FailureOr<YamlNode> Reader::read(llvm::yaml::Node *node, int depth) {
  if (!node || stream->failed())
    return failure();
  YamlNode to(locOf(node));
  if (depth > kMaxDepth) {
    to.error() << "nested deeper than " << kMaxDepth << " levels";
    return failure();
  }
  if (auto *scalar = dyn_cast<llvm::yaml::ScalarNode>(node)) {
    llvm::SmallString<64> storage;
    to.kind = YamlNode::Scalar;
    to.text = scalar->getValue(storage).str();
    return to;
  }
  if (auto *mapping = dyn_cast<llvm::yaml::MappingNode>(node))
    return readMapping(mapping, std::move(to), depth + 1);
  if (auto *sequence = dyn_cast<llvm::yaml::SequenceNode>(node)) {
    to.kind = YamlNode::Sequence;
    for (llvm::yaml::Node &item : *sequence) {
      FailureOr<YamlNode> read = this->read(&item, depth + 1);
      if (failed(read))
        return failure();
      to.items.push_back(std::move(*read));
    }
    return to;
  }
  if (isa<llvm::yaml::NullNode>(node))
    return to;
  to.error() << "anchors, aliases and block texts are not supported here";
  return failure();
}

FailureOr<YamlNode> Reader::run() {
  FailureOr<YamlNode> root = failure();
  auto document = stream->begin();
  if (document != stream->end())
    root = read(document->getRoot(), 0);
  if (stream->failed() && !reported) {
    reported = true;
    emitError(at(1, 1)) << "not YAML";
  }
  if (failed(root) || stream->failed()) {
    return failure();
  }
  if (++document != stream->end() || stream->failed()) {
    if (!reported)
      emitError(at(1, 1)) << "expected one YAML document, found several";
    return failure();
  }
  return root;
}

FailureOr<YamlNode> transfusion::parseYaml(MLIRContext *context, StringRef text,
                                           StringRef name) {
  // The parser takes a control character for the end of the text, or worse.
  auto *position = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  bool legal = llvm::isLegalUTF8String(&position, end);
  size_t bad =
      legal ? text.size()
            : position - reinterpret_cast<const llvm::UTF8 *>(text.begin());
  for (auto [i, c] : llvm::enumerate(text.take_front(bad)))
    if ((c >= 0 && c < ' ' && !llvm::isSpace(c)) || c == 0x7f) {
      bad = i;
      break;
    }
  if (bad != text.size()) {
    StringRef before = text.take_front(bad);
    emitError(FileLineColLoc::get(context, name, before.count('\n') + 1,
                                  bad - (before.rfind('\n') + 1) + 1))
        << "not a text file: byte " << (text[bad] & 0xff) << " here";
    return failure();
  }
  if (text.trim().empty()) {
    emitError(FileLineColLoc::get(context, name, 1, 1)) << "the file is empty";
    return failure();
  }
  if (!text.ends_with("\n")) {
    emitError(FileLineColLoc::get(context, name, text.count('\n') + 1,
                                  text.size() - text.rfind('\n')))
        << "the file does not end with a new line: it seems to be cut off";
    return failure();
  }
  return Reader(context, text, name).run();
}
