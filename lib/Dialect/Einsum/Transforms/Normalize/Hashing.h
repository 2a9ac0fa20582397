//===- Hashing.h - Hashes that are the same in every run --------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm::hash_combine may be seeded, and hashes here decide the order of
// operands.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_HASHING_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_HASHING_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace transfusion::einsum::normal {

/// splitmix64 of both.
inline uint64_t mixHash(uint64_t hash, uint64_t value) {
  uint64_t z = hash * 0x9e3779b97f4a7c15ULL + value + 0x7f4a7c159e3779b9ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

inline uint64_t mixHash(uint64_t hash, llvm::StringRef text) {
  hash = mixHash(hash, text.size());
  for (char c : text)
    hash = mixHash(hash, static_cast<unsigned char>(c));
  return hash;
}

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_HASHING_H
