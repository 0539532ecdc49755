// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/points.h"

#include <gtest/gtest.h>
#include <set>

#include "engine/measure/predict.h"

namespace shardscope::points_test {
namespace {

const std::string kHeader = "id,source,chip,devices,topology,op,m,k,n,bytes,dtype,measured_us,note\n";

std::string error_of(const std::string& lines) {
  const auto points = parse_points(lines, "f.csv");
  return points.ok() ? "" : points.error().text();
}
std::string error_of_line(const std::string& line) {
  return error_of(kHeader + line);
}

TEST(Points, built_in_ones_are_all_read_with_their_groups) {
  const std::vector<MeasuredPoint>& points = published_points();
  EXPECT_EQ(points.size(), 1367U + 187U + 320U + 18U);
  std::set<std::string> groups, unknown;
  for (const MeasuredPoint& point : points) {
    if (point.kind == PointKind::unknown) unknown.insert(point.op);
    if (point.chip == "h100") groups.insert(group_of(point));
  }
  EXPECT_EQ(unknown, (std::set<std::string>{"jit matmul", "matmul (Pallas 512x1024x1024)",
                                            "matmul (torch._int_mm)", "matmul (torch._scaled_mm)"}));
  EXPECT_EQ(groups, (std::set<std::string>{"matmul", "all-gather 2", "all-gather 4", "all-gather 8",
                                           "all-reduce 2", "all-reduce 4", "all-reduce 8", "all-to-all 2",
                                           "all-to-all 4", "all-to-all 8", "collective-permute",
                                           "reduce-scatter 2", "reduce-scatter 4", "reduce-scatter 8"}));
}

TEST(Points, a_batch_and_groups_are_read_from_their_words) {
  const auto points =
      parse_points(kHeader + "p1,s,h100,1,one device,matmul batch 4,64,128,256,,bf16,12.5,\n" +
                       "p2,s,h100,8,\"switch 8, 2 groups of 4\",all-reduce,,,,4096,f32,30,\"a, b\"\n" +
                       "p3,s,h100,8,switch 8,collective-permute ring shift,,,,4096,f32,30,\n",
                   "f.csv");
  ASSERT_TRUE(points.ok()) << points.error().text();
  EXPECT_EQ((*points)[0].size.batch, 4);
  EXPECT_EQ(size_of((*points)[0]), 2.0 * 4 * 64 * 128 * 256);
  EXPECT_EQ(what_of((*points)[0]), "4 × 64×128×256 bf16");
  EXPECT_DOUBLE_EQ((*points)[0].measured_s, 12.5e-6);
  EXPECT_EQ((*points)[1].group, 4);
  EXPECT_EQ((*points)[1].note, "a, b");
  EXPECT_EQ(group_of((*points)[1]), "all-reduce 4");
  EXPECT_EQ(group_of((*points)[2]), "collective-permute");
}

// What a product reads takes the place of what the cache has to write back: half of the cache at most.
TEST(Points, a_cold_cache_that_was_written_to_is_written_back) {
  const auto points =
      parse_points(kHeader + "a,s,h200,1,one device,matmul,64,4096,2560,,bf16,9,\"events, cold L2\"\n" +
                       "b,s,h200,1,one device,matmul,64,4096,2560,,bf16,9,\n",
                   "f.csv");
  ASSERT_TRUE(points.ok()) << points.error().text();
  EXPECT_TRUE((*points)[0].cache_is_written);
  EXPECT_FALSE((*points)[1].cache_is_written);
  const Hardware chip = find_hardware("h200").value();
  const double more =
      predicted_seconds(chip, (*points)[0]).value() - predicted_seconds(chip, (*points)[1]).value();
  EXPECT_GT(more, 3e-6);
  EXPECT_LT(more, 2.0 * 4096 * (64 + 2560) / (0.9 * 4.8e12));
}

// Of these the column bytes counts products, slices, and heads of all sequences.
TEST(Points, several_products_slices_and_heads_are_counted) {
  const auto points =
      parse_points(kHeader + "a,s,h200,1,one device,batched_matmul,64,128,256,16,bf16,9,\n" +
                       "b,s,h200,1,one device,sliced_matmul,64,128,256,8,bf16,9,\n" +
                       "c,s,h200,1,one device,attention,512,128,512,32,bf16,9,causal flash\n" +
                       "d,s,h200,1,one device,reduce,,,,4096,bf16,9,\n",
                   "f.csv");
  ASSERT_TRUE(points.ok()) << points.error().text();
  EXPECT_EQ((*points)[0].size.batch, 16);
  EXPECT_EQ((*points)[1].slices, 8);
  EXPECT_EQ(group_of((*points)[1]), "sliced matmul");
  EXPECT_EQ((*points)[2].kind, PointKind::attention);
  EXPECT_TRUE((*points)[2].causal);
  EXPECT_EQ(size_of((*points)[2]), 2.0 * 32 * 512 * 128 * 512);
  EXPECT_EQ((*points)[3].kind, PointKind::elementwise);
  EXPECT_NE(error_of_line("e,s,h200,1,one device,sliced_matmul,64,100,256,8,bf16,9,\n").find("do not divide"),
            std::string::npos);
}

TEST(Points, columns_stand_in_any_order_and_others_are_passed_over) {
  const auto points = parse_points(
      "measured_us,who,chip,op,devices,topology,m,k,n,bytes,dtype\n7,me,x,gelu,1,,,,,64,f16\n", "f.csv");
  ASSERT_TRUE(points.ok()) << points.error().text();
  EXPECT_EQ((*points)[0].kind, PointKind::elementwise);
  EXPECT_EQ((*points)[0].bytes, 64);
}

TEST(Points, an_operation_without_a_rule_is_kept_as_unknown) {
  const auto points = parse_points(kHeader + "p,s,h100,1,one device,fft,,,,64,f32,3,\n", "f.csv");
  ASSERT_TRUE(points.ok()) << points.error().text();
  EXPECT_EQ((*points)[0].kind, PointKind::unknown);
}

TEST(Points, what_is_wrong_is_said_with_its_place) {
  EXPECT_EQ(error_of("").substr(0, 39), "no points: the file is empty; f.csv; it");
  EXPECT_EQ(error_of(kHeader), "no points: the file has its first line alone; f.csv");
  EXPECT_EQ(error_of("id,chip,op\n").substr(0, 38), "column 'devices' is missing; f.csv:1:1");
  EXPECT_EQ(error_of("op,op\n"), "column 'op' twice; f.csv:1:4");
  EXPECT_EQ(error_of_line("p,s,h100\n"), "3 cells in a line, the first line has 13; f.csv:2:1");
  EXPECT_EQ(error_of_line("p,s,,1,,gelu,,,,64,f16,1,\n"), "a point needs 'chip'; f.csv:2:5");
  EXPECT_EQ(error_of_line("p,s,h100,1,,matmul,8,,8,,bf16,1,\n"), "a product needs 'k'; f.csv:2:22");
  EXPECT_EQ(error_of_line("p,s,h100,1,,matmul,8,8,8,,,1,\n"),
            "a product needs 'dtype'; f.csv:2:27; bf16, f16, f32, …");
  EXPECT_EQ(error_of_line("p,s,h100,1,,matmul,8,8,8,,bf17,1,\n"),
            "unknown dtype 'bf17'; f.csv:2:27; use HLO's names, as bf16");
  EXPECT_EQ(error_of_line("p,s,h100,8,switch 8,all-reduce,,,,,f32,1,\n"),
            "all-reduce needs 'bytes'; f.csv:2:35");
  EXPECT_EQ(error_of_line("p,s,h100,1,one,all-reduce,,,,8,f32,1,\n"),
            "a collective needs at least 2 devices; f.csv:2:10");
  EXPECT_EQ(error_of_line("p,s,h100,8,\"switch 8, 3 groups of 4\",all-reduce,,,,8,f32,1,\n"),
            "the groups of 'switch 8, 3 groups of 4' are not 8 devices; f.csv:2:12; write it as switch 8, 2 "
            "groups of 4");
  for (const std::string bytes : {"0", "-8", "1.5", "1e3", "99999999999999999999", "x"})
    EXPECT_EQ(error_of_line("p,s,h100,1,,gelu,,,," + bytes + ",f16,1,\n"),
              "'bytes' must be a whole number from 1 to 1e+16, got '" + bytes + "'; f.csv:2:21");
  for (const std::string time : {"", "0", "-1", "nan", "inf", "1e300", "7 us"})
    EXPECT_EQ(error_of_line("p,s,h100,1,,gelu,,,,64,f16," + time + ",\n"),
              "'measured_us' must be a positive number of microseconds, got '" + time + "'; f.csv:2:28");
}

}  // namespace
}  // namespace shardscope::points_test
