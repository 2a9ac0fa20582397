//===- Reused.h - A list that keeps what its items own ----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Cost: evaluate() runs thousands of times a second, and
// allocates nothing once its lists have grown. Clearing this one leaves the
// items, and their vectors, for the next round; add() gives an item as the last
// round left it.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_REUSED_H
#define TRANSFUSION_LIB_CORE_COST_REUSED_H

#include <cstddef>
#include <vector>

namespace transfusion::core {

template <typename T> class Reused {
public:
  void clear() { used = 0; }
  T &add() {
    if (used == items.size())
      items.emplace_back();
    return items[used++];
  }
  size_t size() const { return used; }
  bool empty() const { return used == 0; }
  T &operator[](size_t i) { return items[i]; }
  const T &operator[](size_t i) const { return items[i]; }
  T *begin() { return items.data(); }
  T *end() { return items.data() + used; }
  const T *begin() const { return items.data(); }
  const T *end() const { return items.data() + used; }
  const T &front() const { return items.front(); }
  const T &back() const { return items[used - 1]; }

private:
  std::vector<T> items;
  size_t used = 0;
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_REUSED_H
