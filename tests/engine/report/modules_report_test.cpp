// SPDX-License-Identifier: Apache-2.0
// Modules side by side as text, JSON and a page.
#include "engine/report/modules_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace shardscope::modules_report_test {
namespace {

Program chain(int length, int changed) {
  std::string text = "HloModule m\nENTRY e {\nv0 = f32[8] parameter(0)\n";
  for (int k = 1; k < length; ++k)
    text += (k + 1 == length ? "ROOT v" : "v") + std::to_string(k) + " = f32[8] " +
            (k == changed ? "exponential" : "negate") + "(v" + std::to_string(k - 1) + ")\n";
  auto program = parse_program(text + "}\n");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *std::move(program) : Program();
}

ModuleColumns two(int length) {
  auto columns = columns_of(
      {{"a.hlo", SharedProgram(chain(length, -1))}, {"b<1>.hlo", SharedProgram(chain(length, length / 2))}});
  EXPECT_TRUE(columns.ok());
  return *std::move(columns);
}

TEST(ModulesReport, SaysWhatNeighboursDifferIn) {
  const ModuleColumns columns = two(9);
  const auto text = modules_text(columns);
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("@@ a.hlo | b<1>.hlo: 7 alike, 1 changed, 1 only before, 1 only after"),
            std::string::npos)
      << *text;
  EXPECT_NE(text->find("\n- %v4 = f32[8] negate("), std::string::npos) << *text;
  EXPECT_NE(text->find("\n+ %v4 = f32[8] exponential("), std::string::npos) << *text;
}

TEST(ModulesReport, JsonHasEveryLineThatDiffers) {
  const auto text = modules_json(two(9));
  ASSERT_TRUE(text.ok());
  const auto json = nlohmann::json::parse(*text);
  EXPECT_EQ(json["modules"].size(), 2U);
  EXPECT_EQ(json["modules"][1]["instructions"], 9);
  const auto& between = json["between"][0];
  EXPECT_FALSE(between["equal"].get<bool>());
  EXPECT_EQ(between["lines"].size(), 3U);
  EXPECT_EQ(between["counts"].size(), 2U);
  EXPECT_EQ(between["alike"].get<int>() + between["changed"].get<int>() + between["only_before"].get<int>(),
            9);
}

// All of a small one; of a large one what differs, and how much is left out.
TEST(ModulesReport, APageHasItsSize) {
  const auto small = modules_html(two(9), "Two & more");
  ASSERT_TRUE(small.ok());
  EXPECT_NE(small->find("Two &amp; more"), std::string::npos);
  EXPECT_NE(small->find("b&lt;1&gt;.hlo"), std::string::npos);
  EXPECT_EQ(small->find("left out"), std::string::npos);
  EXPECT_EQ(small->find("src="), std::string::npos) << "nothing from outside";
  const auto large = modules_html(two(20'000), "Large");
  ASSERT_TRUE(large.ok());
  EXPECT_LE(large->size(), kMostModulesPage);
  EXPECT_NE(large->find("lines alike"), std::string::npos);
  EXPECT_NE(large->find("lines that all modules have alike are left out."), std::string::npos);
  EXPECT_NE(large->find("exponential"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::modules_report_test
