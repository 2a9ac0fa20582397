//===- ArchYaml.cpp - A machine file becomes a sched.arch -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops get the positions of the YAML that they come from, so that the verifiers
// of the sched dialect, which have the last word, point into the file.
//
//===----------------------------------------------------------------------===//
#include "YamlTree.h"
#include "mlir/IR/Verifier.h"
#include "transfusion/Bridge/ArchFiles.h"
#include "transfusion/Dialect/Sched/IR/Names.h"

#include <cmath>

using namespace mlir;
using namespace transfusion;

namespace {

/// A mapping of which every key must be known and is asked for once.
class Fields {
public:
  Fields(const YamlNode &node, const char *what) : node(node), what(what) {}

  /// The node is a mapping, and has only these keys.
  LogicalResult check(ArrayRef<StringRef> known) const;
  /// Null when it is not there.
  const YamlNode *find(StringRef key) const;
  FailureOr<const YamlNode *> get(StringRef key) const;
  FailureOr<std::string> text(StringRef key) const;
  /// Attributes are null when the key is not there.
  FailureOr<IntegerAttr> positive(StringRef key, Builder &b) const;
  FailureOr<FloatAttr> notNegative(StringRef key, Builder &b) const;
  FailureOr<bool> flag(StringRef key) const;
  /// One of these words; empty when the key is not there.
  FailureOr<StringRef> word(StringRef key, ArrayRef<StringRef> known) const;
  Location loc() const { return node.loc; }

private:
  const YamlNode &node;
  const char *what;
};

class ArchReader {
public:
  explicit ArchReader(OpBuilder &b) : b(b) {}
  LogicalResult memory(const YamlNode &node, FlatSymbolRefAttr &outer);
  LogicalResult unit(const YamlNode &node);
  FailureOr<sched::RolesAttr> roles(const Fields &memory);
  FailureOr<sched::LaneReuseAttr> share(const Fields &unit, StringRef key);
  FailureOr<Attribute> opCost(const YamlNode &key, const YamlNode &value);

private:
  OpBuilder &b;
};

} // namespace

LogicalResult Fields::check(ArrayRef<StringRef> known) const {
  if (node.kind != YamlNode::Mapping)
    return node.error() << "expected a mapping that describes " << what
                        << ", found " << node.kindName();
  for (const YamlNode &key : node.keys)
    if (!llvm::is_contained(known, key.text))
      return key.error() << "unknown key '" << key.text << "' of " << what
                         << sched::suggest(key.text, known, "keys");
  return success();
}

const YamlNode *Fields::find(StringRef key) const {
  for (auto [k, value] : llvm::zip(node.keys, node.items))
    if (k.text == key)
      return &value;
  return nullptr;
}

FailureOr<const YamlNode *> Fields::get(StringRef key) const {
  if (const YamlNode *value = find(key))
    return value;
  node.error() << what << " lacks the key '" << key << "'";
  return failure();
}

FailureOr<std::string> Fields::text(StringRef key) const {
  FailureOr<const YamlNode *> value = get(key);
  if (failed(value))
    return failure();
  if ((*value)->kind != YamlNode::Scalar || (*value)->text.empty()) {
    (*value)->error() << "'" << key << "' of " << what << " must be a name";
    return failure();
  }
  return (*value)->text;
}

/// A whole number, also in the form 940e6.
static std::optional<int64_t> wholeNumber(const YamlNode &node) {
  int64_t integer;
  if (node.kind != YamlNode::Scalar)
    return std::nullopt;
  if (!StringRef(node.text).getAsInteger(10, integer))
    return integer;
  double number;
  if (StringRef(node.text).getAsDouble(number) ||
      std::floor(number) != number || std::abs(number) > 9e15)
    return std::nullopt;
  return static_cast<int64_t>(number);
}

