// SPDX-License-Identifier: Apache-2.0
// A profile beside the simulation of its module.
#include "engine/session/profile/profile_beside.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/temporary_folder.h"

namespace shardscope::profile_beside_test {
namespace {

constexpr const char* kModule = R"(HloModule jit_f, is_scheduled=true

scale {
  p = f32[64,64]{1,0} parameter(0)
  ROOT m = f32[64,64]{1,0} multiply(p, p)
}

ENTRY main {
  w = f32[64,64]{1,0} parameter(0)
  fusion.7 = f32[64,64]{1,0} fusion(w), kind=kLoop, calls=scale
  ROOT custom-call.1 = f32[64,64]{1,0} custom-call(fusion.7, w), custom_call_target="__cublas$gemm"
}
)";

std::string event(const std::string& kernel, const std::string& module, int64_t at, int64_t duration) {
  return fmt::format(
      R"(,{{"ph":"X","pid":1,"tid":1,"name":"{}","ts":{},"dur":{},"args":{{"hlo_op":"command_buffer_1","hlo_module":"{}"}}}})",
      kernel, at, duration, module);
}

// Three steps of a kernel by name, a library's with its memset, and a gap; `more` in the first of them.
ProfileBeside beside(const std::string& more = "") {
  std::string events =
      R"j({"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},)j"
      R"j({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"Stream #14(Compute,Memset)"}})j";
  for (int64_t at = 0; at < 300; at += 100)
    events += event("fusion_7", "jit_f", at, 10) + event("Memset 0", "jit_f", at + 20, 2) +
              event("nvjet_sm90_tst_128x64", "jit_f", at + 30, 50);
  const TemporaryFolder folder;
  std::ofstream(folder.file("trace.json")) << R"({"traceEvents":[)" << events << more << "]}";
  std::ofstream(folder.file("module.hlo")) << kModule;
  ProfileRequest request;
  request.files = {folder.file("trace.json")};
  request.hlo_file = folder.file("module.hlo");
  request.hardware = "h200";
  return beside_profile(request, {}).value();
}

TEST(ProfileBeside, ThePartsOfAStepAddUpAndSoDoItsInstructions) {
  const auto json = nlohmann::json::parse(beside_json(beside()));
  const auto seconds = [&](const char* key) { return json.at(key).get<double>(); };
  EXPECT_EQ(json.at("steps"), 3);
  EXPECT_EQ(seconds("attributed"), 1);
  EXPECT_NEAR(seconds("compute_s"), 60e-6, 1e-12);
  EXPECT_NEAR(seconds("exposed_copy_s"), 2e-6, 1e-12);
  EXPECT_NEAR(seconds("step_s"), seconds("device_s") + seconds("host_gap_s"), 1e-12);
  EXPECT_NEAR(seconds("device_s"),
              seconds("compute_s") + seconds("exposed_comm_s") + seconds("exposed_copy_s"), 1e-12);
  double measured = 0;
  for (const auto& row : json.at("instructions")) {
    measured += row.at("measured_s").get<double>();
    EXPECT_EQ(row.at("count"), 1) << "a memset is a part of its call: " << row;
    EXPECT_GT(row.at("simulated_s").get<double>(), 0) << row;
    EXPECT_FALSE(row.at("reason").get<std::string>().empty());
  }
  EXPECT_NEAR(measured, seconds("device_s"), 1e-12) << "nothing overlaps here";
}

// Two streams of kernels, one of NCCL, one of copies, three steps that the host marks. What Holistic Trace
// Analysis 0.5.0 says of the file, with the last step (include_last_profiler_step) and to the nanosecond
// (HTA_DISABLE_NS_ROUNDING): get_temporal_breakdown's and get_comm_comp_overlap's.
TEST(ProfileBeside, TimesOfPyTorchAreThoseOfHolisticTraceAnalysis) {
  ProfileRequest request;
  request.files = {SHARDSCOPE_SOURCE_DIR "/tests/engine/session/profiles/pytorch_two_streams.json"};
  const auto beside = beside_profile(request, {});
  ASSERT_TRUE(beside.ok()) << beside.error().text();
  EXPECT_EQ(beside->steps, 3);
  const StepTime& time = beside->time;
  EXPECT_NEAR(3e6 * time.step_s, 448.613, 1e-3);
  EXPECT_NEAR(3e6 * time.compute_s, 179.207, 1e-3);
  EXPECT_NEAR(3e6 * time.host_gap_s, 211.357, 1e-3);
  EXPECT_NEAR(100 * (1 - time.exposed_comm_s / time.comm_s), 53.19, 0.01);
}

