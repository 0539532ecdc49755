// SPDX-License-Identifier: Apache-2.0
// Profiles of JAX in Chrome's format.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/engine/measure/profile_files.h"

namespace shardscope::chrome_test {
namespace {

std::string named(int process, const std::string& name) {
  return R"({"ph":"M","pid":)" + std::to_string(process) + R"(,"name":"process_name","args":{"name":")" +
         name + R"("}})";
}
std::string thread(int process, int number, const std::string& name) {
  return R"({"ph":"M","pid":)" + std::to_string(process) + R"(,"tid":)" + std::to_string(number) +
         R"(,"name":"thread_name","args":{"name":")" + name + R"("}})";
}
std::string event(int process, int number, const std::string& name, const std::string& times,
                  const std::string& arguments) {
  return R"({"ph":"X","pid":)" + std::to_string(process) + R"(,"tid":)" + std::to_string(number) +
         R"(,"name":")" + name + R"(",)" + times + R"(,"args":{)" + arguments + "}}";
}

// Two TPUs: a product in a fusion, an all-reduce that the second one enters 2 µs later, a loop round its
// body, an asynchronous gather, and host work that is none of a device.
std::vector<std::string> two_tpus() {
  std::vector<std::string> out = {named(1, "/device:TPU:0"), named(2, "/device:TPU:1"),
                                  named(9, "/host:CPU")};
  for (const int p : {1, 2}) {
    out.push_back(thread(p, 1, "Steps"));
    out.push_back(thread(p, 2, "XLA Modules"));
    out.push_back(thread(p, 3, "XLA Ops"));
    out.push_back(event(p, 1, "1", R"("ts":1700000000000000.0,"dur":100)", ""));
    out.push_back(event(p, 2, "jit_f(123)", R"("ts":1700000000000000.0,"dur":100)", ""));
    out.push_back(
        event(p, 3, "fusion.1", R"("ts":1700000000000001.25,"dur":10.000001)",
              R"("hlo_op":"fusion.1","hlo_module":"jit_f","hlo_category":"convolution fusion",)"
              R"("long_name":"%fusion.1 = bf16[128,64]{1,0:T(8,128)(2,1)} fusion(bf16[128,256]{1,0} %p0, )"
              R"(bf16[256,64]{1,0} %p1), kind=kOutput, calls=%fused","bytes_accessed":"114688",)"
              R"("model_flops":"4194304")"));
    out.push_back(
        event(p, 3, "all-reduce.2",
              p == 1 ? R"("ts":1700000000000020,"dur":12)" : R"("ts":1700000000000022,"dur":10)",
              R"("hlo_op":"all-reduce.2","hlo_module":"jit_f","hlo_category":"all-reduce",)"
              R"("long_name":"%all-reduce.2 = bf16[128,64]{1,0} all-reduce(bf16[128,64]{1,0} %fusion.1), )"
              R"(channel_id=1, replica_groups={{0,1}}, to_apply=%add")"));
    out.push_back(event(p, 3, "while.3", R"("ts":1700000000000040,"dur":20)", R"("hlo_category":"while")"));
    out.push_back(event(p, 3, "copy.4", R"("ts":1700000000000042,"dur":5)", R"("hlo_category":"copy")"));
    out.push_back(event(p, 3, "all-gather-start.5", R"("ts":1700000000000070,"dur":1)",
                        R"("hlo_category":"all-gather")"));
    out.push_back(event(p, 3, "all-gather-done.5", R"("ts":1700000000000080,"dur":4)", ""));
    out.push_back(event(p, 3, "mystery.6", R"("ts":1700000000000090,"dur":3)", ""));
  }
  out.push_back(event(9, 1, "python", R"("ts":1,"dur":1000000)", ""));
  return out;
}

TEST(ChromeProfile, OperationsHaveKindsShapesAndTimesToThePicosecond) {
  const MeasuredTrace trace = import_text(chrome_file(two_tpus())).value();
  EXPECT_EQ(trace.format, "chrome");
  EXPECT_EQ(trace.devices, 2);
  const MeasuredOperation& product = operation_named(trace, "fusion.1");
  EXPECT_EQ(product.kind, MeasuredKind::product);
  EXPECT_EQ(product.shapes, "bf16[128,256] × bf16[256,64]");
  EXPECT_EQ((std::vector<int64_t>{product.batch, product.m, product.k, product.n}),
            (std::vector<int64_t>{1, 128, 256, 64}));
  EXPECT_EQ(product.bytes, 114688);
  EXPECT_EQ(product.count, 2);
  EXPECT_DOUBLE_EQ(product.p50_s, 10.000001e-6);
  EXPECT_EQ(trace.events.front().start, 1'250'000) << "from the first step, though the clock is Unix time";
  EXPECT_EQ(trace.events.front().duration(), 10'000'001);
}

