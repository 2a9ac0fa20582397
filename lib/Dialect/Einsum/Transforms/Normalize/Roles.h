//===- Roles.h - What the Einsums of a layer are called ---------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A name says what an Einsum is for: a contraction is FFN1 because an
// activation reads it, O because it reads an attention. Names are those that
// --einsum-decompose gives; a role that occurs more than once in a function is
// numbered the same way (`ln1.SAV`).
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_ROLES_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_ROLES_H

#include "Import.h"
#include "Plan.h"
#include "llvm/ADT/StringSet.h"

namespace transfusion::einsum::normal {

/// Which roles of a kind there are in one function, and which names are taken.
class EinsumRoles {
public:
  /// Of one cascade after the other: numbers go on. Call for all cascades of a
  /// function before asking for a name.
  void add(const Imported &imported, const Plan &plan, const PieceKinds &kinds);
  void reserve(llvm::StringRef name) { taken.insert(name); }

  /// From here on, names of this cascade (in the order of `add`).
  void enter(unsigned cascade) { current = cascade; }
  /// The name of a tensor that is no piece.
  std::string nameOf(NodeId node);
  std::string nameFor(NodeId piece, llvm::StringRef name);
  std::string nameForCopy(llvm::StringRef of);
  /// Of a piece of a concat: one that the raiser has numbered is numbered anew,
  /// in the order in which they are asked for.
  std::string nameForPiece(llvm::StringRef imported);

private:
  friend class RoleFinder;
  struct Role {
    std::string kind; ///< "ln": what is numbered
    unsigned number;
    std::string name; ///< empty: the emitter of the piece says
  };
  struct Cascade {
    llvm::DenseMap<NodeId, Role> roles;        // looked up only
    llvm::DenseMap<NodeId, std::string> names; // as imported; looked up only
    llvm::DenseMap<NodeId, std::string> kept;  // that stay; looked up only
  };
  std::string unique(const std::string &name);
  std::string prefixOf(const Role &role) const;

  std::vector<Cascade> cascades;
  std::map<std::string, unsigned> counts;
  llvm::StringSet<> taken;
  unsigned current = 0;
};

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_ROLES_H
