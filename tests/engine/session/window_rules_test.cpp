// SPDX-License-Identifier: Apache-2.0
// Slices, pads, reversals and windows on dimensions that are cut, proved.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>

#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"
#include "tests/engine/session/drawn_cuts.h"

namespace shardscope::window_rules_test {
namespace {

// Collectives and the elements of what they make, in program order; the program computes the same bits as one
// device.
std::vector<std::string> proved(const std::string& text) {
  const auto module = parse_program(text);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text()) << text;
  if (!module.ok()) return {};
  const auto made = partition(*module, {});
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text()) << text;
  if (!made.ok()) return {};
  const Workers workers;
  const auto proof = prove(*made, *module_arguments(*module, 4, workers), workers, {});
  EXPECT_TRUE(proof.ok()) << (proof.ok() ? "" : proof.error().text()) << text;
  if (proof.ok()) {
    EXPECT_TRUE(proof->bit_equal) << text << print_program(*made->program);
  }
  std::vector<std::string> out;
  for (const Instruction& i : made->program->entry_computation().instructions)
    if (is_collective(i.opcode))
      out.push_back(fmt::format("{} {}", opcode_text(i.opcode), i.shape.element_count()));
  return out;
}

using Collectives = std::vector<std::string>;
constexpr const char* kAdded =
    "sum {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n  ROOT c = {0}[] add(a, b)\n}}\n";
constexpr const char* kMost =
    "most {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n  ROOT c = pred[] compare(a, b), "
    "direction=GE\n}}\n";

// The numbers are those of XLA's partitioner (jaxlib 0.10.2).

// The gradient of a max pool: windows that reach over the edge of a tile are done on both sides of it.
TEST(WindowRules, GradientsOfPoolsTakeRowsOfTheNeighbours) {
  const Collectives made = proved(fmt::format(
      "HloModule m\n{}{}ENTRY main {{\n  x = f32[2,17] parameter(0), sharding={{devices=[1,4]<=[4]}}\n  s = "
      "f32[2,8] parameter(1), sharding={{devices=[1,4]<=[4]}}\n  z = f32[] constant(0)\n  ROOT r = f32[2,17] "
      "select-and-scatter(x, s, z), window={{size=1x3 stride=1x2}}, select=most, scatter=sum, "
      "sharding={{devices=[1,4]<=[4]}}\n}}\n",
      fmt::format(kAdded, "f32"), fmt::format(kMost, "f32")));
  EXPECT_EQ(made, Collectives(3, "collective-permute 4"));
}

TEST(WindowRules, SpreadRowsComeFromTheNeighbours) {
  const auto padded = [](int64_t from, const std::string& padding, int64_t to) {
    return proved(fmt::format(
        "HloModule m\nENTRY main {{\n  x = s32[{}] parameter(0), sharding={{devices=[4]<=[4]}}\n  z = s32[] "
        "constant(7)\n  ROOT r = s32[{}] pad(x, z), padding={}, sharding={{devices=[4]<=[4]}}\n}}\n",
        from, to, padding));
  };
  EXPECT_EQ(padded(4, "1_0_1", 8), Collectives{});
  EXPECT_EQ(padded(8, "1_1_1", 17), Collectives{"collective-permute 1"});
}

// 10 rows in 8 tiles of 2 become 4 of 3: rows move on first, so that a tile begins where a coarser one does.
TEST(WindowRules, TilesThatDoNotNestMoveRowsOnBeforeTheyAreGathered) {
  const Collectives made = proved(
      "HloModule m\nENTRY main {\n  x = s32[10] parameter(0), sharding={devices=[8]<=[8]}\n  ROOT y = "
      "s32[10] "
      "copy(x), sharding={devices=[4,2]<=[8] last_tile_dim_replicate}\n}\n");
  ASSERT_FALSE(made.empty());
  EXPECT_EQ(made.back(), "all-gather 4");
  const Collectives back = proved(
      "HloModule m\nENTRY main {\n  x = s32[10] parameter(0), sharding={devices=[4,2]<=[8] "
      "last_tile_dim_replicate}\n  ROOT y = s32[10] copy(x), sharding={devices=[8]<=[8]}\n}\n");
  for (const std::string& one : back) EXPECT_TRUE(one.starts_with("collective-permute")) << one;
}