static FailureOr<int64_t> positiveNumber(const YamlNode &node, StringRef key,
                                         StringRef what) {
  std::optional<int64_t> number = wholeNumber(node);
  if (number && *number > 0)
    return *number;
  InFlightDiagnostic diag = node.error() << "'" << key << "' of " << what
                                         << " must be a whole number above 0";
  if (node.kind == YamlNode::Scalar) {
    const bool tooLarge =
        !node.text.empty() && llvm::all_of(node.text, llvm::isDigit) && !number;
    diag << (tooLarge ? " and below 2^63" : "") << ", is '" << node.text << "'";
  }
  if (key.contains("bandwidth"))
    diag.attachNote() << "leave it out for no limit";
  return diag;
}

FailureOr<IntegerAttr> Fields::positive(StringRef key, Builder &b) const {
  const YamlNode *value = find(key);
  if (!value)
    return IntegerAttr();
  FailureOr<int64_t> number = positiveNumber(*value, key, what);
  if (failed(number))
    return failure();
  return b.getI64IntegerAttr(*number);
}

FailureOr<FloatAttr> Fields::notNegative(StringRef key, Builder &b) const {
  const YamlNode *value = find(key);
  if (!value)
    return FloatAttr();
  double number;
  if (value->kind != YamlNode::Scalar ||
      StringRef(value->text).getAsDouble(number) || !std::isfinite(number) ||
      number < 0) {
    value->error() << "'" << key << "' of " << what
                   << " must be a number that is not negative";
    return failure();
  }
  return b.getF64FloatAttr(number);
}

FailureOr<bool> Fields::flag(StringRef key) const {
  const YamlNode *value = find(key);
  if (!value)
    return false;
  if (value->kind != YamlNode::Scalar ||
      (value->text != "true" && value->text != "false")) {
    value->error() << "'" << key << "' of " << what << " must be true or false";
    return failure();
  }
  return value->text == "true";
}

/// Says that `node`, of `key`, must be one of these words.
static void oneOf(const YamlNode &node, StringRef key,
                  ArrayRef<StringRef> known) {
  InFlightDiagnostic diag = node.error() << "'" << key << "' must be one of ";
  llvm::interleaveComma(known, diag);
  if (node.kind == YamlNode::Scalar)
    diag << ", is '" << node.text << "'"
         << sched::suggest(node.text, known, "words");
}

FailureOr<StringRef> Fields::word(StringRef key,
                                  ArrayRef<StringRef> known) const {
  const YamlNode *value = find(key);
  if (!value)
    return StringRef();
  auto found = llvm::find(known, value->text);
  if (value->kind == YamlNode::Scalar && found != known.end())
    return *found;
  return oneOf(*value, key, known), failure();
}

/// "[input, output]"; null when the key is not there.
FailureOr<sched::RolesAttr> ArchReader::roles(const Fields &memory) {
  const YamlNode *list = memory.find("keeps");
  if (!list)
    return sched::RolesAttr();
  if (list->kind != YamlNode::Sequence || list->items.empty())
    return list->error() << "'keeps' of a memory must be a sequence of input, "
                            "weight, output; leave it out to keep all",
           failure();
  sched::Roles roles{};
  for (const YamlNode &item : list->items) {
    std::optional<sched::Roles> role;
    // Not what the printed form allows, a word of several: "input|weight".
    if (item.kind == YamlNode::Scalar && !StringRef(item.text).contains('|'))
      role = sched::symbolizeRoles(item.text);
    if (!role)
      return oneOf(item, "keeps", {"input", "weight", "output"}), failure();
    roles = roles | *role;
  }
  return sched::RolesAttr::get(b.getContext(), roles);
}

FailureOr<sched::LaneReuseAttr> ArchReader::share(const Fields &unit,
                                                  StringRef key) {
  FailureOr<StringRef> word =
      unit.word(key, {"nothing", "inputs", "outputs", "both"});
  if (failed(word))
    return failure();
  if (word->empty())
    return sched::LaneReuseAttr();
  return sched::LaneReuseAttr::get(b.getContext(),
                                   *sched::symbolizeLaneReuse(*word));
}

