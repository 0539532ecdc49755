// SPDX-License-Identifier: Apache-2.0
#include "engine/report/fit_width.h"

#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/report/table.h"

namespace shardscope::fit_width_test {
namespace {

TEST(FitWidth, WhatFitsIsAsItWas) {
  const std::string text = "a  b\n1  2\n\nA sentence.\n";
  EXPECT_EQ(fit_width(text, 20), text);
  EXPECT_EQ(fit_width("no end of line", 20), "no end of line");
  EXPECT_EQ(fit_width("", 20), "");
  EXPECT_EQ(fit_width("a line that is too long", 3), "a line that is too long") << "no screen is so narrow";
}

TEST(FitWidth, AWideTableGoesOnBelowWithItsFirstColumnAgain) {
  const TextTable table{{"#", "strategy", "total", "time"},
                        {{"1", "wang.os", "2.00 µs", "1 µs"}, {"10", "collective.os", "31.0 µs", "2 µs"}},
                        {true, false, true, true}};
  EXPECT_EQ(fit_width(plain_table(table), 26),
            " #  strategy         total\n"
            " 1  wang.os        2.00 µs\n"
            "10  collective.os  31.0 µs\n"
            "\n"
            " #  time\n"
            " 1  1 µs\n"
            "10  2 µs\n");
}

TEST(FitWidth, ALongLastColumnGoesOnUnderItself) {
  EXPECT_EQ(fit_width("wang.os  multiply what is here and send it on\nps       add\n", 24),
            "wang.os  multiply what\n"
            "         is here and\n"
            "         send it on\n"
            "ps       add\n");
}

TEST(FitWidth, ProseIsBrokenBetweenWords) {
  EXPECT_EQ(fit_width("one two three four five six\n", 20), "one two three four\n  five six\n");
  EXPECT_EQ(fit_width("a_word_that_is_longer_than_a_line and more\n", 20),
            "a_word_that_is_longer_than_a_line\n  and more\n");
}

// Whatever the width, no word is lost or made, and lines are too long only by one word.
TEST(FitWidth, KeepsEveryWordAtEveryWidth) {
  const std::string text =
      "#  run  strategy       mesh         total  × best\n"
      "1    –  collective.os  row=2,col=4  2.00µs  1.00×\n"
      "2    –  wang.os        row=2,col=4  3.00µs  1.50×\n";
  for (size_t columns = 20; columns < 60; ++columns) {
    const std::string fitted = fit_width(text, columns);
    for (const char* word : {"collective.os", "row=2,col=4", "2.00µs", "3.00µs", "1.50×", "strategy"})
      EXPECT_NE(fitted.find(word), std::string::npos) << columns << word;
    for (const std::string& line : split(fitted, '\n')) EXPECT_LE(display_width(line), columns) << fitted;
  }
}

}  // namespace
}  // namespace shardscope::fit_width_test