TEST(WindowRules, UnevenRowsLoseADimensionOfOneElementForNothing) {
  EXPECT_EQ(
      proved("HloModule m\nENTRY main {\n  x = s32[1,10] parameter(0), sharding={devices=[1,4]<=[4]}\n  "
             "ROOT y = s32[10] reshape(x), sharding={devices=[4]<=[4]}\n}\n"),
      Collectives{});
  EXPECT_EQ(proved("HloModule m\nENTRY main {\n  x = s32[10] parameter(0), sharding={devices=[4]<=[4]}\n  "
                   "ROOT y = s32[1,10,1] reshape(x), sharding={devices=[1,4,1]<=[4]}\n}\n"),
            Collectives{});
}

// A row in front and one less behind: rows move once.
TEST(WindowRules, ASliceOfPaddedRowsIsThePaddingThatIsLeft) {
  EXPECT_EQ(
      proved("HloModule m\nENTRY main {\n  x = s32[16] parameter(0), sharding={devices=[4]<=[4]}\n  z = "
             "s32[] constant(7)\n  p = s32[17] pad(x, z), padding=1_0, sharding={devices=[4]<=[4]}\n  ROOT "
             "r = s32[16] slice(p), slice={[0:16]}, sharding={devices=[4]<=[4]}\n}\n"),
      Collectives{"collective-permute 1"});
}

// What was whole before it was cut is whole again without being sent.
TEST(WindowRules, AnArrayThatWasWholeIsNotGathered) {
  EXPECT_EQ(
      proved("HloModule m\nENTRY main {\n  x = s32[8] parameter(0), sharding={devices=[4]<=[4]}\n  y = "
             "s32[16] concatenate(x, x), dimensions={0}, sharding={devices=[4]<=[4]}\n  ROOT z = s32[16] "
             "copy(y), sharding={replicated}\n}\n"),
      Collectives{"all-gather 8"});
}

// Both slices need it whole, on devices that stand otherwise in their results.
TEST(WindowRules, AWholeArrayIsGatheredOnce) {
  EXPECT_EQ(
      proved("HloModule m\nENTRY main {\n  x = s32[8,6] parameter(0), sharding={devices=[2,2]<=[4]}\n  i = "
             "s32[] parameter(1)\n  a = s32[4,4] dynamic-slice(x, i, i), dynamic_slice_sizes={4,4}, "
             "sharding={devices=[2,2]<=[4]}\n  b = s32[4,4] dynamic-slice(x, i, i), "
             "dynamic_slice_sizes={4,4}, sharding={devices=[2,2]<=[2,2]T(1,0)}\n  ROOT t = (s32[4,4], "
             "s32[4,4]) tuple(a, b)\n}\n")
          .size(),
      2U);
}

// An operation over windows: sizes, windows and shardings by a seed.
class DrawnWindows {
 public:
  explicit DrawnWindows(uint32_t seed) : random_(seed) {}

  std::optional<std::string> text() {
    const int64_t rank = draw(1, 3);
    for (int64_t d = 0; d < rank; ++d) dims_.push_back(draw(1, 20));
    switch (draw(0, 4)) {
      case 0:
        return slice();
      case 1:
        return pad();
      case 2:
        return reverse();
      case 3:
        return reduce_window();
      default:
        return select_and_scatter();
    }
  }

 private:
  int64_t draw(int64_t low, int64_t high) { return random_.draw(low, high); }
  std::string cut() { return random_.cut(dims_.size()); }
  static std::string shape(const std::vector<int64_t>& dims) {
    return fmt::format("{}", fmt::join(dims, ","));
  }
  // `parts` of all dimensions.
  static std::string by_dim(const std::vector<std::string>& parts, const char* between) {
    return fmt::format("{}", fmt::join(parts, between));
  }

  std::string module(const std::string& type, const std::string& more, const std::string& computations = "") {
    return fmt::format(
        "HloModule m, num_partitions=8\n{}ENTRY main {{\n  x = {}[{}] parameter(0){}\n  z = {}[] "
        "constant(3)\n{}}}\n",
        computations, type, shape(dims_), cut(), type, more);
  }

