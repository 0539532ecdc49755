// SPDX-License-Identifier: Apache-2.0
// Profiles of PyTorch.
#include <gtest/gtest.h>

#include "tests/engine/measure/profile_files.h"

namespace shardscope::kineto_test {
namespace {

std::string kernel(const std::string& name, const std::string& times, const std::string& arguments) {
  return R"({"ph":"X","cat":"kernel","name":")" + name + R"(","pid":0,"tid":7,)" + times +
         R"(,"args":{"device":0,"stream":7,)" + arguments + "}}";
}

std::vector<std::string> one_rank() {
  return {
      R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":5,"tid":5,"ts":6841349041700.000,"dur":90})",
      // The kernel stands in front of its operator.
      kernel("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
             R"("ts":6841349041733.128,"dur":21.5)", R"("External id":12,"correlation":99)"),
      kernel("void splitKreduce_kernel<32, 16>(float)", R"("ts":6841349041755,"dur":2)",
             R"("External id":12)"),
      R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":5,"ts":6841349041701,"dur":9,"args":{"External id":12,)"
      R"("Input Dims":[[1024,512],[512,256]],"Input type":["c10::BFloat16","c10::BFloat16"]}})",
      R"({"ph":"X","cat":"cpu_op","name":"aten::add","pid":5,"tid":5,"ts":6841349041711,"dur":9,"args":{"External id":13,)"
      R"("Input Dims":[[1024,256],[1024,256],[]],"Input type":["c10::BFloat16","c10::BFloat16","Scalar"]}})",
      kernel("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16> >",
             R"("ts":6841349041760,"dur":3)", R"("External id":13)"),
      kernel(
          "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
          R"("ts":6841349041765,"dur":15)",
          R"("External id":14,"Collective name":"allreduce","In msg nelems":262144,"Out msg nelems":262144,)"
          R"("Group size":8,"dtype":"BFloat16","Process Group Name":"0","Process Group Ranks":"[0, 1, 2, ...]")"),
      R"j({"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,"ts":6841349041785,"dur":1,"args":{"device":0,"stream":7,"bytes":4096}})j",
      kernel("my_kernel", R"("ts":6841349041787,"dur":4)", R"("correlation":3)"),
  };
}

TEST(KinetoProfile, AKernelHasTheShapesOfTheOperatorThatLaunchedIt) {
  const auto outcome = import_text(chrome_file(one_rank(), R"("schemaVersion":1,)"));
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
  EXPECT_EQ(outcome->format, "kineto");
  const MeasuredOperation& mm = operation_named(*outcome, "aten::mm");
  EXPECT_EQ(mm.kind, MeasuredKind::product);
  EXPECT_EQ(mm.shapes, "bf16[1024,512] × bf16[512,256]");
  EXPECT_EQ((std::vector<int64_t>{mm.batch, mm.m, mm.k, mm.n}), (std::vector<int64_t>{1, 1024, 512, 256}));
  EXPECT_EQ(mm.bytes, 2 * (1024 * 512 + 512 * 256 + 1024 * 256));
  EXPECT_DOUBLE_EQ(mm.p50_s, 21.5e-6);
  EXPECT_EQ(operation_named(*outcome, "aten::mm: void splitKreduce_kernel<32, 16>(float)").kind,
            MeasuredKind::elementwise);
  EXPECT_EQ(operation_named(*outcome, "aten::add").kind, MeasuredKind::elementwise);
  EXPECT_EQ(outcome->events.front().start, 33'128'000)
      << "from the step's start, to the nanosecond of its text";
}

// The names of categories and arguments before PyTorch 2.
TEST(KinetoProfile, OldNamesAreRead) {
  const MeasuredTrace trace =
      import_text(
          chrome_file(
              {R"({"ph":"X","cat":"Operator","name":"aten::mm","pid":5,"tid":5,"ts":1,"dur":9,"args":{"external id":12,)"
               R"("Input Dims":[[64,32],[32,16]],"Input type":["float","float"]}})",
               R"({"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":5,"tid":5,"ts":2,"dur":1,"args":{"correlation":4}})",
               R"({"ph":"X","cat":"Kernel","name":"sgemm","pid":0,"tid":7,"ts":5,"dur":2,"args":{"external id":12,"correlation":4}})",
               R"({"ph":"X","cat":"Memcpy","name":"Memcpy DtoD","pid":0,"tid":7,"ts":8,"dur":3,"args":{"correlation":5}})"},
              R"("schemaVersion":1,)"))
          .value();
  EXPECT_EQ(operation_named(trace, "aten::mm").shapes, "f32[64,32] × f32[32,16]");
  EXPECT_EQ(operation_named(trace, "Memcpy DtoD").kind, MeasuredKind::copy);
  EXPECT_DOUBLE_EQ(trace.device_time_s, 5e-6);
}

