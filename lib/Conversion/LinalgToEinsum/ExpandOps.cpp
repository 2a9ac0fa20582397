//===- ExpandOps.cpp - Ops that stand for several ones --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandOps.h"
#include "BlockPlan.h"
#include "Bodies.h"
#include "BodyReads.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "transfusion/Dialect/Einsum/IR/Reduce.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace transfusion::raise;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

std::optional<int64_t> transfusion::raise::knownSize(Operation *op) {
  if (!isa<tensor::DimOp, tensor::RankOp>(op))
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type)
    return std::nullopt;
  if (isa<tensor::RankOp>(op))
    return type.getRank();
  std::optional<int64_t> dim = cast<tensor::DimOp>(op).getConstantIndex();
  if (!dim || *dim < 0 || *dim >= type.getRank() || type.isDynamicDim(*dim))
    return std::nullopt;
  return type.getDimSize(*dim);
}

/// Upstream has loops for them, not ops.
static bool isWinograd(Operation *op) {
  return isa<linalg::WinogradFilterTransformOp,
             linalg::WinogradInputTransformOp,
             linalg::WinogradOutputTransformOp>(op);
}

bool transfusion::raise::isExpandable(Operation *op) {
  if (isa<tensor::DimOp, tensor::RankOp>(op))
    return true;
  if (op->getNumResults() != 1 || !isa<TensorType>(op->getResult(0).getType()))
    return hasAffineReads(op); // else of several results, or on memrefs
  if (hasAffineReads(op))
    return true;
  return isa<tensor::PadOp, tensor::InsertSliceOp, tensor::GenerateOp,
             tensor::FromElementsOp, tensor::InsertOp, linalg::SoftmaxOp,
             linalg::PackOp, linalg::UnPackOp>(op) ||
         isWinograd(op);
}

//===----------------------------------------------------------------------===//
// Whether it can be
//===----------------------------------------------------------------------===//

static bool isConstant(Value value) {
  return matchPattern(value, m_Constant());
}

static std::string whyNotPad(tensor::PadOp pad) {
  for (auto [lowAmount, highAmount, size] :
       llvm::zip(pad.getMixedLowPad(), pad.getMixedHighPad(),
                 shapeOf(pad.getSource()))) {
    std::optional<int64_t> low = getConstantIntValue(lowAmount);
    std::optional<int64_t> high = getConstantIntValue(highAmount);
    if (!low || !high)
      return "pads by an amount that is not constant; make it one "
             "(--canonicalize puts in those that are)";
    if (size + std::min<int64_t>(*low, 0) + std::min<int64_t>(*high, 0) < 1)
      return "cuts away all of its source; leave it out, and fill instead";
  }
  Value value = pad.getConstantPaddingValue();
  if (!value || !isConstant(value))
    return "pads with a value that is not constant; pad with a constant, and "
           "select the value where it stands";
  return "";
}

static std::string whyNotInsert(tensor::InsertOp op) {
  if (!isConstant(op.getScalar()))
    return "puts a scalar that is not a constant into a tensor; pass it as a "
           "tensor, and use tensor.insert_slice";
  for (auto [index, size] : llvm::zip(op.getIndices(), shapeOf(op.getDest()))) {
    std::optional<int64_t> at = getConstantIntValue(index);
    if (!at || *at < 0 || *at >= size)
      return "puts a scalar at an index that is not a constant within the "
             "tensor; select by linalg.index instead";
  }
  return "";
}