  std::optional<std::string> slice() {
    std::vector<int64_t> out;
    std::vector<std::string> parts;
    for (const int64_t n : dims_) {
      const int64_t start = draw(0, n - 1), limit = draw(start + 1, n), stride = draw(1, 3);
      out.push_back((limit - start + stride - 1) / stride);
      parts.push_back(fmt::format("[{}:{}:{}]", start, limit, stride));
    }
    return module("s32", fmt::format("  ROOT r = s32[{}] slice(x), slice={{{}}}{}\n", shape(out),
                                     by_dim(parts, ", "), cut()));
  }

  std::optional<std::string> pad() {
    std::vector<int64_t> out;
    std::vector<std::string> parts;
    for (const int64_t n : dims_) {
      const int64_t low = draw(-2, 4), high = draw(-2, 4), inside = draw(0, 2);
      out.push_back(low + n + (n - 1) * inside + high);
      if (out.back() <= 0) return std::nullopt;
      parts.push_back(fmt::format("{}_{}_{}", low, high, inside));
    }
    return module("s32", fmt::format("  ROOT r = s32[{}] pad(x, z), padding={}{}\n", shape(out),
                                     by_dim(parts, "x"), cut()));
  }

  std::optional<std::string> reverse() {
    std::vector<std::string> turned;
    for (size_t d = 0; d < dims_.size(); ++d)
      if (draw(0, 1) == 1) turned.push_back(std::to_string(d));
    return module("s32", fmt::format("  ROOT r = s32[{}] reverse(x), dimensions={{{}}}{}\n", shape(dims_),
                                     by_dim(turned, ","), cut()));
  }

  // A window, and how many places it has along each dimension; none: it does not fit.
  std::optional<std::string> window(bool dilated, std::vector<int64_t>& places) {
    std::vector<std::string> size, stride, padding, base, apart;
    for (const int64_t n : dims_) {
      const int64_t w = draw(1, 4), step = draw(1, 3), low = draw(0, 3), high = draw(0, 3);
      const int64_t gaps = dilated ? draw(1, 3) : 1, far = dilated ? draw(1, 2) : 1;
      const int64_t room = low + (n - 1) * gaps + 1 + high - ((w - 1) * far + 1);
      if (room < 0) return std::nullopt;
      places.push_back(room / step + 1);
      size.push_back(std::to_string(w));
      stride.push_back(std::to_string(step));
      padding.push_back(fmt::format("{}_{}", low, high));
      base.push_back(std::to_string(gaps));
      apart.push_back(std::to_string(far));
    }
    return fmt::format("window={{size={} stride={} pad={} lhs_dilate={} rhs_dilate={}}}", by_dim(size, "x"),
                       by_dim(stride, "x"), by_dim(padding, "x"), by_dim(base, "x"), by_dim(apart, "x"));
  }

  std::optional<std::string> reduce_window() {
    std::vector<int64_t> out;
    const auto over = window(true, out);
    if (!over) return std::nullopt;
    return module(
        "s32",
        fmt::format("  ROOT r = s32[{}] reduce-window(x, z), {}, to_apply=sum{}\n", shape(out), *over, cut()),
        fmt::format(kAdded, "s32"));
  }

  std::optional<std::string> select_and_scatter() {
    std::vector<int64_t> out;
    const auto over = window(false, out);
    if (!over) return std::nullopt;
    const std::string type = draw(0, 3) == 0 ? "s32" : "f32";
    return module(
        type,
        fmt::format("  s = {0}[{1}] parameter(1){2}\n  ROOT r = {0}[{3}] select-and-scatter(x, s, z), "
                    "{4}, select=most, scatter=sum{5}\n",
                    type, shape(out), cut(), shape(dims_), *over, cut()),
        fmt::format(kAdded, type) + fmt::format(kMost, type));
  }

  testing::Drawing random_;
  std::vector<int64_t> dims_;
};

TEST(WindowRules, AnyWindowsMakeTheSameHoweverTheyAreCut) {
  int done = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    const auto text = DrawnWindows(seed).text();
    if (!text) continue;
    proved(*text);
    ++done;
  }
  EXPECT_GT(done, 350);
}

}  // namespace
}  // namespace shardscope::window_rules_test
