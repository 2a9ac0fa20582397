//===- EinsumParser.cpp - Cascades and Einsums from text ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::detail;

//===----------------------------------------------------------------------===//
// CascadeOp
//===----------------------------------------------------------------------===//

ParseResult CascadeOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<Attribute> ranks;
  auto parseRank = [&]() -> ParseResult {
    std::string name;
    int64_t extent;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parser.parseInteger(extent))
      return failure();
    bool iterative = succeeded(parser.parseOptionalKeyword("iterative"));
    auto rank = RankAttr::getChecked(
        [&] { return parser.emitError(loc); }, parser.getContext(),
        parser.getBuilder().getStringAttr(name), extent, iterative);
    if (!rank)
      return failure();
    ranks.push_back(rank);
    return success();
  };
  if (parser.parseKeyword("ranks") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseRank) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion()))
    return failure();
  result.addAttribute("ranks", parser.getBuilder().getArrayAttr(ranks));
  if (succeeded(parser.parseOptionalArrow()))
    return parser.parseTypeList(result.types);
  return success();
}

//===----------------------------------------------------------------------===//
// MapReduceOp
//===----------------------------------------------------------------------===//

namespace {
/// `%q[b,h,p,e], %k[b,h,m,e]`, dimensions numbered by the scope.
struct Operands {
  SmallVector<OpAsmParser::UnresolvedOperand> values;
  SmallVector<SmallVector<AffineExpr>> accesses;
};

/// A body: a region, or the name of its only op.
struct Body {
  std::optional<OperationName> opName;
  SMLoc loc;
};
} // namespace

static ParseResult parseAccess(OpAsmParser &parser, RankScope &scope,
                               SmallVectorImpl<AffineExpr> &access) {
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
        return parseRankExpr(parser, scope, access.emplace_back());
      });
}

static ParseResult parseOperands(OpAsmParser &parser, RankScope &scope,
                                 Operands &operands) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    return failure(
        failed(parser.parseOperand(operands.values.emplace_back())) ||
        failed(parseAccess(parser, scope, operands.accesses.emplace_back())));
  });
}

static ParseResult parseBody(OpAsmParser &parser, Body &body, Region &region) {
  body.loc = parser.getCurrentLocation();
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)))
    return parser.parseRegion(region);
  // Loads the dialect, where it is registered.
  OperationName opName(name, parser.getContext());
  if (!opName.isRegistered())
    if (parser.getContext()->getOrLoadDialect(name.split('.').first))
      opName = OperationName(name, parser.getContext());
  if (!opName.isRegistered())
    return parser.emitError(body.loc)
           << "'" << name << "' is not an operation; a body is an op of the "
           << "arith or math dialect, or a region in braces";
  if (!opName.hasTrait<OpTrait::SameOperandsAndResultType>())
    return parser.emitError(body.loc)
           << "'" << name << "' cannot stand alone as a body, since its "
           << "operands and result may differ in type; write a region";
  body.opName = opName;
  return success();
}

/// Builds the body that was given by its op's name.
static void buildOneOpBody(OpAsmParser &parser, const Body &body,
                           Region &region, ArrayRef<Type> argumentTypes) {
  Location loc = parser.getEncodedSourceLoc(body.loc);
  Block &block = region.emplaceBlock();
  block.addArguments(argumentTypes,
                     SmallVector<Location>(argumentTypes.size(), loc));
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToStart(&block);
  OperationState state(loc, *body.opName);
  state.addOperands(block.getArguments());
  state.addTypes(argumentTypes.take_front());
  Operation *op = builder.create(state);
  YieldOp::create(builder, loc, op->getResults());
}

/// -inf, inf, or a typed attribute.
static ParseResult parseInit(OpAsmParser &parser, TypedAttr &init,
                             std::optional<bool> &negativeInfinity) {
  if (succeeded(parser.parseOptionalKeyword("inf"))) {
    negativeInfinity = false;
    return success();
  }
  // A minus belongs to -inf or to a literal, which the attribute parser would
  // want to see whole.
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalMinus())) {
    if (succeeded(parser.parseOptionalKeyword("inf"))) {
      negativeInfinity = true;
      return success();
    }
    if (parser.parseAttribute(init))
      return failure();
    if (auto real = dyn_cast<FloatAttr>(init))
      init = FloatAttr::get(real.getType(), -real.getValue());
    else if (auto integer = dyn_cast<IntegerAttr>(init))
      init = IntegerAttr::get(integer.getType(), -integer.getValue());
    else
      return parser.emitError(loc, "expected a number after '-'");
    return success();
  }
  return parser.parseAttribute(init);
}

