// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/outline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/program/analysis/repeated_parts.h"
#include "engine/program/analysis/written_out.h"

namespace shardscope::outline_test {
namespace {

Program read(const std::string& text) {
  const auto program = parse_program(text);
  EXPECT_TRUE(program.ok()) << program.error().text();
  return *program;
}

// A line a node: "  layer_0–2 ×3 (6)".
std::string drawn(const Outline& outline) {
  std::string out;
  for (const OutlineNode& n : outline.nodes) {
    out += std::string(static_cast<size_t>(n.depth) * 2, ' ') + n.title;
    if (n.repeats > 1) out += fmt::format(" ×{}", n.repeats);
    out += fmt::format(" ({})\n", n.count);
  }
  return out;
}

std::string layers(int count, const std::string& last_shape = "f32[4]") {
  std::string text = "HloModule m\nENTRY main {\n  x0 = f32[4] parameter(0)\n";
  for (int l = 0; l < count; ++l) {
    const auto metadata = [&](const char* scope, const char* op) {
      return fmt::format("metadata={{op_name=\"jit(step)/layer_{}/{}{}\"}}", l, scope, op);
    };
    const std::string shape = l + 1 == count ? last_shape : "f32[4]";
    text += fmt::format("  a{} = f32[4] add(x{}, x{}), {}\n", l, l, l, metadata("attention/", "add"));
    if (shape != "f32[4]")
      text += fmt::format("  b{} = f32[8] concatenate(a{}, a{}), dimensions={{0}}, {}\n", l, l, l,
                          metadata("mlp/", "concatenate"));
    else
      text += fmt::format("  b{} = f32[4] multiply(a{}, a{}), {}\n", l, l, l, metadata("mlp/", "mul"));
    text += fmt::format("  x{} = {} negate(b{}), {}\n", l + 1, shape, l, metadata("", "neg"));
  }
  return text + fmt::format("  ROOT r = {} copy(x{})\n}}\n", last_shape, count);
}

TEST(Outline, LayersThatAreAlikeAreOne) {
  const Outline outline = outline_of(read(layers(126)));
  EXPECT_EQ(drawn(outline),
            "main (380)\n"
            "  jit(step) (378)\n"
            "    layer_0–125 ×126 (378)\n"
            "      attention (126)\n"
            "      mlp (126)\n");
  // The multiplication of the fourth layer.
  const OutlinePlace place = outline.places[1 + 3 * 3 + 1];
  EXPECT_EQ(place.repeat, 3);
  EXPECT_EQ(outline_path(outline, place.node), "jit(step)/layer_0–125 ×126/mlp");
}

TEST(Outline, ALayerOfItsOwnStructureStandsAlone) {
  const Outline outline = outline_of(read(layers(5, "f32[8]")));
  EXPECT_EQ(drawn(outline),
            "main (17)\n"
            "  jit(step) (15)\n"
            "    layer_0–3 ×4 (12)\n"
            "      attention (4)\n"
            "      mlp (4)\n"
            "    layer_4 (3)\n"
            "      attention (1)\n"
            "      mlp (1)\n");
}

TEST(Outline, EveryInstructionHasOnePlaceAndCountsOnce) {
  const Program program = read(layers(7, "f32[8]"));
  const Outline outline = outline_of(program);
  ASSERT_EQ(std::ssize(outline.places), program.instruction_count());
  std::vector<int32_t> counted(outline.nodes.size(), 0);
  for (int32_t i = 0; i < program.instruction_count(); ++i) {
    for (int32_t n = outline.places[static_cast<size_t>(i)].node; n >= 0;
         n = outline.nodes[static_cast<size_t>(n)].parent) {
      const OutlineNode& node = outline.nodes[static_cast<size_t>(n)];
      EXPECT_GE(i, node.first);
      EXPECT_LE(i, node.last);
      ++counted[static_cast<size_t>(n)];
    }
  }
  for (size_t n = 0; n < counted.size(); ++n) EXPECT_EQ(counted[n], outline.nodes[n].count);
}

// A compiled module has lost its names: its layers are found by what comes again.
TEST(Outline, StretchesThatRepeatAreFoundWithoutNames) {
  std::string text = "HloModule m\nENTRY main {\n  x0 = f32[4] parameter(0)\n  s = f32[4] sine(x0)\n";
  std::string last = "s";
  for (int l = 0; l < 20; ++l) {
    int k = 0;
    for (const char* op : {"negate", "exponential", "tanh", "cosine", "sqrt"}) {
      const std::string name = fmt::format("v{}_{}", l, k++);
      text += fmt::format("  {} = f32[4] {}({})\n", name, op, last);
      last = name;
    }
  }
  text += fmt::format("  ROOT r = f32[4] log({})\n}}\n", last);
  EXPECT_EQ(drawn(outline_of(read(text))), "main (103)\n  part ×20 (100)\n");
}

TEST(Outline, RoundsThatWereWrittenOutAreFolded) {
  const Program loop = read(R"(HloModule loop
body {
  s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[4] get-tuple-element(s), index=1
  twice = f32[4] add(x, x), metadata={op_name="jit(f)/while/body/double/add"}
  ROOT t = (s32[], f32[4]) tuple(next, twice)
}
condition {
  c = (s32[], f32[4]) parameter(0)
  at = s32[] get-tuple-element(c), index=0
  end = s32[] constant(6)
  ROOT more = pred[] compare(at, end), direction=LT
}
ENTRY main {
  a = f32[4] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[4]) tuple(zero, a)
  run = (s32[], f32[4]) while(init), condition=condition, body=body
  ROOT out = f32[4] get-tuple-element(run), index=1
}
)");
  const Outline whole = outline_of(loop);
  ASSERT_GE(whole.nodes.size(), 2U);
  EXPECT_EQ(whole.nodes[0].title, "main");  // the entry first, then what it runs
  const auto flat = written_out(loop);
  ASSERT_TRUE(flat.ok()) << flat.error().text();
  const std::string text = drawn(outline_of(*flat));
  EXPECT_NE(text.find("step 0–5 ×6"), std::string::npos) << text;
  EXPECT_NE(text.find("double (6)"), std::string::npos) << text;
}

TEST(RepeatedParts, AreApartAndInOrder) {
  std::vector<uint64_t> sequence = {9, 8, 7};
  for (int k = 0; k < 10; ++k) sequence.insert(sequence.end(), {1, 2, 3, 4, 5, 6});
  sequence.push_back(9);
  for (int k = 0; k < 4; ++k) sequence.insert(sequence.end(), {11, 12, 13, 14, 15});
  const std::vector<RepeatedPart> parts = repeated_parts(sequence);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0], (RepeatedPart{3, 6, 10}));
  EXPECT_EQ(parts[1], (RepeatedPart{64, 5, 4}));
  EXPECT_TRUE(repeated_parts({1, 2, 3}).empty());
}

}  // namespace
}  // namespace shardscope::outline_test
