// SPDX-License-Identifier: Apache-2.0
// Texts in CommonMark, as HTML and as words alone.
#include <gtest/gtest.h>

#include "engine/report/page/markdown_html.h"

namespace shardscope::markdown_test {
namespace {

TEST(Markdown, WordsHaveNoMarks) {
  EXPECT_EQ(markdown_words("A counter says *how much* came,\nnot `what`. It is **so**."),
            "A counter says how much came, not what. It is so.");
  EXPECT_EQ(markdown_words("One.\n\nTwo."), "One. Two.");
  EXPECT_EQ(markdown_words("2 < 3 & `<b>`"), "2 < 3 & <b>");
  EXPECT_EQ(markdown_words(""), "");
}

TEST(Markdown, CodeIsReadByLines) {
  const std::string text = "Call it:\n\n```python\nx = 1\n\ny = x\n```\n\nthen\n\n```\nz\n```\n\nand `w`.";
  EXPECT_EQ(markdown_prose(text), "Call it. then and w.");
  EXPECT_EQ(markdown_code(text), (std::vector<std::string>{"x = 1", "", "y = x", "", "z"}));
  EXPECT_TRUE(markdown_code("no code, only `w`").empty());
}

TEST(Markdown, HtmlOfOthersIsLeftOut) {
  EXPECT_EQ(markdown_html("a <script>alert(1)</script> *b*").find("<script>"), std::string::npos);
  EXPECT_NE(markdown_html("*b*").find("<em>b</em>"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::markdown_test
