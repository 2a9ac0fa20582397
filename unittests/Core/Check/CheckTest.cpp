//===- CheckTest.cpp - Legal inputs that tests break ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTest.h"

#include "transfusion/Core/Check/Rules.h"

#include <set>

namespace transfusion::core::test {

std::string brokenRules(const std::vector<Violation> &found) {
  std::string rules;
  std::set<std::string> seen;
  for (const Violation &v : found) {
    std::string id = v.rule.substr(0, 3);
    if (seen.insert(id).second)
      rules += (rules.empty() ? "" : " ") + id;
  }
  return rules;
}

std::string describe(const std::vector<Violation> &found) {
  std::string text;
  for (const Violation &v : found) {
    text += v.rule + ": " + v.what + "\n";
    for (const std::string &note : v.notes)
      text += "    note: " + note + "\n";
  }
  return text;
}

void expectRule(const std::vector<Violation> &found, const std::string &rule,
                const std::string &text) {
  EXPECT_EQ(brokenRules(found), rule) << describe(found);
  bool said = false;
  for (const Violation &v : found) {
    said |= v.what.find(text) != std::string::npos;
    EXPECT_FALSE(v.notes.empty());
    for (const std::string &note : v.notes)
      EXPECT_FALSE(note.empty()) << v.what;
    EXPECT_NE(v.what.back(), '.') << v.what;
  }
  EXPECT_TRUE(said) << "expected: " << text << "\n" << describe(found);
}

BertCase::BertCase() {
  BertShape shape;
  shape.b = 2;
  shape.h = 3;
  shape.e = 8;
  shape.p = 23;
  shape.s = 40;
  shape.m0 = 4;
  c = bertLayer(shape);
  a = machine("edge");
  BertTiles tiles;
  tiles.p = 10;
  tiles.kvM = 10;
  tiles.innerP = 4;
  tiles.innerM = 4;
  tiles.innerS = 12;
  tiles.headsPerEpoch = 2;
  s = bertSchedule(c, a, tiles);
}

static Slot *findSlot(Schedule &s, EinsumId e, bool finishOnly,
                      std::vector<Slot> **list, size_t *index) {
  for (Group &g : s.groups)
    for (Phase &p : g.phases)
      for (Run &r : p.runs)
        for (size_t i = 0; i < r.slots.size(); ++i)
          if (r.slots[i].einsum == e && r.slots[i].finishOnly == finishOnly) {
            *list = &r.slots;
            *index = i;
            return &r.slots[i];
          }
  return nullptr;
}

Slot &BertCase::slot(const std::string &name, bool finishOnly) {
  std::vector<Slot> *list;
  size_t index;
  return *findSlot(s, einsum(name), finishOnly, &list, &index);
}

Slot BertCase::remove(const std::string &name, bool finishOnly) {
  std::vector<Slot> *list;
  size_t index;
  Slot taken = *findSlot(s, einsum(name), finishOnly, &list, &index);
  list->erase(list->begin() + index);
  return taken;
}

TEST(CheckRules, NumbersAreUniqueAndSorted) {
  std::set<std::string> seen;
  for (const Rule &r : checkRules())
    EXPECT_TRUE(seen.insert(r.id).second) << r.id;
  EXPECT_EQ(checkRules().size(), 89u);
}

TEST(CheckRules, LegalInputsPass) {
  for (const char *name : {"cloud", "cloud-max2d", "edge", "edge-max2d",
                           "edge-32", "edge-64", "tiny"}) {
    auto found = checkArch(machine(name));
    EXPECT_TRUE(found.empty()) << name << describe(found);
  }
  AttentionShape ragged;
  ragged.p = 29;
  ragged.m = 31;
  ragged.m0 = 8;
  ragged.causal = true;
  for (const Cascade &c :
       {attention({}), attention(ragged), bertLayer({}), chain(3, 4, 5)}) {
    auto found = checkCascade(c);
    EXPECT_TRUE(found.empty()) << c.name << describe(found);
  }
  auto found = BertCase().check();
  EXPECT_TRUE(found.empty()) << describe(found);
}

TEST(CheckRules, PublishedLayerFits) {
  Cascade c = bertLayer({});
  Arch a = machine("edge");
  BertTiles tiles;
  tiles.kvM = 128;
  tiles.blockS = 64;
  tiles.blockKeys = 8;
  tiles.p = 64;
  Schedule s = bertSchedule(c, a, tiles);
  auto found = checkSchedule(c, a, s);
  EXPECT_TRUE(found.empty()) << describe(found);
  found = checkPlan(c, a, s, makePlan(c, a, s));
  EXPECT_TRUE(found.empty()) << describe(found);
}

void breaks(const char *rule, const char *text,
            const std::function<void(BertCase &)> &mutate) {
  BertCase t;
  auto before = t.check();
  ASSERT_TRUE(before.empty()) << describe(before);
  mutate(t);
  expectRule(t.check(), rule, text);
}

void keeps(const std::function<void(BertCase &)> &mutate) {
  BertCase t;
  mutate(t);
  auto found = t.check();
  EXPECT_TRUE(found.empty()) << describe(found);
}

} // namespace transfusion::core::test