std::string transfusion::raise::whyNotExpanded(Operation *op) {
  if (isWinograd(op))
    return "is a loop over tiles; keep the convolution "
           "(linalg.conv_2d_nhwc_fhwc), which is raised as it is";
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](tensor::PadOp pad) { return whyNotPad(pad); })
      .Case([](tensor::InsertOp insert) { return whyNotInsert(insert); })
      .Case([](tensor::FromElementsOp elements) -> std::string {
        if (!llvm::all_of(elements.getElements(), isConstant))
          return "is made of scalars that are not constants; pass them as a "
                 "tensor";
        return "";
      })
      .Case([](tensor::GenerateOp generate) {
        return whyNotIndexBody(generate.getBody().front());
      })
      .Case<tensor::DimOp, tensor::RankOp>([](Operation *size) -> std::string {
        return knownSize(size)
                   ? ""
                   : "asks for a size that is not constant; make the "
                     "shape static";
      })
      .Case([](linalg::PackOp pack) -> std::string {
        if (pack.getPaddingValue() && !isConstant(pack.getPaddingValue()))
          return "pads with a value that is not constant; pad with a constant";
        return "";
      })
      .Default([](Operation *) { return std::string(); });
}

//===----------------------------------------------------------------------===//
// What is written for it
//===----------------------------------------------------------------------===//

static void expandElements(RewriterBase &rewriter, tensor::FromElementsOp op) {
  SmallVector<Attribute> values;
  for (Value element : op.getElements()) {
    Attribute value;
    matchPattern(element, m_Constant(&value));
    values.push_back(value);
  }
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(
      op, DenseElementsAttr::get(cast<RankedTensorType>(op.getType()), values));
}

/// A tensor of one element, put in.
static void expandInsert(RewriterBase &rewriter, tensor::InsertOp op) {
  Attribute value;
  matchPattern(op.getScalar(), m_Constant(&value));
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> ones(type.getRank(), 1);
  Value element = arith::ConstantOp::create(
      rewriter, op.getLoc(),
      DenseElementsAttr::get(RankedTensorType::get(ones, type.getElementType()),
                             value));
  if (type.getRank() == 0)
    return rewriter.replaceOp(op, element);
  SmallVector<OpFoldResult> offsets,
      sizes(type.getRank(), rewriter.getIndexAttr(1));
  for (Value index : op.getIndices())
    offsets.push_back(rewriter.getIndexAttr(*getConstantIntValue(index)));
  rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(op, element, op.getDest(),
                                                     offsets, sizes, sizes);
}

/// Upstream's maximum ignores NaN and starts at it. A row that holds NaN is NaN
/// in the end with either maximum, and maximumf is what others write.
static void expandSoftmax(RewriterBase &rewriter, linalg::SoftmaxOp op) {
  auto results = op.decomposeOperation(rewriter);
  if (failed(results))
    return;
  SmallVector<Operation *> maxima;
  for (Operation *made = op->getPrevNode(); made; made = made->getPrevNode())
    if (auto generic = dyn_cast<linalg::GenericOp>(made)) {
      generic.walk([&](arith::MaxNumFOp inner) { maxima.push_back(inner); });
      if (!maxima.empty())
        break;
    }
  for (Operation *max : maxima) {
    auto generic = cast<linalg::GenericOp>(max->getParentOp());
    rewriter.setInsertionPoint(max);
    rewriter.replaceOpWithNewOp<arith::MaximumFOp>(max, max->getOperands());
    auto fill = generic.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    rewriter.setInsertionPoint(fill);
    Type element = fill.value().getType();
    Value lowest = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        transfusion::einsum::identityOf(transfusion::einsum::ReduceKind::Max,
                                        element));
    rewriter.modifyOpInPlace(fill, [&] { fill->setOperand(0, lowest); });
  }
  rewriter.replaceOp(op, *results);
}

static void expand(RewriterBase &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](linalg::LinalgOp op) { expandReads(rewriter, op); })
      .Case([&](tensor::PadOp pad) { expandPad(rewriter, pad); })
      .Case([&](tensor::InsertSliceOp insert) {
        transfusion::raise::expandInsert(rewriter, insert);
      })
      .Case([&](tensor::InsertOp insert) { ::expandInsert(rewriter, insert); })
      .Case([&](tensor::FromElementsOp elements) {
        expandElements(rewriter, elements);
      })
      .Case([&](tensor::GenerateOp generate) {
        (void)linalg::rewriteInDestinationPassingStyle(rewriter, generate);
      })
      .Case<tensor::DimOp, tensor::RankOp>([&](Operation *size) {
        rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(size,
                                                            *knownSize(size));
      })
      .Case(
          [&](linalg::SoftmaxOp softmax) { expandSoftmax(rewriter, softmax); })
      .Case(
          [&](linalg::PackOp pack) { (void)linalg::lowerPack(rewriter, pack); })
      .Case([&](linalg::UnPackOp unpack) { expandUnPack(rewriter, unpack); });
}