TEST(ChromeProfile, WaitingForTheLastDeviceIsNoPartOfACollectivesTime) {
  const MeasuredTrace trace = import_text(chrome_file(two_tpus())).value();
  const MeasuredOperation& reduce = operation_named(trace, "all-reduce.2");
  EXPECT_EQ(reduce.kind, MeasuredKind::collective);
  EXPECT_EQ(reduce.opcode, "all-reduce");
  EXPECT_EQ(reduce.bytes, 128 * 64 * 2);
  EXPECT_EQ(reduce.group, 2);
  EXPECT_DOUBLE_EQ(reduce.p50_s, 10e-6);
  EXPECT_DOUBLE_EQ(reduce.p95_s, 10e-6) << "the first one waited 2 of its 12 µs";
  EXPECT_DOUBLE_EQ(reduce.wait_s, 2e-6);
}

TEST(ChromeProfile, ALoopHasOnlyTheTimeThatItsBodyLeavesIt) {
  const MeasuredTrace trace = import_text(chrome_file(two_tpus())).value();
  EXPECT_DOUBLE_EQ(operation_named(trace, "while.3").total_s, 2 * 15e-6);
  EXPECT_DOUBLE_EQ(operation_named(trace, "copy.4").total_s, 2 * 5e-6);
}

TEST(ChromeProfile, StartAndDoneAreOneCollectiveFromStartToEnd) {
  const MeasuredTrace trace = import_text(chrome_file(two_tpus())).value();
  const auto whole = std::ranges::find_if(trace.operations, [](const MeasuredOperation& o) {
    return o.op == "all-gather-start.5" && o.kind == MeasuredKind::collective;
  });
  ASSERT_NE(whole, trace.operations.end());
  EXPECT_DOUBLE_EQ(whole->p50_s, 14e-6);
  EXPECT_EQ(operation_named(trace, "all-gather-done.5").kind, MeasuredKind::other);
}

TEST(ChromeProfile, WhatIsNotKnownIsListedWithItsTimeAndNothingIsDropped) {
  const MeasuredTrace trace = import_text(chrome_file(two_tpus())).value();
  ASSERT_EQ(trace.unmatched.size(), 1U);
  EXPECT_EQ(trace.unmatched[0].name, "mystery.6");
  EXPECT_EQ(trace.unmatched[0].count, 2);
  EXPECT_DOUBLE_EQ(trace.unmatched[0].time_s, 6e-6);
  EXPECT_NEAR(trace.matched_share, 1 - 6e-6 / trace.device_time_s, 1e-12);
  double all = 0;
  for (const MeasuredEvent& e : trace.events) all += to_seconds(e.duration());
  EXPECT_NEAR(trace.device_time_s, all, 1e-15);
}

TEST(ChromeProfile, ZippedAndPlainAreTheSame) {
  const std::string text = chrome_file(two_tpus());
  MeasuredTrace plain = import_text(text).value(), zipped = import_text(gzipped(text)).value();
  plain.source = zipped.source = "";
  EXPECT_EQ(plain, zipped);
}

TEST(ChromeProfile, FilesOfSeveralHostsAreOneTraceWithAllTheirDevices) {
  const ProfileFolder folder;
  const std::string a = folder.write("host_a.json", chrome_file(two_tpus()));
  const std::string b = folder.write("host_b.json", chrome_file(two_tpus()));
  const MeasuredTrace trace = import_measured({a, b}, {}).value();
  EXPECT_EQ(trace.devices, 4);
  EXPECT_EQ(trace.device_names[2], "host_b.json /device:TPU:0");
  EXPECT_EQ(operation_named(trace, "fusion.1").count, 4);
}

