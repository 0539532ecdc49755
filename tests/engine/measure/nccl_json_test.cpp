// SPDX-License-Identifier: Apache-2.0
// What nccl-tests write with -J, and what newer ones print.
#include <gtest/gtest.h>

#include "tests/engine/measure/profile_files.h"

namespace shardscope::nccl_json_test {
namespace {

// As version 2.19 writes it, in one line; of a process's ranks the first is listed.
std::string output(const std::string& results, const std::string& devices = R"({"rank":0},{"rank":4})") {
  return R"({"version":3,"start_time":"2026-05-03 10:00:00","args":["./build/reduce_scatter_perf","-g","4"],)"
         R"("env":["A=\"busbw\"","HOME=\/root"],"nccl_version":22907,"config":{"nthreads":1,"ngpus":4,)"
         R"("minimum_bytes":8,"blocking_collectives":"false","devices":[)" +
         devices + R"(]},"results":[)" + results +
         R"(],"out_of_bounds":{"count":0,"okay":"true"},"errors":[],"end_time":"2026-05-03 10:00:09"})";
}

std::string result(const std::string& times) {
  return R"({"size":1048576,"count":262144,"type":"float","redop":"sum","root":"    -1",)" + times +
         R"(,"actual_iterations":20,"experiment_name":"x"})";
}

const std::string kBoth =
    result(R"("out_of_place":{"time":33.460000,"alg_bw":31.340000,"bus_bw":27.420000,"nwrong":0.000000},)"
           R"("out_of_place_per_iter":{"min_us":1.0,"times_us":[1.0,2.0]},)"
           R"("in_place":{"time":32.460000,"alg_bw":32.300000,"bus_bw":28.260000,"nwrong":null})");

TEST(NcclJson, IsReadAsWhatTheTestsPrint) {
  const auto trace = import_text(output(kBoth));
  ASSERT_TRUE(trace.ok()) << trace.error().text();
  EXPECT_EQ(trace->format, "nccl-tests");
  EXPECT_EQ(trace->devices, 8) << "two processes of four GPUs";
  ASSERT_EQ(trace->operations.size(), 2U);
  const MeasuredOperation& first = trace->operations[0];
  EXPECT_EQ(first.op, "reduce-scatter, out of place");
  EXPECT_EQ(first.bytes, 1048576);
  EXPECT_EQ(first.dtype, "f32");
  EXPECT_EQ(first.group, 8);
  EXPECT_DOUBLE_EQ(first.p50_s, 33.46e-6);
  EXPECT_EQ(trace->operations[1].op, "reduce-scatter, in place");
  EXPECT_TRUE(trace->notes.empty());
}

TEST(NcclJson, WhatIsLeftOutIsSaidAndWhy) {
  const std::string none =
      result(R"("out_of_place":null,"in_place":{"time":"nan","alg_bw":0.0,"bus_bw":0.0})");
  const std::string unknown = R"({"size":8,"count":2,"type":"quaternion","in_place":{"time":1.0}})";
  const auto trace = import_text(output(kBoth + "," + none + "," + unknown, ""));
  ASSERT_TRUE(trace.ok()) << trace.error().text();
  EXPECT_EQ(trace->operations.size(), 2U);
  ASSERT_EQ(trace->notes.size(), 3U);
  EXPECT_EQ(trace->notes[0], "1 result left out: no size, or a type that is unknown");
  EXPECT_EQ(trace->notes[1], "1 measurement left out: no time");
  EXPECT_NE(trace->notes[2].find("does not say how many ranks took part"), std::string::npos);
}

TEST(NcclJson, OneThatEndsEarlyAndOneWithoutResultsAreRefused) {
  const std::string whole = output(kBoth);
  const auto cut = import_text(whole.substr(0, whole.size() - 100));
  ASSERT_FALSE(cut.ok());
  EXPECT_NE(cut.error().text().find("was not written to its end"), std::string::npos) << cut.error().text();
  const auto empty = import_text(output(""));
  ASSERT_FALSE(empty.ok());
  EXPECT_NE(empty.error().text().find("no line of results"), std::string::npos) << empty.error().text();
}

TEST(NcclJson, TimesOfTheCpuAreNoTimesOfTheCollective) {
  const auto json =
      import_text(output(result(R"("out_of_place":{"cpu_time":3.0,"alg_bw":1.0,"bus_bw":1.0})")));
  ASSERT_FALSE(json.ok());
  EXPECT_NE(json.error().text().find("without -C 1"), std::string::npos) << json.error().text();
  const auto text = import_text(
      "# nThread 1 nGpus 8\n#  size  count  type  redop  root  cputime  algbw  busbw  #wrong\n"
      "  1048576  262144  float  sum  -1  3.00  31.34  47.01  0  3.00  32.30  48.45  0\n");
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.error().text().find("without -C 1"), std::string::npos) << text.error().text();
}

TEST(NcclText, ColumnsOfIterationsAndAnHourBehindALineArePassedOver) {
  const std::string head = "# nThread 1 nGpus 8 nccl-tests\n  1048576  262144  float  sum  -1  ";
  const std::string first = "33.46  31.34  47.01  0  ", second = "32.46  32.30  48.45  0  ";
  const std::string iterations = "30.1  40.2  39.9  3.1  ";
  const auto plain = import_text(head + first + second + "\n");
  ASSERT_TRUE(plain.ok()) << plain.error().text();
  for (const std::string& line :
       {first + second + "2026-05-03 10:00:00", first + iterations + second + iterations}) {
    const auto trace = import_text(head + line + "\n");
    ASSERT_TRUE(trace.ok()) << line << trace.error().text();
    EXPECT_EQ(trace->operations, plain->operations) << line;
  }
}

}  // namespace
}  // namespace shardscope::nccl_json_test