//===----------------------------------------------------------------------===//
// A block
//===----------------------------------------------------------------------===//

namespace {
/// What is made in the place of one op.
struct Recorder : RewriterBase::Listener {
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (!previous.isSet())
      made.push_back(op);
  }
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    if (op == whole && (!value || value.getDefiningOp() == op))
      value = values.front();
  }
  void notifyOperationErased(Operation *op) override {
    llvm::erase(made, op);
    if (op == whole)
      whole = nullptr;
  }

  Operation *whole = nullptr;
  SmallVector<Operation *> made;
  Value value;
};
} // namespace

/// Insertions that are raised as they are: into all of a tensor, or a link of a
/// chain that fills it, to which the other links of it are added.
static bool staysInsert(Operation *op,
                        llvm::SmallDenseSet<Operation *> &links) {
  auto insert = dyn_cast<tensor::InsertSliceOp>(op);
  if (!insert)
    return false;
  if (links.contains(op))
    return true;
  unsigned at;
  if (!piecesOfChain(insert, at).empty()) {
    for (auto link = insert; link;
         link = link.getDest().getDefiningOp<tensor::InsertSliceOp>())
      links.insert(link);
    return true;
  }
  return insert.getStaticSizes() == shapeOf(insert.getResult());
}

ExpandedOps transfusion::raise::expandOps(Block &block, const BlockPlan &plan) {
  ExpandedOps result;
  llvm::SmallDenseSet<Operation *> links;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    // All that read it read its tensor now.
    if (isa<tensor::ExtractOp>(op) && op.use_empty() &&
        isScalarRead(op.getResult(0))) {
      result.gone.push_back(makeEntry(&op, "view"));
      op.erase();
      continue;
    }
    if (!isExpandable(&op) || !plan.isRaised(&op) || staysInsert(&op, links))
      continue;
    ExpandedOp whole;
    whole.name = op.getName().getStringRef().str();
    op.walk([&](Operation *) { ++whole.inner; });
    --whole.inner;
    ReportEntry gone = makeEntry(&op, "view");

    Recorder recorder;
    IRRewriter rewriter(block.getParentOp()->getContext(), &recorder);
    // What it is written as may have to be rewritten in turn.
    SmallVector<Operation *> open{&op};
    while (!open.empty()) {
      recorder.whole = open.pop_back_val();
      SmallVector<Operation *> known(recorder.made);
      ::expand(rewriter, recorder.whole);
      for (Operation *part : recorder.made)
        if (!llvm::is_contained(known, part) && isExpandable(part) &&
            !staysInsert(part, links))
          open.push_back(part);
    }
    llvm::erase_if(recorder.made,
                   [&](Operation *part) { return part->getBlock() != &block; });
    llvm::sort(recorder.made, [](Operation *l, Operation *r) {
      return l->isBeforeInBlock(r);
    });
    if (!recorder.value) {
      result.failed = &op;
      return result;
    }
    Operation *last = recorder.value.getDefiningOp();
    if (!last || !llvm::is_contained(recorder.made, last)) {
      // It is its operand.
      result.gone.push_back(std::move(gone));
      result.goneInner += whole.inner;
      for (Operation *part : llvm::reverse(recorder.made))
        rewriter.eraseOp(part);
      continue;
    }
    llvm::erase(recorder.made, last);
    for (Operation *part : recorder.made)
      result.wholeOf[part] = last;
    whole.parts = std::move(recorder.made);
    result.whole[last] = std::move(whole);
  }
  return result;
}
