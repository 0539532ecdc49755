// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/expression.h"

#include <gtest/gtest.h>

#include "engine/base/text.h"

namespace shardscope::expression_test {
namespace {

// "x" is 6, "a.b[1].c(device=2)" is the text "a.b.c 1 2".
Result<FactValue> named(const FactPath& path) {
  if (path_text(path) == "x") return count_value(6);
  if (path_text(path) == "time") return FactValue(Quantity{3e-6, kSeconds});
  if (path_text(path) == "blocks") return FactValue(FactNames{"a0", "a3"});
  if (path_text(path) == "one") return FactValue(FactNames{"a0"});
  std::string out = path_text(path);
  for (const FactStep& step : path)
    for (const FactArgument& a : step.arguments) out += " " + a.name + words_of(a.value);
  if (path[0].name == "a") return FactValue(out);
  return invalid("no '" + path[0].name + "'");
}

std::string words(std::string_view text) {
  const auto value = value_of(text, named);
  return value.ok() ? words_of(*value) : "error: " + value.error().text();
}
bool refused(std::string_view text, std::string_view why) {
  const auto value = value_of(text, named);
  return !value.ok() && value.error().text().find(why) != std::string::npos;
}

TEST(Expression, BindsAsInArithmetic) {
  EXPECT_EQ(words("1 + 2 * 3"), "7");
  EXPECT_EQ(words("(1 + 2) * 3"), "9");
  EXPECT_EQ(words("7 - 2 - 1"), "4");
  EXPECT_EQ(words("-x + 8"), "2");
  EXPECT_EQ(words("7 % 4"), "3");
  EXPECT_EQ(words("x / 4"), "1.50");
  EXPECT_EQ(words("x == 6 and not x < 3"), "yes");
  EXPECT_EQ(words("x > 6 or x != 6"), "no");
  EXPECT_EQ(words("if(x > 5, \"many\", \"few\")"), "many");
  EXPECT_EQ(words("max(1, x, 3) + min(4, 2)"), "8");
}

TEST(Expression, KeepsUnits) {
  EXPECT_EQ(words("2 * 16 KiB"), "32.0 KiB");
  EXPECT_EQ(words("16 KiB / 8 us"), "2.05 GB/s");
  EXPECT_EQ(words("time / 1.5 us"), "2.00");
  EXPECT_EQ(words("time + 1 us"), "4.00 µs");
  EXPECT_EQ(words("time == 3 us"), "yes");
  EXPECT_EQ(words("not not (x > 3 and x < 9)"), "yes");
  EXPECT_EQ(words("percent(0.82)"), "82 %");
  EXPECT_EQ(words("words(x - 2)"), "four");
  EXPECT_TRUE(refused("time + 1", "cannot add a number in s and a bare number"));
  EXPECT_TRUE(refused("time < 2 B", "cannot compare"));
  EXPECT_TRUE(refused("3 parsecs", "no unit 'parsecs'"));
}

TEST(Expression, AsksForNamesWithTheirArguments) {
  EXPECT_EQ(words("a.b[1].c(device=x - 4, 3)"), "a.b.c 1 device2 3");
  EXPECT_EQ(words("blocks"), "a0 and a3");
  EXPECT_EQ(words("count(blocks)"), "2");
  EXPECT_EQ(words("one == \"a0\""), "yes");
  EXPECT_TRUE(refused("blocks == \"a0\"", "cannot compare a list of names and a text"));
  EXPECT_TRUE(refused("y + 1", "{y + 1}: no 'y'"));
}

TEST(Expression, SaysWhereItStopsMakingSense) {
  EXPECT_TRUE(refused("1 +", "expected a number, a text or a name, got the end (column 4)"));
  EXPECT_TRUE(refused("1 2", "expected the end or an operator, got '2' (column 3)"));
  EXPECT_TRUE(refused("(1", "expected ')'"));
  EXPECT_TRUE(refused("\"open", "closing quote"));
  EXPECT_TRUE(refused("1 / (x - 6)", "divides by 0"));
  EXPECT_TRUE(refused("", "expected a number"));
  EXPECT_TRUE(refused(std::string(100, '(') + "1" + std::string(100, ')'), "nested deeper"));
  EXPECT_TRUE(refused(std::string(100, '-') + "1", "nested deeper"));
  EXPECT_TRUE(refused(std::string(5000, '1'), "longer than"));
}

TEST(FilledText, ReplacesBracesAndKeepsWrittenOnes) {
  const FilledText filled = fill_in("{x} of {{x}}, {y}, {x", named);
  EXPECT_EQ(filled.text, "6 of {x}, ?, ?");
  ASSERT_EQ(filled.errors.size(), 2U);
  EXPECT_EQ(fill_in("{runs.a} {x} }", named, "runs.").text, "? {x} }");
}

}  // namespace
}  // namespace shardscope::expression_test