LogicalResult ArchReader::memory(const YamlNode &node,
                                 FlatSymbolRefAttr &outer) {
  Fields fields(node, "a memory");
  if (failed(fields.check(
          {"name", "in", "instances", "capacity_bytes", "keeps", "leakage_w",
           "bandwidth_bytes_per_s", "read_bandwidth_bytes_per_s",
           "write_bandwidth_bytes_per_s", "energy_pj_per_byte",
           "read_energy_pj_per_byte", "write_energy_pj_per_byte"})))
    return failure();
  FailureOr<std::string> name = fields.text("name");
  auto instances = fields.positive("instances", b);
  auto capacity = fields.positive("capacity_bytes", b);
  auto leakage = fields.notNegative("leakage_w", b);
  FailureOr<sched::RolesAttr> keeps = roles(fields);
  auto shared = fields.positive("bandwidth_bytes_per_s", b);
  auto read = fields.positive("read_bandwidth_bytes_per_s", b);
  auto write = fields.positive("write_bandwidth_bytes_per_s", b);
  auto energy = fields.notNegative("energy_pj_per_byte", b);
  auto readEnergy = fields.notNegative("read_energy_pj_per_byte", b);
  auto writeEnergy = fields.notNegative("write_energy_pj_per_byte", b);
  if (failed(name) || failed(capacity) || failed(shared) || failed(read) ||
      failed(write) || failed(energy) || failed(readEnergy) ||
      failed(writeEnergy) || failed(instances) || failed(leakage) ||
      failed(keeps))
    return failure();
  if (fields.find("in")) {
    FailureOr<std::string> given = fields.text("in");
    if (failed(given))
      return failure();
    outer = FlatSymbolRefAttr::get(b.getContext(), *given);
  }
  if (outer && !*capacity)
    return fields.get("capacity_bytes"); // the error that it is not there
  sched::MemoryOp::create(b, fields.loc(), b.getStringAttr(*name), outer,
                          *instances, *capacity, *keeps, *shared, *read, *write,
                          *energy, *readEnergy, *writeEnergy, *leakage);
  outer = FlatSymbolRefAttr::get(b.getContext(), *name);
  return success();
}

/// "{cycles: 1, energy_pj: 17.16}", or an expansion, "{mac: 6, add: 1}".
FailureOr<Attribute> ArchReader::opCost(const YamlNode &key,
                                        const YamlNode &value) {
  SmallVector<StringRef> classes;
  for (int i = 0; auto name = sched::symbolizeOpClass(i); ++i)
    classes.push_back(sched::stringifyOpClass(*name));
  std::optional<sched::OpClass> opClass = sched::symbolizeOpClass(key.text);
  if (!opClass)
    return key.error() << "unknown op class '" << key.text << "'"
                       << sched::suggest(key.text, classes, "op classes");
  Fields fields(value, "an op class");
  int64_t cycles = 0;
  FloatAttr pj = b.getF64FloatAttr(0);
  SmallVector<sched::OpClass> terms;
  SmallVector<int64_t> counts;
  if (value.kind == YamlNode::Mapping && fields.find("cycles")) {
    if (failed(fields.check({"cycles", "energy_pj"})))
      return failure();
    auto given = fields.positive("cycles", b);
    auto energy = fields.notNegative("energy_pj", b);
    if (failed(given) || failed(energy))
      return failure();
    cycles = given->getInt();
    if (*energy)
      pj = *energy;
  } else {
    SmallVector<StringRef> known(classes);
    known.push_back("cycles");
    if (failed(fields.check(known)))
      return failure();
    if (value.keys.empty())
      return value.error() << "op class '" << key.text
                           << "' needs cycles, or an expansion";
    for (auto [term, count] : llvm::zip(value.keys, value.items)) {
      FailureOr<int64_t> number =
          positiveNumber(count, term.text, "an expansion");
      if (failed(number))
        return failure();
      terms.push_back(*sched::symbolizeOpClass(term.text));
      counts.push_back(*number);
    }
  }
  if (failed(sched::OpCostAttr::verify([&] { return value.error(); }, *opClass,
                                       cycles, pj, terms, counts)))
    return failure();
  return Attribute(sched::OpCostAttr::get(b.getContext(), *opClass, cycles, pj,
                                          terms, counts));
}