static ParseResult parseRankList(OpAsmParser &parser,
                                 SmallVectorImpl<RankUse> &list) {
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
        RankUse &use = list.emplace_back();
        use.loc = parser.getCurrentLocation();
        return parser.parseKeywordOrString(&use.name);
      });
}

/// The order of the ranks that the text gives (result, then `over`), or that
/// `iterate` states.
static ParseResult orderRanks(OpAsmParser &parser, const RankScope &scope,
                              unsigned numResultNames, ArrayRef<RankUse> over,
                              std::optional<SmallVector<RankUse>> iterate,
                              SmallVectorImpl<StringRef> &order) {
  auto add = [&](StringRef name, SMLoc loc) -> ParseResult {
    if (llvm::is_contained(order, name))
      return parser.emitError(loc) << "rank '" << name << "' is listed twice";
    order.push_back(name);
    return success();
  };
  if (iterate) {
    for (const RankUse &use : *iterate)
      if (add(use.name, use.loc))
        return failure();
  } else {
    for (StringRef name : ArrayRef(scope.names).take_front(numResultNames))
      order.push_back(name);
    for (const RankUse &use : over) {
      if (llvm::is_contained(ArrayRef(order).take_front(numResultNames),
                             use.name))
        return parser.emitError(use.loc)
               << "rank '" << use.name
               << "' is a rank of the result, so it cannot be reduced";
      if (add(use.name, use.loc))
        return failure();
    }
  }
  for (const RankUse &use : scope.uses)
    if (!llvm::is_contained(order, use.name))
      return parser.emitError(use.loc)
             << "rank '" << use.name << "' is neither a rank of the result nor "
             << "reduced (`reduce KIND over [" << use.name << "]`)"
             << suggestName(use.name, order);
  return success();
}