TEST(ProfileBeside, WorkOfAModuleThatNobodyHasSaysSo) {
  const ProfileBeside with = beside(event("fusion_7", "jit_g", 85, 4));
  ASSERT_EQ(with.unmatched.size(), 1U);
  EXPECT_EQ(with.unmatched[0].why, "of jit_g, another module of the run, whose text is not known");
  EXPECT_LT(with.attributed, 1);
}

// The kernel waits for a queue of work from before; the copy of the first step runs at once.
TEST(ProfileBeside, WhatAStepOfPyTorchLaunchesIsItsWorkHoweverEarlyItRuns) {
  std::string events =
      R"j({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":2,"dur":68,"args":{"device":0,"stream":7,"correlation":99}})j";
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t at = 100 * step;
    events += fmt::format(
        R"(,{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":5,"tid":5,"ts":{},"dur":99}})"
        R"(,{{"ph":"X","cat":"cuda_runtime","name":"l","pid":5,"tid":5,"ts":{},"dur":1,"args":{{"correlation":{}}}}})"
        R"(,{{"ph":"X","cat":"cuda_runtime","name":"l","pid":5,"tid":5,"ts":{},"dur":1,"args":{{"correlation":{}}}}})"
        R"(,{{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":21,"ts":{},"dur":5,"args":{{"device":0,"stream":21,"correlation":{}}}}})"
        R"(,{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},"dur":90,"args":{{"device":0,"stream":7,"correlation":{}}}}})",
        step, at, at + 1, 2 * step, at + 3, 2 * step + 1, at + 4, 2 * step, at + 70, 2 * step + 1);
  }
  const TemporaryFolder folder;
  std::ofstream(folder.file("trace.json")) << R"({"schemaVersion":1,"traceEvents":[)" << events << "]}";
  ProfileRequest request;
  request.files = {folder.file("trace.json")};
  const auto of = beside_profile(request, {});
  ASSERT_TRUE(of.ok()) << of.error().text();
  EXPECT_NEAR(of->time.step_s, 290e-6 / 3, 1e-12);
  ASSERT_EQ(of->instructions.size(), 2U);
  for (const ProfiledInstruction& i : of->instructions) EXPECT_EQ(i.count, 1) << i.name;
}

TEST(ProfileBeside, WithoutAnyModuleItSaysWhatToGive) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("trace.json"))
      << R"j({"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"ynn_fusion","ts":0,"dur":9,)j"
         R"j("args":{"hlo_op":"ynn_fusion","hlo_module":"jit_f"}}]})j";
  ProfileRequest request;
  request.files = {folder.file("trace.json")};
  const auto of = beside_profile(request, {});
  ASSERT_TRUE(of.ok()) << of.error().text();
  ASSERT_EQ(of->unmatched.size(), 1U);
  EXPECT_EQ(
      of->unmatched[0].why,
      "no module of the run is known: give the compiled module (--hlo FILE) or the run's xplane.pb, which "
      "holds it");
}

TEST(ProfileBeside, TextAndPageSayTheSameOfEachInstruction) {
  const ProfileBeside of = beside();
  for (const char* part : {"custom-call.1", "fusion.7", "the device waits for its host"}) {
    EXPECT_NE(beside_text(of).find(part), std::string::npos) << part;
    EXPECT_NE(beside_page(of, {}).find(part), std::string::npos) << part;
  }
}

// XLA's compiler for CPUs adds up the arrays of one all-reduce one after the other.
TEST(ProfileBeside, WhatTheBackendSplitsIsOneInstructionOfTheModule) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("module.hlo")) << R"(HloModule jit_f, is_scheduled=true, num_partitions=2

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[64]{0} parameter(0)
  y = f32[32]{0} parameter(1)
  ROOT sums.1 = (f32[64]{0}, f32[32]{0}) all-reduce(x, y), replica_groups={{0,1}}, channel_id=1, use_global_device_ids=true, to_apply=add
}
)";
  std::ofstream(folder.file("trace.json"))
      << R"j({"traceEvents":[{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:CPU:0"}},)j"
         R"j({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"XLA Ops"}},)j"
         R"j({"ph":"X","pid":1,"tid":1,"name":"sums.1","ts":0,"dur":9,"args":{"hlo_op":"sums.1","hlo_module":"jit_f"}}]})j";
  ProfileRequest request;
  request.files = {folder.file("trace.json")};
  request.hlo_file = folder.file("module.hlo");
  request.hardware = "cpu-host";
  const auto beside = beside_profile(request, {});
  ASSERT_TRUE(beside.ok()) << beside.error().text();
  EXPECT_TRUE(beside->missing.empty()) << beside->missing.front();
  ASSERT_EQ(beside->instructions.size(), 1U);
  EXPECT_EQ(beside->instructions[0].name, "sums.1");
  ASSERT_EQ(beside->runs.size(), 1U);
  ASSERT_TRUE(beside->instructions[0].simulated_s.has_value());
  EXPECT_NEAR(*beside->instructions[0].simulated_s, to_seconds(beside->runs[0]->timeline.total), 1e-12)
      << "both sums";
}

