//===- PerturbLinalg.cpp - Another text of the same layer -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Perturb.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::test;

namespace {
enum class Kind {
  Reorder,
  Swap,
  Split,
  Merge,
  Transpose,
  Reshape,
  Scale,
  Mask
};

struct PerturbLinalgPass
    : PassWrapper<PerturbLinalgPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PerturbLinalgPass)
  PerturbLinalgPass() = default;
  PerturbLinalgPass(const PerturbLinalgPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "test-perturb-linalg"; }
  StringRef getDescription() const final {
    return "rewrite linalg functions without changing what they mean";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override;
  void perturb(func::FuncOp function, uint64_t seed);

  Option<Kind> kind{
      *this, "kind", llvm::cl::desc("what is rewritten"),
      llvm::cl::init(Kind::Reorder),
      llvm::cl::values(
          clEnumValN(Kind::Reorder, "reorder", "order of ops"),
          clEnumValN(Kind::Swap, "swap", "commutative operands"),
          clEnumValN(Kind::Split, "split", "generics split"),
          clEnumValN(Kind::Merge, "merge", "generics merged"),
          clEnumValN(Kind::Transpose, "transpose", "weights transposed"),
          clEnumValN(Kind::Reshape, "reshape", "reshapes inserted"),
          clEnumValN(Kind::Scale, "scale", "scale of scores moved"),
          clEnumValN(Kind::Mask, "mask", "mask of scores moved"))};
  Option<uint64_t> seed{*this, "seed", llvm::cl::desc("of the draws"),
                        llvm::cl::init(1)};
  Option<unsigned> copies{
      *this, "copies", llvm::cl::init(0),
      llvm::cl::desc("replace each function @f by @f_s<seed>, @f_s<seed+1>, "
                     "...: that many; 0 rewrites @f itself")};
};
} // namespace

void PerturbLinalgPass::perturb(func::FuncOp function, uint64_t seed) {
  Dice dice(seed);
  auto run = [&] {
    switch (kind) {
    case Kind::Reorder:
      return reorderOps(function, dice);
    case Kind::Swap:
      return swapOperands(function, dice);
    case Kind::Split:
      return splitGenerics(function, dice);
    case Kind::Merge:
      return mergeGenerics(function, dice);
    case Kind::Transpose:
      return transposeOperands(function, dice);
    case Kind::Reshape:
      return insertReshapes(function, dice);
    case Kind::Scale:
      return moveScales(function, dice);
    case Kind::Mask:
      return moveMasks(function, dice);
    }
    return 0u;
  };
  unsigned sites = run();
  // For the driver, which asserts that something changed.
  llvm::errs() << "@" << function.getSymName() << ": " << sites << " sites\n";
}

void PerturbLinalgPass::runOnOperation() {
  SmallVector<func::FuncOp> functions;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function.isExternal())
      functions.push_back(function);
  for (func::FuncOp function : functions) {
    if (copies == 0) {
      perturb(function, seed);
      continue;
    }
    for (unsigned i = 0; i < copies; ++i) {
      auto clone = cast<func::FuncOp>(function->clone());
      clone.setSymName((function.getSymName() + "_s" + Twine(seed + i)).str());
      getOperation().insert(function, clone);
      perturb(clone, seed + i);
    }
    function.erase();
  }
}

namespace transfusion::test {
void registerPerturbLinalgPass() { PassRegistration<PerturbLinalgPass>(); }
} // namespace transfusion::test
