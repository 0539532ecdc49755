// SPDX-License-Identifier: Apache-2.0
// Convolutions on cut images, proved.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>

#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"
#include "tests/engine/session/drawn_cuts.h"

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

// Where rows and features of the result are cut XLA's partitioner (jaxlib 0.10.2) adds up copies of the same
// sum.
TEST(ConvolutionRules, RowsAndFeaturesAreCutAtOnce) {
  EXPECT_EQ(convolved({"[2,2,1,1,2]<=[8] last_tile_dim_replicate",
                       "[1,1,1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate", "[2,2,1,2]<=[8]"}),
            (Collectives{"collective-permute", "collective-permute"}));
}

// A convolution of whole numbers: sizes, window, groups and the three shardings by a seed.
class DrawnConvolution {
 public:
  explicit DrawnConvolution(uint32_t seed) : random_(seed) {}

  std::optional<std::string> text() {
    const auto draw = [&](int64_t low, int64_t high) { return random_.draw(low, high); };
    const auto cut = [&](size_t rank) { return random_.cut(rank); };
    const int64_t spaces = draw(1, 2), groups = draw(0, 3) == 0 ? draw(2, 4) : 1;
    const bool of_batch = groups > 1 && draw(0, 1) == 1;
    const int64_t batch = draw(1, 4) * (of_batch ? groups : 1), per_group = draw(1, 4);
    std::vector<int64_t> image{batch, per_group * (of_batch ? 1 : groups)},
        kernel{per_group, groups * draw(1, 3)};
    std::vector<int64_t> result{of_batch ? batch / groups : batch, kernel[1]};
    std::string size, stride, pad, base, window, reversed;
    for (int64_t s = 0; s < spaces; ++s) {
      // As many places in a window as the image has, or few.
      const int64_t rows = draw(1, 12), places = draw(0, 2) == 0 ? rows : draw(1, 4);
      const int64_t steps = draw(1, 3), gaps = draw(0, 3) == 0 ? 2 : 1, apart = draw(0, 3) == 0 ? 2 : 1;
      const int64_t low = draw(0, 3), high = draw(0, 3);
      const int64_t padded = low + (rows - 1) * gaps + 1 + high, reach = (places - 1) * apart + 1;
      if (padded < reach) return std::nullopt;
      image.push_back(rows);
      kernel.push_back(places);
      result.push_back((padded - reach) / steps + 1);
      const std::string x = s == 0 ? "" : "x";
      size += fmt::format("{}{}", x, places);
      stride += fmt::format("{}{}", x, steps);
      pad += fmt::format("{}{}_{}", x, low, high);
      base += fmt::format("{}{}", x, gaps);
      window += fmt::format("{}{}", x, apart);
      reversed += fmt::format("{}{}", x, draw(0, 5) == 0 ? 1 : 0);
    }
    const std::string space = spaces == 1 ? "0" : "01";
    return fmt::format(
        "HloModule m, num_partitions=8\nENTRY main {{\n  image = s32[{}] parameter(0){}\n  kernel = s32[{}] "
        "parameter(1){}\n  ROOT out = s32[{}] convolution(image, kernel), window={{size={} stride={} pad={} "
        "lhs_dilate={} rhs_dilate={} rhs_reversal={}}}, dim_labels=bf{}_io{}->bf{}, {}={}{}\n}}\n",
        fmt::join(image, ","), cut(image.size()), fmt::join(kernel, ","), cut(kernel.size()),
        fmt::join(result, ","), size, stride, pad, base, window, reversed, space, space, space,
        of_batch ? "batch_group_count" : "feature_group_count", groups, cut(result.size()));
  }

 private:
  testing::Drawing random_;
};

TEST(ConvolutionRules, AnyConvolutionIsTheSameHoweverItIsCut) {
  const Workers workers;
  int proved = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const auto text = DrawnConvolution(seed).text();
    if (!text) continue;
    const auto module = parse_program(*text);
    ASSERT_TRUE(module.ok()) << module.error().text() << *text;
    const auto made = partition(*module, {});
    ASSERT_TRUE(made.ok()) << made.error().text() << *text;
    const auto proof = prove(*made, *module_arguments(*module, seed, workers), workers, {});
    ASSERT_TRUE(proof.ok()) << proof.error().text() << *text;
    EXPECT_TRUE(proof->bit_equal) << "seed " << seed << ": " << *text << print_program(*made->program);
    ++proved;
  }
  EXPECT_GT(proved, 300);
}

}  // namespace
}  // namespace shardscope::convolution_rules_test
