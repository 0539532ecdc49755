// SPDX-License-Identifier: Apache-2.0
// Exports of Nsight Systems, and what nccl-tests print.
#include <gtest/gtest.h>
#include <sstream>

#include "engine/measure/calibrate.h"
#include "engine/measure/import/import_profile.h"
#include "engine/measure/trace_points.h"
#include "engine/trace/sql/database.h"
#include "tests/engine/measure/profile_files.h"

namespace shardscope::nsys_test {
namespace {

const char* const kKernels =
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1, 'Kernel2'), (2, 'void "
    "cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm>'),"
    " (3, 'ncclDevKernel_AllGather_RING_LL'), (4, 'my_kernel');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER "
    "NOT NULL,"
    " contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, demangledName INTEGER "
    "NOT NULL,"
    " shortName INTEGER NOT NULL);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 6000, 0, 1, 7, 1, 2, 1), (7000, 9000, 0, 1, 7, 2, "
    "3, 3),"
    " (1500, 2500, 1, 1, 7, 3, 4, 4);";

std::string database(const ProfileFolder& folder, const std::string& sql) {
  const std::string path = folder.file("nsys");
  const auto db = Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  CHECK(db->execute(sql).ok(), sql);
  return path;
}

TEST(NsysProfile, KernelsAndCopiesHaveKindsByTheirNames) {
  const ProfileFolder folder;
  const std::string path = database(
      folder,
      std::string(kKernels) +
          "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId "
          "INTEGER, bytes INTEGER, copyKind INTEGER);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (9500, 9700, 0, 7, 4096, 1)");
  const auto outcome = import_measured({path}, {});
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
  EXPECT_EQ(outcome->format, "nsys");
  EXPECT_EQ(outcome->devices, 2);
  const MeasuredOperation& product =
      operation_named(*outcome, "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm>");
  EXPECT_EQ(product.kind, MeasuredKind::product);
  EXPECT_DOUBLE_EQ(product.p50_s, 5e-6);
  EXPECT_EQ(operation_named(*outcome, "ncclDevKernel_AllGather_RING_LL").opcode, "all-gather");
  EXPECT_EQ(operation_named(*outcome, "Memcpy HtoD").bytes, 4096);
  ASSERT_EQ(outcome->unmatched.size(), 1U);
  EXPECT_EQ(outcome->unmatched[0].name, "my_kernel");
  EXPECT_NE(outcome->notes[0].find("no shapes"), std::string::npos);
}

TEST(NsysProfile, TablesAreThereOnlyWhenUsedAndOtherFilesAreRefused) {
  const ProfileFolder folder;
  EXPECT_TRUE(import_measured({database(folder, kKernels)}, {}).ok()) << "no copies, no fills";
  const ProfileFolder other;
  const auto outcome = import_measured({database(other, "CREATE TABLE t (x)")}, {});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().kind, ErrorKind::invalid);
  EXPECT_NE(outcome.error().text().find("profile -t cuda"), std::string::npos);
  const ProfileFolder damaged;
  const std::string path =
      damaged.write("x", "SQLite format 3" + std::string(1, '\0') + std::string(200, 'x'));
  EXPECT_EQ(import_measured({path}, {}).error().kind, ErrorKind::io);
}

TEST(NsysProfile, TimesOutOfRangeAreRefused) {
  const ProfileFolder folder;
  const std::string path = database(
      folder, std::string(kKernels) +
                  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (-9223372036854775808, 9223372036854775807, "
                  "0, 1, 7, 1, 2, 1)");
  EXPECT_FALSE(import_measured({path}, {}).ok());
}

const char* const kOutput =
    R"(# nThread 1 nGpus 8 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20
# Using devices
#  Rank  0 Group  0 Pid  12345 on      node0 device  0 [0x07] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid  12345 on      node0 device  1 [0x0f] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid  12345 on      node0 device  2 [0x47] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid  12345 on      node0 device  3 [0x4e] NVIDIA H100 80GB HBM3
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    33.46   31.34   47.01      0    32.46   32.30   48.45      0
     2097152        524288     float     sum      -1    45.91   45.68   68.52      0    44.00   47.66   71.49    N/A
# Avg bus bandwidth    : 58.0
)";

TEST(NcclTests, EachSizeIsAPointOutOfPlaceAndInPlace) {
  const auto outcome = import_text(kOutput);
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
  EXPECT_EQ(outcome->format, "nccl-tests");
  ASSERT_EQ(outcome->operations.size(), 4U);
  const MeasuredOperation& first = outcome->operations[0];
  EXPECT_EQ(first.op, "all-reduce, out of place") << "by its two bandwidths: 2(n − 1)/n";
  EXPECT_EQ(first.opcode, "all-reduce");
  EXPECT_EQ(first.bytes, 1048576);
  EXPECT_EQ(first.dtype, "f32");
  EXPECT_EQ(first.group, 4);
  EXPECT_DOUBLE_EQ(first.p50_s, 33.46e-6);
  EXPECT_EQ(outcome->operations[3].op, "all-reduce, in place");
  EXPECT_DOUBLE_EQ(outcome->operations[3].p50_s, 44e-6);
  EXPECT_EQ(outcome->devices, 4);
}

TEST(NcclTests, OutputsOfTwoRunsAreMoreMeasurementsOnTheSameRanks) {
  const ProfileFolder folder;
  std::string slower = kOutput;
  slower.replace(slower.find("33.46"), 5, "35.46");
  const MeasuredTrace trace =
      import_measured({folder.write("a", kOutput), folder.write("b", slower)}, {}).value();
  EXPECT_EQ(trace.devices, 4);
  EXPECT_EQ(trace.operations[0].count, 2);
  EXPECT_DOUBLE_EQ(trace.operations[0].mean_s, 34.46e-6);
}

// As mpirun, srun and pdsh write it, ranks' lines among each other.
TEST(NcclTests, APrefixOfTimeHostOrRankIsPassedOver) {
  const MeasuredTrace plain = import_text(kOutput).value();
  for (const std::string prefix :
       {"Mon Jan 05 10:00:00 2026<stdout>:", "[1,3]<stdout>:", "node0: ", "12: "}) {
    std::string text;
    std::istringstream lines(kOutput);
    for (std::string line; std::getline(lines, line);) text += prefix + line + "\n";
    const auto trace =
        import_text(text + prefix + "#  Rank  0 Group  0 Pid  1 on node0 device  0 [0x07] H100\n");
    ASSERT_TRUE(trace.ok()) << prefix << trace.error().text();
    EXPECT_EQ(trace->operations, plain.operations) << prefix;
    EXPECT_EQ(trace->devices, 4) << "a rank that is listed twice is one";
  }
}

TEST(NcclTests, TheNameOfTheTestComesBeforeRatios) {
  std::string text = "# Collective test starting: all_gather_perf\n" + std::string(kOutput);
  EXPECT_EQ(import_text(text)->operations[0].opcode, "all-gather");
  EXPECT_FALSE(import_text("# nThread 1 nGpus 8 busbw\n").ok());
}

std::string with(std::string text, const std::string& was, const std::string& is) {
  for (size_t at = text.find(was); at != std::string::npos; at = text.find(was, at + is.size()))
    text.replace(at, was.size(), is);
  return text;
}

// What a calibration of a chip from this output would say, empty: it would fit.
std::string not_fitted(const std::string& text) {
  MeasuredTrace trace = import_text(text).value();
  for (MeasuredOperation& o : trace.operations)
    if (o.opcode.empty()) o.opcode = "all-reduce";
  CalibrateRequest request;
  request.preset = find_hardware("h100").value();
  request.points = points_of(trace, "h100");
  request.holdout = 0;
  request.resamples = 0;
  const auto done = calibrate(request, {}, {});
  return done.ok() ? "" : done.error().text();
}

TEST(NcclTests, RanksOnSeveralHostsAreOfSeveralNodes) {
  std::string two = kOutput;
  for (const char* rank : {"Rank  2", "Rank  3"}) {
    const size_t host = two.find("node0", two.find(rank));
    two.replace(host, 5, "node1");
  }
  const auto trace = import_text(two);
  EXPECT_EQ(trace->device_names,
            (std::vector<std::string>{"node0 rank 0", "node0 rank 1", "node1 rank 2", "node1 rank 3"}));
  EXPECT_EQ(points_of(*trace, "h100")[0].nodes, 2);
  EXPECT_NE(not_fitted(two).find("of several nodes, nothing of the network is fitted (4)"), std::string::npos)
      << not_fitted(two);
  EXPECT_EQ(points_of(*import_text(kOutput), "h100")[0].nodes, 1);
}

TEST(NcclTests, WhyNothingCanBeFittedIsSaid) {
  std::string text = kOutput;
  text.erase(text.find("#  Rank"), text.find("#                  ") - text.find("#  Rank"));
  EXPECT_NE(not_fitted(text).find("it is not said how many devices took part (4)"), std::string::npos)
      << not_fitted(text);
}

TEST(NcclTests, WithoutItsMarksTheListOfRanksIsReadToo) {
  EXPECT_EQ(import_text(with(kOutput, "#  Rank", "   Rank"))->devices, 4);
}

TEST(NcclTests, ItsChipAndItsWrongResultsAreSaid) {
  const ProfileFolder folder;
  const std::string wrong =
      with(with(kOutput, "47.01      0", "47.01      3"), "NVIDIA H100 80GB HBM3", "Tesla V100");
  const auto profile = import_profile({folder.write("a", wrong)}, {});
  EXPECT_EQ(profile->chip, "Tesla V100");
  ASSERT_EQ(profile->trace.notes.size(), 1U);
  EXPECT_NE(profile->trace.notes[0].find("wrong results in 1 measurement"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::nsys_test
