// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/base/csv.h"
#include "engine/report/table.h"

namespace shardscope::table_text_test {
namespace {

TEST(TableText, ACellThatASpreadsheetWouldRunBeginsWithAnApostrophe) {
  EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
  EXPECT_EQ(csv_cell("@sum(a1)"), "'@sum(a1)");
  EXPECT_EQ(csv_cell("+cmd"), "'+cmd");
  EXPECT_EQ(csv_cell("-cmd,\"x\""), "\"'-cmd,\"\"x\"\"\"");
  EXPECT_EQ(csv_cell("-3.5e-6"), "-3.5e-6") << "a number is one";
  EXPECT_EQ(csv_cell("a=b"), "a=b");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
}

TEST(TableText, OneTableInThreeForms) {
  const TextTable table{{"name", "× best"}, {{"a_b & c|d", "1.5×"}, {"=x", "-2"}}, {false, true}};
  EXPECT_EQ(csv_table(table), "name,× best\na_b & c|d,1.5×\n'=x,-2\n");
  EXPECT_EQ(markdown_table(table),
            "| name | × best |\n| --- | ---: |\n| a_b & c\\|d | 1.5× |\n| =x | -2 |\n");
  EXPECT_EQ(latex_table(table),
            "\\begin{tabular}{lr}\n\\toprule\nname & $\\times$ best \\\\\n\\midrule\na\\_b \\& c\\textbar{}d "
            "& \\num{1.5}$\\times$ "
            "\\\\\n=x & -2 \\\\\n\\bottomrule\n\\end{tabular}\n");
}

TEST(TableText, ANumberWithAUnitIsOneOfSiunitx) {
  EXPECT_EQ(latex_cell("−3.02 µs"), "\\qty{-3.02}{\\micro\\second}");
  EXPECT_EQ(latex_cell("+1.00 ps"), "\\qty{+1.00}{\\pico\\second}");
  EXPECT_EQ(latex_cell("17.0 MiB"), "\\qty{17.0}{\\mebi\\byte}");
  EXPECT_EQ(latex_cell("37 %"), "\\qty{37}{\\percent}");
  for (const char* text : {"dot 3 s", "1.2.x", "–", "", "s", "12 steps"})
    EXPECT_EQ(latex_cell(text).find("qty"), std::string::npos) << text;
}

}  // namespace
}  // namespace shardscope::table_text_test