ParseResult MapReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  MLIRContext *context = parser.getContext();
  Region *map = result.addRegion(), *finish = result.addRegion();
  Body mapBody, finishBody;
  RankScope scope;

  std::string name;
  SmallVector<AffineExpr> resultAccess;
  if (parser.parseString(&name) || parseAccess(parser, scope, resultAccess))
    return failure();
  unsigned numResultNames = scope.names.size();

  Operands inputs, finishInputs;
  std::optional<OpAsmParser::UnresolvedOperand> base;
  if (succeeded(parser.parseOptionalKeyword("extends")) &&
      parser.parseOperand(base.emplace()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("from")) &&
      parseOperands(parser, scope, inputs))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("map")) &&
      parseBody(parser, mapBody, *map))
    return failure();

  SmallVector<RankUse> over;
  if (succeeded(parser.parseOptionalKeyword("reduce"))) {
    StringRef kindName;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&kindName))
      return failure();
    std::optional<ReduceKind> kind = symbolizeReduceKind(kindName);
    if (!kind)
      return parser.emitError(loc)
             << "'" << kindName
             << "' is not one of the operators add, mul, max, min, and, or";
    result.addAttribute("reduce", ReduceKindAttr::get(context, *kind));
    if (parser.parseKeyword("over") || parseRankList(parser, over))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("finish"))) {
    if (succeeded(parser.parseOptionalKeyword("from")) &&
        parseOperands(parser, scope, finishInputs))
      return failure();
    if (parseBody(parser, finishBody, *finish))
      return failure();
  }
  SmallVector<ParsedConstraint> constraints;
  if (succeeded(parser.parseOptionalKeyword("where")) &&
      parseConstraints(parser, scope, constraints))
    return failure();
  TypedAttr init;
  std::optional<bool> negativeInfinity;
  if (succeeded(parser.parseOptionalKeyword("init")) &&
      parseInit(parser, init, negativeInfinity))
    return failure();
  std::optional<SmallVector<RankUse>> iterate;
  if (succeeded(parser.parseOptionalKeyword("iterate")) &&
      parseRankList(parser, iterate.emplace()))
    return failure();

  SMLoc typeLoc;
  FunctionType type;
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseColon() || parser.getCurrentLocation(&typeLoc) ||
      parser.parseType(type))
    return failure();
  if (type.getNumResults() != 1)
    return parser.emitError(typeLoc, "an Einsum has one result");

  // Operands and their types.
  SmallVector<OpAsmParser::UnresolvedOperand> values(inputs.values);
  llvm::append_range(values, finishInputs.values);
  if (base)
    values.push_back(*base);
  if (type.getNumInputs() != values.size())
    return parser.emitError(typeLoc)
           << values.size() << " operands are read, but " << type.getNumInputs()
           << " types are given";
  if (parser.resolveOperands(values, type.getInputs(), typeLoc,
                             result.operands))
    return failure();
  result.addTypes(type.getResults());
  auto getElement = [](Type type) -> Type {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? tensor.getElementType() : Type();
  };
  SmallVector<Type> elements;
  for (Type operand : type.getInputs()) {
    elements.push_back(getElement(operand));
    if (!elements.back())
      return parser.emitError(typeLoc)
             << "an Einsum reads ranked tensors, not " << operand;
  }
  Type resultElement = getElement(type.getResult(0));
  if (!resultElement)
    return parser.emitError(typeLoc)
           << "an Einsum defines a ranked tensor, not " << type.getResult(0);

  // Bodies that were given by name.
  ArrayRef<Type> inputElements =
      ArrayRef(elements).take_front(inputs.values.size());
  if (mapBody.opName) {
    if (inputElements.empty())
      return parser.emitError(mapBody.loc, "a body of one op needs an input");
    buildOneOpBody(parser, mapBody, *map, inputElements);
  }
  if (finishBody.opName) {
    SmallVector<Type> arguments;
    if (map->empty() && !inputElements.empty())
      arguments.push_back(inputElements.front());
    else if (!map->empty() && !map->front().empty() &&
             map->front().back().getNumOperands() == 1)
      arguments.push_back(map->front().back().getOperand(0).getType());
    else
      return parser.emitError(finishBody.loc, "the map yields no value");
    llvm::append_range(arguments,
                       ArrayRef(elements).slice(inputs.values.size(),
                                                finishInputs.values.size()));
    buildOneOpBody(parser, finishBody, *finish, arguments);
  }

  // Ranks in their order, and the expressions over them.
  SmallVector<StringRef> order;
  if (orderRanks(parser, scope, numResultNames, over, iterate, order))
    return failure();
  SmallVector<AffineExpr> positions;
  for (StringRef rank : scope.names)
    positions.push_back(builder.getAffineDimExpr(
        std::distance(order.begin(), llvm::find(order, rank))));
  auto getMap = [&](ArrayRef<AffineExpr> access) -> Attribute {
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : access)
      exprs.push_back(expr.replaceDims(positions));
    return AffineMapAttr::get(AffineMap::get(order.size(), 0, exprs, context));
  };
  SmallVector<Attribute> maps;
  for (ArrayRef<AffineExpr> access : inputs.accesses)
    maps.push_back(getMap(access));
  for (ArrayRef<AffineExpr> access : finishInputs.accesses)
    maps.push_back(getMap(access));
  AffineMap resultMap = cast<AffineMapAttr>(getMap(resultAccess)).getValue();
  if (base) {
    auto whole = cast<RankedTensorType>(type.getResult(0));
    auto front = cast<RankedTensorType>(type.getInputs().back());
    int dim = -1;
    if (whole.getRank() == front.getRank() &&
        whole.getRank() == resultMap.getNumResults())
      for (int d = 0; d < whole.getRank() && dim < 0; ++d)
        if (whole.getDimSize(d) != front.getDimSize(d))
          dim = d;
    if (dim < 0)
      return parser.emitError(typeLoc)
             << "a result of " << whole << " does not extend " << front
             << ": they differ in the size of one dimension";
    maps.push_back(AffineMapAttr::get(MapReduceOp::getBaseMap(resultMap, dim)));
  }
  if (!constraints.empty()) {
    SmallVector<AffineExpr> exprs;
    SmallVector<bool> equalities;
    for (const ParsedConstraint &constraint : constraints) {
      AffineExpr expr = constraint.expr.replaceDims(positions);
      if (!constraint.isExact)
        if (auto form = getLinearForm(expr, order.size()))
          expr = form->toExpr(context);
      exprs.push_back(expr);
      equalities.push_back(constraint.isEquality);
    }
    result.addAttribute("domain", IntegerSetAttr::get(IntegerSet::get(
                                      order.size(), 0, exprs, equalities)));
  }
  if (negativeInfinity) {
    auto real = dyn_cast<FloatType>(resultElement);
    if (!real)
      return parser.emitError(typeLoc)
             << "a result of " << resultElement << " cannot start at infinity";
    init = FloatAttr::get(
        real, APFloat::getInf(real.getFloatSemantics(), *negativeInfinity));
  }
  if (init)
    result.addAttribute("init", init);
  result.addAttribute("einsum_name", builder.getStringAttr(name));
  result.addAttribute("ranks", builder.getStrArrayAttr(order));
  result.addAttribute("maps", builder.getArrayAttr(maps));
  result.addAttribute("result_map", AffineMapAttr::get(resultMap));
  result.addAttribute(
      getOperandSegmentSizeAttr(),
      builder.getDenseI32ArrayAttr(
          {static_cast<int32_t>(inputs.values.size()),
           static_cast<int32_t>(finishInputs.values.size()), base ? 1 : 0}));
  return success();
}