std::vector<std::string> notes_of_chip(const std::string& name) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("trace.json"))
      << R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":")" << name
      << R"("}],"traceEvents":[{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1,"dur":9,)"
      << R"("args":{"device":0,"stream":7}}]})";
  ProfileRequest request;
  request.files = {folder.file("trace.json")};
  return beside_profile(request, {}).value().notes;
}

TEST(ProfileBeside, AChipThatIsNotKnownIsNamed) {
  EXPECT_EQ(notes_of_chip("NVIDIA H100 80GB HBM3"), std::vector<std::string>{});
  EXPECT_EQ(notes_of_chip("Tesla V100-SXM2-32GB"),
            std::vector<std::string>{
                "the profile names Tesla V100-SXM2-32GB, which is no chip known here: h100 is taken"});
  EXPECT_EQ(notes_of_chip(""), std::vector<std::string>{"the profile does not name its chip: h100 is taken"});
}

// A fusion whose root copies what it added up, one that copies a slice at a place that it counts.
TEST(ProfileBeside, TheKindOfAFusionIsThatOfItsWork) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("module.hlo")) << R"(HloModule jit_f, is_scheduled=true

sums {
  p = f32[64,64]{1,0} parameter(0)
  a = f32[64,64]{1,0} add(p, p)
  ROOT c = f32[64,64]{0,1} copy(a)
}

slices {
  q = f32[64,64]{1,0} parameter(0)
  i = s32[] parameter(1)
  j = s32[] add(i, i)
  z = s32[] constant(0)
  ROOT d = f32[1,64]{1,0} dynamic-slice(q, j, z), dynamic_slice_sizes={1,64}
}

ENTRY main {
  w = f32[64,64]{1,0} parameter(0)
  n = s32[] parameter(1)
  copy_bitcast_fusion.3 = f32[64,64]{0,1} fusion(w), kind=kLoop, calls=sums
  slice_fusion = f32[1,64]{1,0} fusion(w, n), kind=kLoop, calls=slices
  ROOT t = (f32[64,64]{0,1}, f32[1,64]{1,0}) tuple(copy_bitcast_fusion.3, slice_fusion)
}
)";
  std::string events = R"j({"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:CPU:0"}},)j"
                       R"j({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"XLA Ops"}})j";
  for (const char* op : {"copy_bitcast_fusion.3", "slice_fusion"})
    events += fmt::format(
        R"(,{{"ph":"X","pid":1,"tid":1,"name":"{}","ts":0,"dur":900000,"args":{{"hlo_op":"{}","hlo_module":"jit_f"}}}})",
        op, op);
  std::ofstream(folder.file("trace.json")) << R"({"traceEvents":[)" << events << "]}";
  ProfileRequest request;
  request.files = {folder.file("trace.json")};
  request.hlo_file = folder.file("module.hlo");
  request.hardware = "cpu-host";
  const auto of = beside_profile(request, {});
  ASSERT_TRUE(of.ok()) << of.error().text();
  ASSERT_EQ(of->instructions.size(), 2U);
  for (const ProfiledInstruction& i : of->instructions) {
    const bool adds = i.name == "copy_bitcast_fusion.3";
    EXPECT_EQ(i.kind, adds ? MeasuredKind::elementwise : MeasuredKind::copy) << i.name;
    EXPECT_TRUE(i.reason.ends_with(" × the simulated time"))
        << "too many times for a percentage: " << i.reason;
    EXPECT_NE(i.reason.find(','), std::string::npos) << i.reason;
  }
}

}  // namespace
}  // namespace shardscope::profile_beside_test
