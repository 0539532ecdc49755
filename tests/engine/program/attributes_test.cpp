// SPDX-License-Identifier: Apache-2.0
// The table of attributes, row by row.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "engine/base/text.h"
#include "engine/program/text/attribute_order.h"
#include "engine/program/text/attribute_values.h"
#include "engine/program/text/hlo_refusals.h"

namespace shardscope::attributes_test {
namespace {

std::vector<std::string> owners_of(const AttributeRow& row) {
  std::vector<std::string> out;
  for (const std::string& word : split(row.operations, ' '))
    if (!word.empty()) out.push_back(word.substr(0, word.find_first_of("!+")));
  return out;
}

TEST(Attributes, BelongToOperationsOfHlo) {
  for (const AttributeRow& row : attribute_rows())
    for (const std::string& owner : owners_of(row))
      EXPECT_TRUE(is_hlo_opcode(owner) || owner == "async") << row.key << " of " << owner;
}

TEST(Attributes, OfOneKeyStandBesideEachOther) {
  std::set<std::string_view> seen;
  std::string_view before = "none";
  for (const AttributeRow& row : attribute_rows()) {
    EXPECT_TRUE(row.key == before || seen.insert(row.key).second) << row.key;
    before = row.key;
  }
}

// Whoever has one takes it, and nobody else; what an operation cannot be without is one of its own.
TEST(Attributes, AreTakenByTheirOwnersAlone) {
  for (const Operation& o : operations()) {
    Instruction i;
    i.opcode = o.opcode;
    i.opcode_name = is_known(o.opcode) ? std::string() : std::string("infeed");
    for (const std::string_view key : needed_attributes(o.opcode))
      EXPECT_TRUE(takes_attribute(i, key)) << o.text << " " << key;
    for (const AttributeText& text : attribute_texts(o.opcode))
      EXPECT_TRUE(!is_known(o.opcode) || takes_attribute(i, text.key)) << o.text << " " << text.key;
  }
  Instruction add;
  add.opcode = Opcode::add;
  EXPECT_FALSE(takes_attribute(add, "dimensions"));
  EXPECT_TRUE(takes_attribute(add, "of_a_newer_compiler"));
}

// An operation has one way to keep a key.
TEST(Attributes, AreKeptInOneWay) {
  for (const Operation& o : operations()) {
    std::set<std::string_view> keys;
    if (!is_known(o.opcode)) continue;
    for (const AttributeText& text : attribute_texts(o.opcode))
      EXPECT_TRUE(keys.insert(text.key).second) << o.text << " " << text.key;
  }
}

TEST(Attributes, ArePlacedInTheOrderOfTheTable) {
  Instruction add;
  add.opcode = Opcode::add;
  int before = 0;
  for (const AttributeRow& row : attribute_rows()) {
    const int place = place_among_attributes(add, row.key);
    EXPECT_GE(place, before) << row.key;
    before = place;
  }
}

}  // namespace
}  // namespace shardscope::attributes_test
