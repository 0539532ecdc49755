// SPDX-License-Identifier: Apache-2.0
// What only modules have that XLA's compilers for TPUs and GPUs made: conversions that are not said, bitcasts
// between tiles, 64 bits in two arrays, memory, sums of the compiler's own, gradients of convolutions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/numerics/plan/plain_program.h"
#include "engine/numerics/rules/run_on_devices.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/layout.h"

namespace shardscope::compiled_calls_test {
namespace {

Result<Array> run(const std::string& header, const std::string& text, const std::vector<Array>& arguments) {
  TRY(const Program module, parse_program("HloModule m" + header + "\n" + text));
  std::vector<std::vector<Array>> by_device;
  for (const Array& argument : arguments)
    by_device.emplace_back(static_cast<size_t>(module.mesh.device_count()), argument);
  const Workers workers(2);
  TRY(auto leaves, run_on_devices(module, by_device, workers, {}));
  return leaves.front().front();
}

const std::string kScheduled = ", is_scheduled=true";

Array counted(std::vector<int64_t> dims, int64_t modulo = 7) {
  Array out = Array::allocate(ElementType::f32, std::move(dims));
  const auto values = out.mutable_as<float>();
  for (size_t k = 0; k < values.size(); ++k)
    values[k] = static_cast<float>(static_cast<int64_t>(k * 5 + 3) % modulo - modulo / 2);
  return out;
}

TEST(CompiledCalls, ScheduledModulesRoundWithoutSayingSo) {
  const std::string text =
      "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
      "ENTRY e { x = f32[2,3] parameter(0)\n c = bf16[2,3] copy(x)\n z = f32[] constant(0)\n"
      " p = bf16[2,4] pad(c, z), padding=0_0x0_1\n ROOT r = f32[2] reduce(p, z), dimensions={1}, "
      "to_apply=sum }\n";
  Array x = counted({2, 3});
  x.mutable_as<float>()[0] = 1.00390625F;  // halfway between two numbers of bf16
  const auto rounded = run(kScheduled, text, {x});
  ASSERT_TRUE(rounded.ok()) << rounded.error().text();
  EXPECT_EQ(rounded->at(0), 1 + x.at(1) + x.at(2));
  EXPECT_FALSE(run("", text, {x}).ok()) << "no compiler has scheduled it";
}

// Where an element of an array stands in memory, by the definition of tiles: each cuts the last dimensions.
int64_t place_in_memory(std::vector<int64_t> dims, std::vector<int64_t> at,
                        const std::vector<std::vector<int64_t>>& tiles) {
  for (const std::vector<int64_t>& tile : tiles) {
    std::vector<int64_t> rows, inner, next(at), sizes(dims);
    const size_t first = dims.size() - tile.size();
    for (size_t d = 0; d < tile.size(); ++d) {
      next[first + d] = at[first + d] / tile[d];
      sizes[first + d] = (dims[first + d] + tile[d] - 1) / tile[d];
      inner.push_back(at[first + d] % tile[d]);
    }
    next.insert(next.end(), inner.begin(), inner.end());
    sizes.insert(sizes.end(), tile.begin(), tile.end());
    at = next;
    dims = sizes;
  }
  int64_t place = 0;
  for (size_t d = 0; d < dims.size(); ++d) place = place * dims[d] + at[d];
  return place;
}

TEST(CompiledCalls, BitcastsBetweenTilesReadTheSameMemory) {
  // 30 rows in tiles of 8, as 8 blocks of 4 rows in tiles of 4: 32 rows, of which two fill up.
  const Array x = counted({30, 16}, 97);
  const auto made = run(kScheduled,
                        "ENTRY e { x = f32[30,16]{1,0:T(8,128)} parameter(0)\n"
                        " ROOT r = f32[8,4,16]{2,1,0:T(4,128)} bitcast(x) }\n",
                        {x});
  ASSERT_TRUE(made.ok()) << made.error().text();
  for (int64_t row = 0; row < 32; ++row)
    for (int64_t c = 0; c < 16; ++c)
      EXPECT_EQ(made->at(row * 16 + c), row < 30 ? x.at(row * 16 + c) : 0) << row;
  // bf16 lies in pairs of rows: (8,128) and (2,1); as one row of memory.
  const auto flat = run(kScheduled,
                        "ENTRY e { x = f32[5,3] parameter(0)\n"
                        " b = bf16[5,3]{1,0:T(8,128)(2,1)} convert(x)\n"
                        " f = bf16[1024]{0} bitcast(b)\n ROOT r = f32[1024] convert(f) }\n",
                        {counted({5, 3})});
  ASSERT_TRUE(flat.ok()) << flat.error().text();
  for (int64_t row = 0; row < 5; ++row)
    for (int64_t c = 0; c < 3; ++c)
      EXPECT_EQ(flat->at(place_in_memory({5, 3}, {row, c}, {{8, 128}, {2, 1}})),
                counted({5, 3}).at(row * 3 + c));
}

// As XLA:TPU sums whether all is finite on every device.
TEST(CompiledCalls, ATruthReadAsANumberIsZeroOrOne) {
  const auto made = run(kScheduled,
                        "ENTRY e { x = f32[4]{0:T(128)} parameter(0)\n z = f32[]{:T(128)} constant(0)\n"
                        " b = f32[4]{0:T(128)} broadcast(z), dimensions={}\n"
                        " c = pred[4]{0:T(512)} compare(x, b), direction=GT\n"
                        " u = u32[4]{0:T(128)} bitcast(c)\n ROOT r = f32[4]{0:T(128)} convert(u) }\n",
                        {counted({4})});
  ASSERT_TRUE(made.ok()) << made.error().text();
  for (int64_t k = 0; k < 4; ++k) EXPECT_EQ(made->at(k), counted({4}).at(k) > 0 ? 1 : 0) << k;
}

TEST(CompiledCalls, LayoutsSayWhatAnArrayTakes) {
  const auto bytes = [](const char* text) { return stored_bytes(*Shape::parse(text)); };
  EXPECT_EQ(bytes("f32[30,16]{1,0:T(8,128)}"), 32 * 128 * 4);
  EXPECT_EQ(bytes("f32[30,16]{0,1:T(8,128)S(1)}"), 16 * 128 * 4);
  EXPECT_EQ(bytes("bf16[5,3]{1,0:T(8,128)(2,1)}"), 8 * 128 * 2);
  EXPECT_EQ(bytes("s4[16]{0:E(4)}"), 8);
  EXPECT_EQ(bytes("(f32[2]{0:T(128)}, pred[]{:T(512)})"), 512 + 512);
  EXPECT_EQ(layout_of(*Shape::parse("f32[2]{0:T(128)S(5)}")).memory_space, 5);
}

// XLA:TPU writes products as convolutions: free dimensions of either side, batch and sums as space.
TEST(CompiledCalls, AProductWrittenAsAConvolutionHasItsFlops) {
  const auto program = parse_program(
      "HloModule m\nENTRY e { x = bf16[2,512,128,1] parameter(0)\n k = bf16[2,4,4096,512] parameter(1)\n"
      " ROOT r = bf16[2,128,4,4096] convolution(x, k), window={size=2x4 pad=0_0x3_3 lhs_dilate=2x1 "
      "rhs_reversal=0x1}, dim_labels=0fb1_01oi->0b1f }\n");
  ASSERT_TRUE(program.ok()) << program.error().text();
  const Computation& entry = program->entry_computation();
  const DotSize size = dot_size(entry, entry.root_instruction());
  EXPECT_EQ(size.batch, 2);
  EXPECT_EQ(size.m, 128);
  EXPECT_EQ(size.n, 4 * 4096);
  EXPECT_EQ(size.k, 512);
}

TEST(CompiledCalls, SixtyFourBitsAreTwoArrays) {
  const auto made =
      run(kScheduled,
          "ENTRY e { x = f32[4] parameter(0)\n i = s64[4] convert(x)\n k = s64[] constant(-5000000000)"
          "\n b = s64[4] broadcast(k), dimensions={}\n y = s64[4] multiply(i, b)\n"
          " l = u32[4] custom-call(y), custom_call_target=\"X64SplitLow\"\n"
          " h = u32[4] custom-call(y), custom_call_target=\"X64SplitHigh\"\n"
          " z = s64[4] custom-call(l, h), custom_call_target=\"X64Combine\"\n"
          " d = s64[4] divide(z, b)\n ROOT r = f32[4] convert(d) }\n",
          {counted({4})});
  ASSERT_TRUE(made.ok()) << made.error().text();
  for (int64_t k = 0; k < 4; ++k) EXPECT_EQ(made->at(k), counted({4}).at(k));
}

// Words of four predicates each, which lie a row of 128 apart: XLA:TPU packs them so.
TEST(CompiledCalls, PredicatesAndTheRoomOfTheirTileAreReadAsWords) {
  const auto made = run(kScheduled,
                        "ENTRY e { x = f32[200] parameter(0)\n z = f32[] constant(0)\n o = f32[200] "
                        "broadcast(z), dimensions={}\n"
                        " p = pred[200]{0:T(512)(128)(4,1)} compare(x, o), direction=GT\n"
                        " c = pred[512]{0:T(512)(128)(4,1)} custom-call(p), custom_call_target=\"ZeroCrop\"\n"
                        " w = u32[1,1,128]{2,1,0:T(1,128)} bitcast(c)\n ROOT r = f32[1,1,128] convert(w) }\n",
                        {counted({200})});
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Array x = counted({200});
  for (int64_t k = 0; k < 128; ++k) {
    const int64_t behind = k + 128 < 200 && x.at(k + 128) > 0 ? 1 : 0;
    EXPECT_EQ(made->at(k), (x.at(k) > 0 ? 1 : 0) + 256 * behind) << k;
  }
}

// Sums of two numbers that share a word, as XLA:TPU packs predicates.
TEST(CompiledCalls, ASumOfTheCompilersOwnIsFoldedOverTheGroup) {
  const auto made =
      run(kScheduled + ", num_partitions=4",
          "pair { a = u32[] parameter(0)\n b = u32[] parameter(1)\n m = u32[] constant(15)\n"
          " l = u32[] add(a, b)\n lm = u32[] and(l, m)\n h = u32[] or(a, b)\n n = u32[] constant(240)\n"
          " hn = u32[] and(h, n)\n ROOT r = u32[] or(lm, hn) }\n"
          "ENTRY e { x = f32[2] parameter(0)\n p = u32[] partition-id()\n one = u32[] constant(16)\n"
          " q = u32[] shift-left(one, p)\n i = u32[] constant(1)\n w = u32[] or(q, i)\n"
          " b = u32[2] broadcast(w), dimensions={}\n"
          " s = u32[2] all-reduce(b), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, "
          "to_apply=pair\n ROOT r = f32[2] convert(s) }\n",
          {counted({2})});
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(made->at(0), 240 + 4);
}

TEST(CompiledCalls, MatricesAreInvertedAndSolvedFor) {
  const auto made = run(kScheduled,
                        "ENTRY e { x = f32[1,2,2] parameter(0)\n"
                        " ROOT r = f32[1,2,2] custom-call(x), "
                        "custom_call_target=\"InvertDiagBlocksLowerTriangular\" }\n",
                        {[] {
                          Array a = counted({1, 2, 2});
                          const auto v = a.mutable_as<float>();
                          v[0] = 2, v[1] = 0, v[2] = 1, v[3] = 4;
                          return a;
                        }()});
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(made->at(0), 0.5);
  EXPECT_EQ(made->at(2), -0.125);
  EXPECT_EQ(made->at(3), 0.25);
}

double product_of(const Array& a, const Array& b) {
  double sum = 0;
  for (int64_t k = 0; k < a.element_count(); ++k) sum += a.at(k) * b.at(k);
  return sum;
}

// y = x ∗ k is linear in both, so ⟨y, g⟩ = ⟨x, gradient of x⟩ = ⟨k, gradient of k⟩, exactly for small
// integers.
TEST(CompiledCalls, GradientsOfCudnnsConvolutionsAreAdjoint) {
  struct Case {
    std::string window;
    int64_t out;
  };
  for (const Case& c :
       {Case{"size=3x3 pad=1_1x1_1", 7}, Case{"size=3x3", 5}, Case{"size=3x3 stride=2x2 pad=1_1x1_1", 4},
        Case{"size=3x3 pad=2_2x2_2 rhs_dilate=2x2", 7}}) {
    const auto call = [&](const char* target, const std::string& result, const std::string& a,
                          const std::string& b, const std::vector<Array>& arguments) {
      return run(kScheduled,
                 fmt::format("ENTRY e {{ a = f32[{}] parameter(0)\n b = f32[{}] parameter(1)\n"
                             " c = (f32[{}], u8[0]) custom-call(a, b), window={{{}}}, "
                             "dim_labels=b01f_o01i->b01f, custom_call_target=\"__cudnn$conv{}\", "
                             "backend_config={{\"cudnn_conv_backend_config\":{{\"conv_result_scale\":1,"
                             "\"side_input_scale\":0,\"activation_mode\":\"kNone\"}}}}\n"
                             " ROOT r = f32[{}] get-tuple-element(c), index=0 }}\n",
                             a, b, result, c.window, target, result),
                 arguments);
    };
    const std::string of_x = "2,7,7,3", of_k = "4,3,3,3", of_y = fmt::format("2,{0},{0},4", c.out);
    const Array x = counted({2, 7, 7, 3}), k = counted({4, 3, 3, 3}, 5), g = counted({2, c.out, c.out, 4}, 3);
    const auto y = call("Forward", of_y, of_x, of_k, {x, k});
    const auto dx = call("BackwardInput", of_x, of_y, of_k, {g, k});
    const auto dk = call("BackwardFilter", of_k, of_x, of_y, {x, g});
    ASSERT_TRUE(y.ok() && dx.ok() && dk.ok())
        << c.window << (y.ok() ? "" : y.error().text()) << (dx.ok() ? "" : dx.error().text())
        << (dk.ok() ? "" : dk.error().text());
    EXPECT_EQ(product_of(*y, g), product_of(x, *dx)) << c.window;
    EXPECT_EQ(product_of(*y, g), product_of(k, *dk)) << c.window;
  }
}

// Of each channel by itself, as cuDNN labels it.
TEST(CompiledCalls, TheGradientOfADepthwiseKernelIsAdjoint) {
  const auto call = [](const char* target, const std::string& result, const std::string& a,
                       const std::string& b, const std::vector<Array>& arguments) {
    return run(kScheduled,
               fmt::format("ENTRY e {{ a = f32[{}] parameter(0)\n b = f32[{}] parameter(1)\n"
                           " c = (f32[{}], u8[0]) custom-call(a, b), window={{size=3x3 pad=1_1x1_1}}, "
                           "dim_labels=b01f_o01i->b01f, feature_group_count=4, "
                           "custom_call_target=\"__cudnn$conv{}\"\n"
                           " ROOT r = f32[{}] get-tuple-element(c), index=0 }}\n",
                           a, b, result, target, result),
               arguments);
  };
  const Array x = counted({2, 5, 5, 4}), k = counted({8, 3, 3, 1}, 5), g = counted({2, 5, 5, 8}, 3);
  const auto y = call("Forward", "2,5,5,8", "2,5,5,4", "8,3,3,1", {x, k});
  const auto dk = call("BackwardFilter", "8,3,3,1", "2,5,5,4", "2,5,5,8", {x, g});
  ASSERT_TRUE(y.ok() && dk.ok()) << (y.ok() ? dk.error().text() : y.error().text());
  EXPECT_EQ(product_of(*y, g), product_of(k, *dk));
}

TEST(CompiledCalls, CublasMultipliesComplexNumbers) {
  const auto made =
      run(kScheduled,
          "ENTRY e { x = f32[2,3] parameter(0)\n y = f32[3,2] parameter(1)\n"
          " a = c64[2,3] complex(x, x)\n yt = f32[3,2] negate(y)\n b = c64[3,2] complex(y, yt)\n"
          " c = (c64[2,2], s8[64]) custom-call(a, b), custom_call_target=\"__cublas$lt$matmul\", "
          "backend_config={\"gemm_backend_config\":{\"alpha_real\":1,\"alpha_imag\":0,\"beta\":0,"
          "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
          "\"rhs_contracting_dimensions\":[\"0\"],\"lhs_batch_dimensions\":[],\"rhs_batch_dimensions\":[]},"
          "\"epilogue\":\"DEFAULT\"}}\n"
          " p = c64[2,2] get-tuple-element(c), index=0\n r = f32[2,2] real(p)\n i = f32[2,2] imag(p)\n"
          " ROOT d = f32[2,2] subtract(r, i) }\n",
          {counted({2, 3}), counted({3, 2}, 5)});
  ASSERT_TRUE(made.ok()) << made.error().text();
  // (x + ix)(y − iy) = 2xy.
  const Array x = counted({2, 3}), y = counted({3, 2}, 5);
  for (int64_t r = 0; r < 2; ++r)
    for (int64_t c = 0; c < 2; ++c) {
      double sum = 0;
      for (int64_t k = 0; k < 3; ++k) sum += 2 * x.at(r * 3 + k) * y.at(k * 2 + c);
      EXPECT_EQ(made->at(r * 2 + c), sum);
    }
}

std::vector<std::string> collectives_of(const Program& program) {
  std::vector<std::string> out;
  for (const Instruction& i : program.entry_computation().instructions)
    if (is_collective(i.opcode)) out.emplace_back(opcode_text(i.opcode));
  return out;
}

TEST(CompiledCalls, CollectivesInFusionsAreTimedOnceAndBesideWhatTheyRunBeside) {
  const auto program = parse_program(
      "HloModule m, is_scheduled=true, num_partitions=4\n"
      "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
      "start { p = f32[4,8] parameter(0)\n g = f32[16,8] all-gather(p), channel_id=3, "
      "replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true\n"
      " ROOT c = (f32[4,8], f32[16,8], u32[]) custom-call(g), custom_call_target=\"AsyncCollectiveStart\" }\n"
      "middle { p = f32[4,8] parameter(0)\n o = f32[16,8] parameter(1)\n u = u32[] parameter(2)\n"
      " a = f32[8,8] parameter(3)\n d = f32[8,8] dot(a, a), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n g = f32[16,8] all-gather(p), channel_id=3, replica_groups={{0,1,2,3}}, "
      "dimensions={0}, use_global_device_ids=true\n"
      " ROOT t = (f32[8,8], f32[4,8], f32[16,8], u32[]) tuple(d, p, g, u) }\n"
      "done { p = f32[4,8] parameter(0)\n o = f32[16,8] parameter(1)\n u = u32[] parameter(2)\n"
      " g = f32[16,8] all-gather(p), channel_id=3, replica_groups={{0,1,2,3}}, dimensions={0}, "
      "use_global_device_ids=true\n"
      " ROOT c = f32[16,8] custom-call(p, o, g, u), custom_call_target=\"AsyncCollectiveDone\" }\n"
      "all-reduce-scatter { p = f32[16,8] parameter(0)\n r = f32[16,8] all-reduce(p), channel_id=4, "
      "replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add\n i = u32[] partition-id()\n"
      " n = u32[] constant(4)\n m = u32[] multiply(i, n)\n z = u32[] constant(0)\n"
      " ROOT s = f32[4,8] dynamic-slice(r, m, z), dynamic_slice_sizes={4,8} }\n"
      "ENTRY e { x = f32[4,8] parameter(0)\n a = f32[8,8] parameter(1)\n"
      " s = (f32[4,8], f32[16,8], u32[]) fusion(x), kind=kCustom, calls=start\n"
      " s0 = f32[4,8] get-tuple-element(s), index=0\n s1 = f32[16,8] get-tuple-element(s), index=1\n"
      " s2 = u32[] get-tuple-element(s), index=2\n"
      " f = (f32[8,8], f32[4,8], f32[16,8], u32[]) fusion(s0, s1, s2, a), kind=kCustom, calls=middle\n"
      " f1 = f32[4,8] get-tuple-element(f), index=1\n f2 = f32[16,8] get-tuple-element(f), index=2\n"
      " f3 = u32[] get-tuple-element(f), index=3\n"
      " d = f32[16,8] fusion(f1, f2, f3), kind=kCustom, calls=done\n"
      " f0 = f32[8,8] get-tuple-element(f), index=0\n"
      " k = f32[4,8] fusion(d), kind=kCustom, calls=all-reduce-scatter\n"
      " ROOT t = (f32[4,8], f32[8,8]) tuple(k, f0) }\n");
  ASSERT_TRUE(program.ok()) << program.error().text();
  const auto plain = plain_program(*program, PlainFor::time);
  ASSERT_TRUE(plain);
  EXPECT_EQ(collectives_of(*plain), (std::vector<std::string>{"all-gather", "reduce-scatter"}));
  const std::vector<Instruction>& all = plain->entry_computation().instructions;
  const auto gather = std::ranges::find(all, Opcode::all_gather, &Instruction::opcode);
  const auto product = std::ranges::find(all, Opcode::fusion, &Instruction::opcode);
  ASSERT_NE(product, all.end());
  const auto id = [&](auto at) { return InstructionId(at - all.begin()); };
  EXPECT_LT(id(gather).value, id(product).value);
  EXPECT_EQ(std::ranges::count(product->operands, id(gather)), 0) << "the product waits for nothing of it";
}

}  // namespace
}  // namespace shardscope::compiled_calls_test
