// SPDX-License-Identifier: Apache-2.0
#include "engine/base/toml.h"

#include <gtest/gtest.h>

#include "engine/base/read_file.h"

namespace shardscope::toml_test {
namespace {

TEST(Toml, readers_give_nothing_for_an_absent_key_and_the_place_of_a_wrong_type) {
  const auto table =
      TomlTable::parse("a = 1\nb = 2.5\nc = 'x'\nd = true\ne = [1, 2]\nf = ['p']\n[g]\nh = 1\n", "t.toml");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(**table->integer("a"), 1);
  EXPECT_EQ(**table->number("a"), 1.0);
  EXPECT_EQ(**table->number("b"), 2.5);
  EXPECT_EQ(**table->string("c"), "x");
  EXPECT_EQ(**table->boolean("d"), true);
  EXPECT_EQ(**table->integers("e"), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(**table->numbers("e"), (std::vector<double>{1, 2}));
  EXPECT_EQ(table->numbers("f").error().text(), "'f' must be a list of numbers, got a string; t.toml:6:6");
  EXPECT_EQ(**table->strings("f"), std::vector<std::string>{"p"});
  EXPECT_EQ(**(*table->table("g"))->integer("h"), 1);
  EXPECT_FALSE(table->integer("absent")->has_value());
  EXPECT_EQ(table->integer("b").error().text(),
            "'b' must be a whole number, got a number with a fraction; t.toml:2:5");
  EXPECT_EQ(table->integers("f").error().where, "t.toml:6:6");
  EXPECT_EQ(table->tables("e").error().what, "'e' must be a list of tables, got a whole number");
  EXPECT_EQ(table->where("d"), "t.toml:4:5");
}

TEST(Toml, keys_nobody_asked_for_are_refused_first_in_the_file_first) {
  const auto table = *TomlTable::parse("zeta = 1\nalpah = 2\n", "t.toml");
  (void)table.integer("alpha");
  EXPECT_EQ(table.refuse_unread().error().text(), "unknown key 'zeta'; t.toml:1:1; known here: alpha");
  (void)table.integer("zeta");
  EXPECT_EQ(table.refuse_unread().error().text(), "unknown key 'alpah'; t.toml:2:1; did you mean 'alpha'?");
  (void)table.integer("alpah");
  EXPECT_TRUE(table.refuse_unread().ok());
}

TEST(Toml, broken_text_is_an_error_with_its_place) {
  for (const char* text :
       {"a = ", "a = 1\na = 2", "[", "a = \"\n\"", "\xff\xfe", "a = 99999999999999999999"}) {
    const auto table = TomlTable::parse(text, "t.toml");
    ASSERT_FALSE(table.ok()) << text;
    EXPECT_EQ(table.error().where.substr(0, 7), "t.toml:");
    EXPECT_NE(table.error().what.back(), '.');
  }
  std::string deep = "a = ";
  for (int i = 0; i < 100000; ++i) deep += '[';
  EXPECT_FALSE(TomlTable::parse(deep, "t.toml").ok());
}

TEST(Toml, written_values_read_back) {
  const std::string text = "quote \" slash \\ line\n tab\t bell\x07 µ";
  EXPECT_EQ(**TomlTable::parse("a = " + toml_text(text), "t")->string("a"), text);
  for (const double value : {0.0, 0.1, 1e-6, 197e12, 1e300, 5e-324, 1.0 / 3}) {
    EXPECT_EQ(**TomlTable::parse("a = " + toml_text(value), "t")->number("a"), value);
  }
}

}  // namespace
}  // namespace shardscope::toml_test
