//===- RankNames.cpp - Ranks and their names ------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankNames.h"

using namespace mlir;
using namespace transfusion::raise;

void transfusion::raise::assignOccurrences(RaiseGraph &graph) {
  // Per digit of a root: what its readers call it; -1 nobody said, -2 several.
  SmallVector<SmallVector<int>> votes;
  for (const Root &root : graph.roots)
    votes.emplace_back(root.digits.size(), -1);
  auto vote = [&](const Equation &eq, ArrayRef<Access> accesses) {
    for (const Access &access : accesses)
      for (auto [digit, expr] : llvm::enumerate(access.at)) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim || eq.ranks[dim.getPosition()].leaf !=
                        graph.roots[access.root].digits[digit].leaf)
          continue;
        int said = eq.occurrence[dim.getPosition()];
        int &known = votes[access.root][digit];
        known = known == -1 || known == said ? said : -2;
      }
  };
  for (Equation &eq : llvm::reverse(graph.equations)) {
    if (eq.erased)
      continue;
    constexpr unsigned unknown = ~0u;
    eq.occurrence.assign(eq.ranks.size(), unknown);
    auto isTaken = [&](unsigned rank, unsigned occurrence) {
      for (unsigned other = 0; other < eq.ranks.size(); ++other)
        if (other != rank && eq.ranks[other].leaf == eq.ranks[rank].leaf &&
            eq.occurrence[other] == occurrence)
          return true;
      return false;
    };
    if (!graph.roots[eq.root].yielded)
      for (auto [digit, rank] : llvm::enumerate(eq.result)) {
        int said = votes[eq.root][digit];
        if (said >= 0 && !isTaken(rank, said))
          eq.occurrence[rank] = said;
      }
    auto assign = [&](unsigned rank) {
      if (eq.occurrence[rank] != unknown)
        return;
      unsigned occurrence = 0;
      while (isTaken(rank, occurrence))
        ++occurrence;
      eq.occurrence[rank] = occurrence;
    };
    llvm::for_each(eq.result, assign);
    for (unsigned rank = 0; rank < eq.ranks.size(); ++rank)
      assign(rank);
    vote(eq, eq.inputs);
    vote(eq, eq.finishInputs);
  }
}

std::string RankNames::unique(StringRef name) {
  std::string candidate = name.str();
  for (int i = 2; !taken.insert(candidate).second; ++i)
    candidate = (name + "_" + Twine(i)).str();
  return candidate;
}

void RankNames::nameGroup(const Digits &digits, ArrayRef<StringRef> names) {
  for (auto [i, digit] : llvm::enumerate(digits)) {
    if (bases.count(digit.leaf))
      continue;
    std::string name = names[std::min<size_t>(i, names.size() - 1)].str();
    if (names.size() == 1 && digits.size() > 1) // e is e1, e0
      name += std::to_string(digits.size() - 1 - i);
    bases[digit.leaf] = unique(name);
  }
}

RankNames::RankNames(ArrayRef<Value> values, Ranks &ranks) {
  auto isNamed = [&](const Digits &digits, StringRef name) {
    return digits.empty() ||
           (digits.size() == 1 && bases.count(digits.front().leaf) &&
            bases[digits.front().leaf] == name);
  };
  for (Value value : values)
    if (isa<BlockArgument>(value) &&
        cast<RankedTensorType>(value.getType()).getRank() == 3) {
      SmallVector<Digits> digits = ranks.digitsOf(value);
      nameGroup(digits[0], {"b"});
      nameGroup(digits[1], {"p"});
      if (digits[2].size() == 1)
        nameGroup(digits[2], {"d"});
      break;
    }
  // [b, h, p, e]: queries and keys first, then values. With one query there
  // is no p, and only the first is sure to be none of the scores.
  bool hasHeads = false;
  for (bool oneQuery : {false, true}) {
    for (Value value : values) {
      if (cast<RankedTensorType>(value.getType()).getRank() != 4 ||
          (oneQuery && hasHeads))
        continue;
      SmallVector<Digits> digits = ranks.digitsOf(value);
      if (!isNamed(digits[0], "b") || !isNamed(digits[2], "p") ||
          digits[2].empty() != oneQuery || digits[1].empty() ||
          digits[3].empty() || isNamed(digits[3], "p"))
        continue;
      nameGroup(digits[1], {"h", "g"});
      nameGroup(digits[3], {hasHeads ? "f" : "e"});
      hasHeads = true;
    }
  }
}

std::string RankNames::get(const Digit &digit, unsigned occurrence) {
  auto [it, isNew] = names.try_emplace({digit.leaf, occurrence});
  if (!isNew)
    return it->second;
  auto base = bases.find(digit.leaf);
  if (base == bases.end()) {
    static constexpr StringRef letters[] = {"s", "c", "n", "k", "t", "u",
                                            "v", "w", "x", "y", "z"};
    base = bases
               .insert({digit.leaf,
                        unique(letters[std::min<unsigned>(nextLetter++, 10)])})
               .first;
  }
  StringRef name = base->second;
  if (occurrence == 0)
    return it->second = name.str();
  return it->second = unique(name == "p" ? "m" : name);
}