TEST(ChromeProfile, AProfileThatItsWriterCutIsRefusedWithTheRemedy) {
  std::string text =
      R"({"traceEvents":[{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:TPU:0"}})";
  for (int i = 0; i < 1'000'000; ++i)
    text += ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"a\",\"ts\":1,\"dur\":1}";
  const auto outcome = import_text(text + "]}");
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().kind, ErrorKind::invalid);
  EXPECT_NE(outcome.error().text().find("xplane.pb"), std::string::npos) << outcome.error().text();
}

TEST(ChromeProfile, AModuleNamesTheProductThatAFusionStandsFor) {
  const ProfileFolder folder;
  const std::string hlo = folder.write("m.hlo", R"(HloModule jit_f

%fused (a: bf16[128,256], b: bf16[256,64]) -> bf16[128,64] {
  %a = bf16[128,256]{1,0} parameter(0)
  %b = bf16[256,64]{1,0} parameter(1)
  %dot.7 = bf16[128,64]{1,0} dot(bf16[128,256]{1,0} %a, bf16[256,64]{1,0} %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT %neg.8 = bf16[128,64]{1,0} negate(bf16[128,64]{1,0} %dot.7)
}

ENTRY %main (p0: bf16[128,256], p1: bf16[256,64]) -> bf16[128,64] {
  %p0 = bf16[128,256]{1,0} parameter(0)
  %p1 = bf16[256,64]{1,0} parameter(1)
  ROOT %fusion.1 = bf16[128,64]{1,0} fusion(bf16[128,256]{1,0} %p0, bf16[256,64]{1,0} %p1), kind=kOutput, calls=%fused
}
)");
  const auto outcome = import_text(chrome_file(two_tpus()), {.hlo_file = hlo});
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
  const MeasuredOperation& product = operation_named(*outcome, "fusion.1");
  EXPECT_EQ(product.instruction, "dot.7");
  EXPECT_EQ(product.opcode, "dot");
  EXPECT_EQ(product.m * product.k * product.n, 128 * 256 * 64);
  EXPECT_FALSE(operation_named(*outcome, "all-reduce.2").matched) << "the module does not hold it";
  const auto other =
      import_text(chrome_file(two_tpus()), {.hlo_file = SHARDSCOPE_SOURCE_DIR "/presets/hlo/mlp.hlo"});
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().text().find("after optimisations"), std::string::npos);
}

// Where XLA runs on the host nothing but its name says what an instruction is.
MeasuredOperation on_the_host(const std::string& name) {
  const auto trace = import_text(
      chrome_file({named(9, "/host:CPU"),
                   event(9, 1, name, R"("ts":1,"dur":2)",
                         R"("device_ordinal":"0","hlo_module":"jit_f","hlo_op":")" + name + "\"")}));
  return operation_named(*trace, name);
}

TEST(ChromeProfile, CollectivesOfJaxAreKnownByTheNamesOfItsPrimitives) {
  const std::vector<std::pair<std::string, std::string>> opcodes = {
      {"psum.7", "all-reduce"},
      {"psum_invariant.42", "all-reduce"},
      {"unreduced_psum", "all-reduce"},
      {"pmax.1", "all-reduce"},
      {"pmin", "all-reduce"},
      {"all_gather.3", "all-gather"},
      {"all_gather_invariant.1", "all-gather"},
      {"reduce_scatter.7", "reduce-scatter"},
      {"unreduced_reduce_scatter.7", "reduce-scatter"},
      {"all_to_all", "all-to-all"},
      {"ragged_all_to_all.2", "ragged-all-to-all"},
      {"ppermute.9", "collective-permute"},
      {"ppermute_start.9", "collective-permute"},
      {"pbroadcast.1", "collective-broadcast"},
      {"psend.1", "send"},
  };
  for (const auto& [name, opcode] : opcodes) {
    const MeasuredOperation found = on_the_host(name);
    EXPECT_EQ(found.kind, MeasuredKind::collective) << name;
    EXPECT_EQ(found.opcode, opcode) << name;
    EXPECT_TRUE(found.matched) << name;
  }
  EXPECT_EQ(on_the_host("psum_done.7").opcode, "all-reduce-done") << "what waits for the other half";
  for (const char* name : {"axis_index.12", "psum_add_fusion", "pmaximum.1"})
    EXPECT_NE(on_the_host(name).kind, MeasuredKind::collective) << name;
}

}  // namespace
}  // namespace shardscope::chrome_test
