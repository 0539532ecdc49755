// SPDX-License-Identifier: Apache-2.0
// Convolutions on cut images, proved.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"

namespace shardscope::convolution_rules_test {
namespace {

struct ConvolutionCase {
  std::string image, kernel, out;  // shardings, "" for none
  std::string window = "{size=3x3 pad=1_1x1_1}";
  std::vector<int64_t> shape = {4, 10, 8, 6};  // of the result
  std::string more = "";
};

// image[4,10,8,4] (batch, rows, columns, features) with kernel[3,3,4,6].
std::vector<std::string> convolved(const ConvolutionCase& c) {
  const auto cut = [](const std::string& s) { return s.empty() ? "" : ", sharding={devices=" + s + "}"; };
  const int64_t per_group = c.more.empty() ? 4 : 2;
  const auto module = parse_program(fmt::format(
      "HloModule m\nENTRY main {{\n  image = f32[4,10,8,4] parameter(0){}\n"
      "  kernel = f32[3,3,{},6] parameter(1){}\n  ROOT out = f32[{}] convolution(image, kernel), window={}, "
      "dim_labels=b01f_01io->b01f{}{}\n}}\n",
      cut(c.image), per_group, cut(c.kernel), fmt::join(c.shape, ","), c.window, c.more, cut(c.out)));
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return {};
  const auto made = partition(*module, {});
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  if (!made.ok()) return {};
  const Workers workers;
  const auto proof = prove(*made, *module_arguments(*module, 4, workers), workers, {});
  EXPECT_TRUE(proof.ok()) << (proof.ok() ? "" : proof.error().text());
  if (proof.ok()) {
    EXPECT_TRUE(proof->bit_equal) << print_program(*made->program);
  }
  std::vector<std::string> out;
  for (const CollectiveOrigin& o : made->collectives) out.push_back(o.name.substr(0, o.name.find('.')));
  return out;
}

using Collectives = std::vector<std::string>;

TEST(ConvolutionRules, ABatchThatIsCutNeedsNothing) {
  EXPECT_EQ(convolved({"[4,1,1,1]<=[4]", "", "[4,1,1,1]<=[4]"}), Collectives{});
}

TEST(ConvolutionRules, FeaturesAreCutAsInAProduct) {
  EXPECT_EQ(convolved({"", "[1,1,1,2]<=[2]", "[1,1,1,2]<=[2]"}), Collectives{});
  EXPECT_EQ(convolved({"[1,1,1,2]<=[2]", "[1,1,2,1]<=[2]", ""}), Collectives{"all-reduce"});
}

TEST(ConvolutionRules, RowsOfTheImageComeFromTheNeighbours) {
  const Collectives halo{"collective-permute", "collective-permute"};
  EXPECT_EQ(convolved({"[1,2,1,1]<=[2]", "", "[1,2,1,1]<=[2]"}), halo);
  EXPECT_EQ(convolved({"[1,4,1,1]<=[4]", "", "[1,4,1,1]<=[4]"}), halo);  // 10 rows on 4 devices
  EXPECT_EQ(convolved({"[2,2,1,1]<=[4]", "", "[2,2,1,1]<=[4]"}), halo);
  EXPECT_EQ(convolved({"[1,2,2,1]<=[4]", "", "[1,2,2,1]<=[4]"}).size(), 4U);
}

TEST(ConvolutionRules, StridesDilationsAndReversedKernels) {
  convolved({"[1,4,1,1]<=[4]", "", "[1,4,1,1]<=[4]", "{size=3x3 stride=2x1 pad=1_1x1_1}", {4, 5, 8, 6}});
  convolved({"[1,4,1,1]<=[4]", "", "[1,4,1,1]<=[4]", "{size=3x3 pad=2_2x1_1 rhs_dilate=2x1}"});
  convolved({"[1,4,1,1]<=[4]", "", "[1,4,1,1]<=[4]", "{size=3x3 pad=1_1x1_1 rhs_reversal=1x1}"});
  convolved({"[1,4,1,1]<=[4]", "", "[1,4,1,1]<=[4]", "{size=3x3 pad=0_0x1_1}", {4, 8, 8, 6}});
  convolved({"[1,2,1,1]<=[2]", "", "[1,2,1,1]<=[2]", "{size=3x3 pad=1_1x1_1 lhs_dilate=2x1}", {4, 19, 8, 6}});
}

TEST(ConvolutionRules, GroupsOfFeaturesStayTogether) {
  EXPECT_EQ(convolved({"[4,1,1,1]<=[4]",
                       "",
                       "[4,1,1,1]<=[4]",
                       "{size=3x3 pad=1_1x1_1}",
                       {4, 10, 8, 6},
                       ", feature_group_count=2"}),
            Collectives{});
}

}  // namespace
}  // namespace shardscope::convolution_rules_test
