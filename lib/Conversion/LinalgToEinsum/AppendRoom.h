//===- AppendRoom.h - Which concat einsum.append speaks of ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_APPENDROOM_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_APPENDROOM_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace transfusion::raise {

/// An argument with room behind it, and the concat that puts something there.
/// Reshapes may stand between the argument and the concat, and between that and
/// the value that is returned: the storage has the shape of the latter.
struct Room {
  mlir::Value argument, concat, returned;
  unsigned dim; ///< of `returned`
};

/// What an attribute einsum.append of `function` is about: a room; or, when it
/// cannot be, why and where; or neither, when the result is not made by an op
/// that is raised.
struct FoundRoom {
  std::optional<Room> room;
  std::string whyNot;
  mlir::Operation *where = nullptr;
};
FoundRoom findRoom(mlir::FunctionOpInterface function, unsigned argument);

/// The room that a concat fills.
std::optional<Room> roomFilledBy(mlir::Value concat);

/// Pieces of a concat along a dimension, those of its pieces that are such
/// concats themselves, and read by nothing else, taken apart.
llvm::SmallVector<mlir::Value> flatPieces(llvm::ArrayRef<mlir::Value> pieces,
                                          unsigned at);

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_APPENDROOM_H