LogicalResult ArchReader::unit(const YamlNode &node) {
  Fields fields(node, "a unit");
  if (failed(fields.check({"name", "instances", "grid", "lanes", "rows_share",
                           "cols_share", "memory", "whole_einsum", "ops",
                           "leakage_w"})))
    return failure();
  FailureOr<std::string> name = fields.text("name");
  FailureOr<std::string> memory = fields.text("memory");
  auto instances = fields.positive("instances", b);
  auto lanes = fields.positive("lanes", b);
  auto leakage = fields.notNegative("leakage_w", b);
  FailureOr<sched::LaneReuseAttr> rows = share(fields, "rows_share");
  FailureOr<sched::LaneReuseAttr> cols = share(fields, "cols_share");
  FailureOr<bool> whole = fields.flag("whole_einsum");
  FailureOr<const YamlNode *> ops = fields.get("ops");
  if (failed(name) || failed(memory) || failed(lanes) || failed(whole) ||
      failed(ops) || failed(instances) || failed(leakage) || failed(rows) ||
      failed(cols))
    return failure();
  DenseI64ArrayAttr grid;
  if (const YamlNode *shape = fields.find("grid")) {
    if (shape->kind != YamlNode::Sequence || shape->items.size() != 2)
      return shape->error() << "'grid' of a unit must be [rows, columns]";
    SmallVector<int64_t> sizes;
    for (const YamlNode &item : shape->items) {
      FailureOr<int64_t> size = positiveNumber(item, "grid", "a unit");
      if (failed(size))
        return failure();
      sizes.push_back(*size);
    }
    grid = b.getDenseI64ArrayAttr(sizes);
  }
  if ((*ops)->kind != YamlNode::Mapping)
    return (*ops)->error() << "'ops' of a unit must be a mapping of op classes";
  SmallVector<Attribute> costs;
  for (auto [key, value] : llvm::zip((*ops)->keys, (*ops)->items)) {
    FailureOr<Attribute> cost = opCost(key, value);
    if (failed(cost))
      return failure();
    costs.push_back(*cost);
  }
  sched::UnitOp::create(
      b, fields.loc(), b.getStringAttr(*name), *instances, grid, *lanes, *rows,
      *cols, FlatSymbolRefAttr::get(b.getContext(), *memory),
      b.getArrayAttr(costs), *whole ? b.getUnitAttr() : UnitAttr(), *leakage);
  return success();
}

FailureOr<sched::ArchOp> transfusion::readArchText(OpBuilder &builder,
                                                   StringRef text,
                                                   StringRef fileName) {
  FailureOr<YamlNode> root = parseYaml(builder.getContext(), text, fileName);
  if (failed(root))
    return failure();
  Fields fields(*root, "a machine");
  if (failed(fields.check({"name", "clock_hz", "memories", "units"})))
    return failure();
  FailureOr<std::string> name = fields.text("name");
  FailureOr<const YamlNode *> clockNode = fields.get("clock_hz");
  FailureOr<const YamlNode *> memories = fields.get("memories");
  FailureOr<const YamlNode *> units = fields.get("units");
  if (failed(name) || failed(clockNode) || failed(memories) || failed(units))
    return failure();
  FailureOr<IntegerAttr> clock = fields.positive("clock_hz", builder);
  if (failed(clock))
    return failure();
  for (const YamlNode *list : {*memories, *units})
    if (list->kind != YamlNode::Sequence) {
      list->error() << "expected a sequence of "
                    << (list == *units ? "units" : "memories") << ", found "
                    << list->kindName();
      return failure();
    }

  // Built apart: nothing enters the module before the verifiers agree.
  OpBuilder b(builder.getContext());
  OwningOpRef<sched::ArchOp> arch =
      sched::ArchOp::create(b, root->loc, b.getStringAttr(*name), *clock);
  b.createBlock(&arch->getBody());
  ArchReader reader(b);
  FlatSymbolRefAttr outer;
  for (const YamlNode &memory : (*memories)->items)
    if (failed(reader.memory(memory, outer)))
      return failure();
  for (const YamlNode &unit : (*units)->items)
    if (failed(reader.unit(unit)))
      return failure();
  if (failed(verify(*arch)))
    return failure();
  sched::ArchOp made = arch.release();
  builder.insert(made);
  return made;
}