// Zipped files of a megabyte and more are unfolded by a thread of their own.
TEST(KinetoProfile, ALargeZippedFileIsReadAsAPlainOne) {
  std::vector<std::string> events;
  uint64_t random = 1;
  for (int k = 0; k < 80'000; ++k) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    events.push_back(
        kernel("k" + std::to_string(random >> 54),
               "\"ts\":" + std::to_string(5 * k) + ",\"dur\":" + std::to_string((random >> 40) % 5),
               "\"correlation\":" + std::to_string(random >> 20)));
  }
  const std::string text = chrome_file(events, R"("schemaVersion":1,)"), zipped = gzipped(text);
  ASSERT_GT(zipped.size(), size_t{1} << 20);
  MeasuredTrace plain = import_text(text).value(), unfolded = import_text(zipped).value();
  plain.source = unfolded.source = "";
  EXPECT_EQ(plain, unfolded);
  EXPECT_EQ(import_text(zipped.substr(0, zipped.size() - 100)).error().kind, ErrorKind::invalid);
}

TEST(KinetoProfile, CollectivesAndCopiesSayWhatTheyCarried) {
  const MeasuredTrace trace = import_text(chrome_file(one_rank())).value();
  const MeasuredOperation& reduce = operation_named(trace, "allreduce");
  EXPECT_EQ(reduce.kind, MeasuredKind::collective);
  EXPECT_EQ(reduce.opcode, "all-reduce");
  EXPECT_EQ(reduce.bytes, 262144 * 2);
  EXPECT_EQ(reduce.group, 8);
  EXPECT_EQ(reduce.dtype, "bf16");
  EXPECT_EQ(operation_named(trace, "Memcpy HtoD (Pinned -> Device)").bytes, 4096);
  ASSERT_EQ(trace.unmatched.size(), 1U);
  EXPECT_EQ(trace.unmatched[0].name, "my_kernel");
}

TEST(KinetoProfile, RanksOfOneRunAreOneTraceOnOneClock) {
  const auto rank = [](int number, int64_t base_ns, const std::string& times) {
    return chrome_file(
        {kernel("ncclDevKernel_AllReduce_Sum_f32", times,
                R"("Collective name":"allreduce","In msg nelems":8,"Out msg nelems":8,"Group size":2,)"
                R"("dtype":"Float","Process Group Name":"0","Process Group Ranks":"[0, 1]")")},
        R"("schemaVersion":1,"distributedInfo":{"rank":)" + std::to_string(number) +
            R"(},"baseTimeNanoseconds":)" + std::to_string(base_ns) + ",");
  };
  const ProfileFolder folder;
  const std::string a = folder.write("a", rank(0, 1'700'000'000'000'000'000, R"("ts":10,"dur":20)"));
  const std::string b = folder.write("b", rank(1, 1'700'000'000'000'005'000, R"("ts":10,"dur":15)"));
  const MeasuredTrace trace = import_measured({a, b}, {}).value();
  EXPECT_EQ(trace.device_names, (std::vector<std::string>{"rank 0 GPU 0", "rank 1 GPU 0"}));
  const MeasuredOperation& reduce = operation_named(trace, "allreduce");
  EXPECT_DOUBLE_EQ(reduce.p50_s, 15e-6);
  EXPECT_DOUBLE_EQ(reduce.p95_s, 15e-6) << "rank 0 came 5 µs earlier, by the clock that both files name";
  EXPECT_DOUBLE_EQ(reduce.wait_s, 5e-6);
}

TEST(KinetoProfile, ClocksThatDoNotAgreeSplitNothingAndAreSaid) {
  const auto rank = [](int number, const std::string& times) {
    return chrome_file(
        {kernel("ncclDevKernel_AllReduce_Sum_f32", times,
                R"("Collective name":"allreduce","In msg nelems":8,"Group size":2,"dtype":"Float")")},
        R"("distributedInfo":{"rank":)" + std::to_string(number) + "},");
  };
  const ProfileFolder folder;
  const std::string a = folder.write("a", rank(0, R"("ts":10,"dur":20)"));
  const std::string b = folder.write("b", rank(1, R"("ts":1000,"dur":15)"));
  const MeasuredTrace trace = import_measured({a, b}, {}).value();
  EXPECT_EQ(operation_named(trace, "allreduce").wait_s, 0);
  ASSERT_EQ(trace.notes.size(), 1U);
  EXPECT_NE(trace.notes[0].find("clocks"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::kineto_test
