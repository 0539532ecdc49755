// SPDX-License-Identifier: Apache-2.0
// Products of whole numbers whose arrays lie on a mesh in any way, in any order of its axes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"
#include "tests/engine/session/drawn_cuts.h"

namespace shardscope::drawn_products_test {
namespace {

std::string product(uint32_t seed) {
  testing::Drawing drawn(seed);
  const int64_t g = drawn.draw(1, 8), m = drawn.draw(1, 16), k = drawn.draw(1, 16), n = drawn.draw(1, 16);
  if (drawn.draw(0, 1) == 0)
    return fmt::format(
        "HloModule m, num_partitions=8\nENTRY main {{\n  a = s32[{0},{1}] parameter(0){3}\n"
        "  b = s32[{1},{2}] parameter(1){4}\n  ROOT o = s32[{0},{2}] dot(a, b), lhs_contracting_dims={{1}}, "
        "rhs_contracting_dims={{0}}{5}\n}}\n",
        m, k, n, drawn.cut(2), drawn.cut(2), drawn.cut(2));
  return fmt::format(
      "HloModule m, num_partitions=8\nENTRY main {{\n  a = s32[{0},{1},{2}] parameter(0){4}\n"
      "  b = s32[{0},{2},{3}] parameter(1){5}\n  ROOT o = s32[{0},{1},{3}] dot(a, b), lhs_batch_dims={{0}}, "
      "rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{1}}{6}\n}}\n",
      g, m, k, n, drawn.cut(3), drawn.cut(3), drawn.cut(3));
}

TEST(DrawnProducts, AreTheSameHoweverTheirArraysAreCut) {
  const Workers workers;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    const std::string text = product(seed);
    const auto module = parse_program(text);
    ASSERT_TRUE(module.ok()) << module.error().text() << text;
    const auto made = partition(*module, {});
    ASSERT_TRUE(made.ok()) << made.error().text() << text;
    const auto proof = prove(*made, *module_arguments(*module, seed, workers), workers, {});
    ASSERT_TRUE(proof.ok()) << proof.error().text() << text;
    EXPECT_TRUE(proof->bit_equal) << "seed " << seed << ": " << text << print_program(*made->program);
  }
}

}  // namespace
}  // namespace shardscope::drawn_products_test
