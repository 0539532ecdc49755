// SPDX-License-Identifier: Apache-2.0
// Kernels that a profile does not name, given back to the instructions of their module; steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/measure/import/import_profile.h"
#include "tests/engine/measure/paired_module.h"
#include "tests/engine/measure/profile_files.h"

namespace shardscope::attribution_test {
namespace {

// Two fusions that are compiled once, two calls of a library that look alike, and a loop of three rounds.
constexpr const char* kModule = R"(HloModule jit_f, is_scheduled=true

scale {
  p = f32[64,64]{1,0} parameter(0)
  ROOT m = f32[64,64]{1,0} multiply(p, p)
}

scale_again {
  p.1 = f32[64,64]{1,0} parameter(0)
  ROOT m.1 = f32[64,64]{1,0} multiply(p.1, p.1)
}

add_one {
  p.2 = f32[64,64]{1,0} parameter(0)
  ROOT a.2 = f32[64,64]{1,0} add(p.2, p.2)
}

body {
  t = (s32[], f32[64,64]{1,0}) parameter(0)
  n = s32[] get-tuple-element(t), index=0
  x = f32[64,64]{1,0} get-tuple-element(t), index=1
  one = s32[] constant(1)
  next = s32[] add(n, one)
  loop_add_fusion.1 = f32[64,64]{1,0} fusion(x), kind=kLoop, calls=add_one
  ROOT r = (s32[], f32[64,64]{1,0}) tuple(next, loop_add_fusion.1)
}

condition {
  t.1 = (s32[], f32[64,64]{1,0}) parameter(0)
  n.1 = s32[] get-tuple-element(t.1), index=0
  three = s32[] constant(3)
  ROOT less = pred[] compare(n.1, three), direction=LT
}

ENTRY main {
  w = f32[64,64]{1,0} parameter(0)
  fusion.7 = f32[64,64]{1,0} fusion(w), kind=kLoop, calls=scale
  custom-call.1 = f32[64,64]{1,0} custom-call(fusion.7, w), custom_call_target="__cublas$gemm"
  fusion.6 = f32[64,64]{1,0} fusion(custom-call.1), kind=kLoop, calls=scale_again
  custom-call.2 = f32[64,64]{1,0} custom-call(fusion.6, w), custom_call_target="__cublas$gemm"
  zero = s32[] constant(0)
  start = (s32[], f32[64,64]{1,0}) tuple(zero, custom-call.2)
  while.1 = (s32[], f32[64,64]{1,0}) while(start), condition=condition, body=body
  ROOT out = f32[64,64]{1,0} get-tuple-element(while.1), index=1
}
)";

struct Ran {
  const char* kernel;
  const char* instruction;
};
const std::vector<Ran> kStep{{"fusion_7", "fusion.7"},
                             {"Memset 0", "custom-call.1"},
                             {"nvjet_sm90_tst_128x64", "custom-call.1"},
                             {"fusion_7", "fusion.6"},
                             {"Memset 0", "custom-call.2"},
                             {"nvjet_sm90_tst_128x64", "custom-call.2"},
                             {"loop_add_fusion_1", "loop_add_fusion.1"},
                             {"loop_add_fusion_1", "loop_add_fusion.1"},
                             {"loop_add_fusion_1", "loop_add_fusion.1"}};
constexpr int64_t kEach = 10;  // µs of a kernel, and between two starts
constexpr int kSteps = 3;

std::string metadata(const std::string& name, const std::string& process, const std::string& what) {
  return fmt::format(R"({{"ph":"M","pid":{},"tid":1,"name":"{}","args":{{"name":"{}"}}}})", process, name,
                     what);
}

// As JAX's profiler writes it with command buffers.
std::vector<std::string> kernels() {
  std::vector<std::string> out{metadata("process_name", "1", "/device:GPU:0"),
                               metadata("thread_name", "1", "Stream #14(Compute,Memset)"),
                               metadata("process_name", "2", "/host:CPU"),
                               metadata("thread_name", "2", "python")};
  int64_t at = 0;
  for (int step = 0; step < kSteps; ++step)
    for (const Ran& ran : kStep) {
      out.push_back(fmt::format(
          R"({{"ph":"X","pid":1,"tid":1,"name":"{}","ts":{},"dur":{},"args":{{"hlo_op":"command_buffer_1","hlo_module":"jit_f"}}}})",
          ran.kernel, at, kEach - 1));
      at += kEach;
    }
  return out;
}

std::string mark(int step, int64_t start, int64_t duration) {
  return fmt::format(
      R"({{"ph":"X","pid":2,"tid":1,"name":"train","ts":{},"dur":{},"args":{{"step_num":"{}"}}}})", start,
      duration, step);
}

Profile read(const ProfileFolder& folder, const std::vector<std::string>& events) {
  return import_profile({folder.write("trace.json", chrome_file(events))},
                        {.hlo_file = folder.write("module.hlo", kModule)})
      .value();
}

TEST(Attribution, KernelsOfACommandBufferAreGivenBackToTheirInstructions) {
  const ProfileFolder folder;
  const Profile profile = read(folder, kernels());
  EXPECT_EQ(profile.trace.matched_share, 1);
  ASSERT_EQ(profile.trace.events.size(), kStep.size() * kSteps);
  for (size_t e = 0; e < profile.trace.events.size(); ++e) {
    const ProfiledOperation& o = profile.operations[static_cast<size_t>(profile.trace.events[e].operation)];
    const Ran& ran = kStep[e % kStep.size()];
    EXPECT_EQ(o.op, ran.instruction) << e;
    EXPECT_EQ(o.kernel, ran.kernel) << e;
    EXPECT_EQ(o.part, std::string(ran.kernel) == "Memset 0") << e;
    EXPECT_TRUE(o.sure > 0.5 && o.sure < 1) << "the profile does not say it: " << o.sure;
  }
}

TEST(Attribution, WithoutMarksAStepIsWhereTheModuleBeginsAgain) {
  const ProfileFolder folder;
  const Profile profile = read(folder, kernels());
  ASSERT_EQ(profile.trace.steps.size(), size_t{kSteps});
  EXPECT_EQ(profile.trace.steps[1].length(), std::ssize(kStep) * kEach * 1'000'000);
}

TEST(Attribution, StepsOfTheHostCountWhereTheDevicesWorkInThem) {
  const ProfileFolder folder;
  std::vector<std::string> events = kernels(), ahead = kernels();
  const int64_t length = std::ssize(kStep) * kEach;
  for (int step = 0; step < kSteps; ++step) {
    events.push_back(mark(step, step * length - 1, length));
    ahead.push_back(mark(step, step * 3, 2));
  }
  EXPECT_EQ(read(folder, events).trace.events.front().start, 1'000'000) << "behind the mark";
  const Profile profile = read(folder, ahead);
  ASSERT_EQ(profile.trace.steps.size(), size_t{kSteps});
  EXPECT_EQ(profile.trace.steps[0].length(), length * 1'000'000) << "the host only launched in them";
}

TEST(Attribution, AHostThatXlaRunsOnIsReadFromATraceToo) {
  const ProfileFolder folder;
  const Profile profile = read(
      folder,
      {metadata("process_name", "2", "/host:CPU"),
       R"({"ph":"X","pid":2,"tid":1,"name":"fusion.7","ts":1,"dur":5,"args":{"hlo_op":"fusion.7","hlo_module":"jit_f","device_ordinal":"1"}})",
       R"({"ph":"X","pid":2,"tid":1,"name":"while.1","ts":0,"dur":9,"args":{"hlo_op":"while.1","hlo_module":"jit_f","device_ordinal":"1"}})"});
  EXPECT_EQ(profile.trace.device_names, std::vector<std::string>{"CPU 1"});
  EXPECT_EQ(profile.trace.events.size(), 1U) << "a loop lies round its body's events";
  EXPECT_EQ(profile.trace.matched_share, 1);
}

TEST(Attribution, StepsOfPyTorchAreWhatTheirLaunchesRan) {
  const auto event = [](const char* category, const char* name, int64_t at, int64_t duration,
                        int64_t launch) {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":5,"tid":5,"ts":{},"dur":{},"args":{{"device":0,"stream":7,"correlation":{}}}}})",
        category, name, at, duration, launch);
  };
  const std::vector<std::string> events{event("user_annotation", "ProfilerStep#1", 0, 9, 0),
                                        event("user_annotation", "ProfilerStep#2", 10, 9, 0),
                                        event("cuda_runtime", "cudaLaunchKernel", 1, 1, 1),
                                        event("cuda_runtime", "cudaLaunchKernel", 11, 1, 2),
                                        event("kernel", "ampere_sgemm_32x32", 100, 10, 1),
                                        event("kernel", "ampere_sgemm_32x32", 120, 10, 3),
                                        event("kernel", "ampere_sgemm_32x32", 150, 10, 2)};
  const ProfileFolder folder;
  const Profile profile =
      import_profile({folder.write("trace.json", chrome_file(events, R"("schemaVersion":1,)"))}, {}).value();
  ASSERT_EQ(profile.trace.steps.size(), 2U);
  EXPECT_EQ(profile.trace.steps[0].length(), 50'000'000) << "from its first kernel to the next step's";
  EXPECT_EQ(profile.trace.steps[1].length(), 10'000'000);
  ASSERT_EQ(profile.operations.size(), 2U);
  EXPECT_TRUE(profile.operations[1].early) << "nobody launched it in the profile";
}

// A PyTorch trace of three steps on two streams: copies run at once, kernels behind a queue of what was
// launched before the profile; each step takes 100 µs.
TEST(Attribution, TheLastStepOfPyTorchIsNotAsLongAsItsQueue) {
  const auto event = [](const char* category, const std::string& name, int64_t at, int64_t duration,
                        int64_t launch, int stream) {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":5,"tid":5,"ts":{},"dur":{},"args":{{"device":0,"stream":{},"correlation":{}}}}})",
        category, name, at, duration, stream, launch);
  };
  std::vector<std::string> events{event("kernel", "ampere_sgemm_32x32", 2, 68, 99, 7)};
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t at = 100 * step;
    events.push_back(event("user_annotation", fmt::format("ProfilerStep#{}", step), at, 99, 0, 0));
    events.push_back(event("cuda_runtime", "cudaMemcpyAsync", at + 1, 1, 2 * step, 0));
    events.push_back(event("cuda_runtime", "cudaLaunchKernel", at + 3, 1, 2 * step + 1, 0));
    events.push_back(event("gpu_memcpy", "Memcpy HtoD", at + 4, 5, 2 * step, 21));
    events.push_back(event("kernel", "ampere_sgemm_32x32", at + 70, 90, 2 * step + 1, 7));
  }
  const ProfileFolder folder;
  const Profile profile =
      import_profile({folder.write("trace.json", chrome_file(events, R"("schemaVersion":1,)"))}, {}).value();
  ASSERT_EQ(profile.trace.steps.size(), 3U);
  EXPECT_EQ(profile.trace.steps[0].length(), 100'000'000);
  EXPECT_EQ(profile.trace.steps[1].length(), 100'000'000);
  EXPECT_EQ(profile.trace.steps[2].length(), 90'000'000) << "its kernels, not what the queue holds besides";
  EXPECT_EQ(profile.worked.length(), 356'000'000) << "the first copy is of the steps too";
}

// Eight steps of two modules on two devices, the second one behind; the first module is the shorter one.
std::vector<std::string> two_modules(bool marked) {
  std::vector<std::string> out{metadata("process_name", "2", "/host:CPU")};
  const auto ran = [&](const char* module, const char* op, int device, int64_t at, int64_t duration) {
    out.push_back(fmt::format(
        R"({{"ph":"X","pid":2,"tid":1,"name":"{}","ts":{},"dur":{},"args":{{"hlo_op":"{}","hlo_module":"{}","device_ordinal":"{}"}}}})",
        op, at, duration, op, module, device));
  };
  for (int run = 0; run < 8; ++run)
    ran("jit_init", "wrapped_iota", 0, run * 3, 2);  // as often as there are steps
  for (int64_t step = 0; step < 8; ++step) {
    const int64_t at = 100 + 100 * step;
    for (const int device : {0, 1}) {
      ran("jit_forward", "dot.1", device, at + 5 * device, 20);
      ran("jit_update", "dot.2", device, at + 30 + 5 * device, 40);
      ran("jit_loss", "wrapped_add", device, at + 75 + 5 * device, 10);
    }
    if (marked) out.push_back(mark(static_cast<int>(step), 90 + step * 3, 2));
  }
  return out;
}

TEST(Attribution, StepsThatAreFoundHoldTheWorkOfAllModulesAndDevices) {
  for (const bool marked : {false, true}) {
    const ProfileFolder folder;
    const Profile profile =
        import_profile({folder.write("trace.json", chrome_file(two_modules(marked)))}, {}).value();
    ASSERT_EQ(profile.trace.steps.size(), 8U) << marked;
    for (size_t s = 0; s < 8; ++s) {
      const TimeRange step = profile.trace.steps[s];
      EXPECT_EQ(step.start, static_cast<Picoseconds>(s) * 100'000'000) << "where forward begins, not update";
      EXPECT_EQ(step.length(), s < 7 ? 100'000'000 : 90'000'000) << "to the loss of the second device";
    }
  }
}

// Four devices of the host, in pairs: the second of each comes 3 µs late, the second pair 100 µs after the
// first one.
std::vector<std::string> two_pairs(const std::vector<std::vector<int>>& pairs, const std::string& more = "") {
  std::vector<std::string> out{metadata("process_name", "2", "/host:CPU")};
  for (int64_t time = 0; time < 3; ++time)
    for (size_t pair = 0; pair < 2; ++pair)
      for (size_t k = 0; k < 2; ++k)
        out.push_back(fmt::format(
            R"({{"ph":"X","pid":2,"tid":1,"name":"psum.1","ts":{},"dur":{},"args":{{"hlo_op":"psum.1","hlo_module":"jit_f","device_ordinal":"{}"{}}}}})",
            1000 * time + 100 * pair + 3 * k, 10 - 3 * k, pairs[pair][k], more));
  return out;
}

TEST(Attribution, ACollectiveWaitsForTheLastOfItsOwnGroup) {
  const ProfileFolder folder;
  const std::string fits = folder.write("trace.json", chrome_file(two_pairs({{0, 1}, {2, 3}})));
  const std::string module = folder.write("module.hlo", testing::kPairs);
  const MeasuredTrace trace = import_measured({fits}, {.hlo_file = module}).value();
  EXPECT_NEAR(trace.operations[0].wait_s, 6 * 3e-6, 1e-12);
  EXPECT_TRUE(trace.notes.empty() || trace.notes.size() == 1U);
  // A mesh of another order: the module's text does not say where its devices are.
  const std::string other = folder.write("other.json", chrome_file(two_pairs({{0, 2}, {1, 3}})));
  EXPECT_EQ(import_measured({other}, {.hlo_file = module})->operations[0].wait_s, 0);
}

TEST(Attribution, GroupsStandInAnInstructionsOwnText) {
  const std::string head =
      R"(,"long_name":"%psum.1 = f32[64]{0} all-reduce(f32[64]{0} %x), channel_id=1, replica_groups=)";
  for (const char* groups : {"{{0,1},{2,3}}", "[2,2]<=[4]"}) {
    const auto trace =
        import_text(chrome_file(two_pairs({{0, 1}, {2, 3}}, head + groups + R"(, to_apply=%add")")));
    EXPECT_NEAR(trace->operations[0].wait_s, 6 * 3e-6, 1e-12) << groups;
  }
  const auto crossed =
      import_text(chrome_file(two_pairs({{0, 2}, {1, 3}}, head + R"([2,2]<=[2,2]T(1,0), to_apply=%add")")));
  EXPECT_NEAR(crossed->operations[0].wait_s, 6 * 3e-6, 1e-12);
}

TEST(Attribution, DevicesWhoseGroupsNobodyKnowsAreOneOnlyWhereTheyMeetEachTime) {
  const auto apart = import_text(chrome_file(two_pairs({{0, 1}, {2, 3}})));
  EXPECT_EQ(apart->operations[0].wait_s, 0);
  ASSERT_FALSE(apart->notes.empty());
  EXPECT_NE(apart->notes.back().find("12 events of collectives keep their waiting"), std::string::npos);
  std::vector<std::string> once = two_pairs({{0, 1}, {2, 3}});  // all four meet the first time
  once[3].replace(once[3].find("\"ts\":100"), 8, "\"ts\":1");
  once[4].replace(once[4].find("\"ts\":103"), 8, "\"ts\":4");
  EXPECT_EQ(import_text(chrome_file(once))->operations[0].wait_s, 0);
  const auto pair = import_text(chrome_file({once[0], once[1], once[2]}));
  EXPECT_NEAR(pair->operations[0].wait_s, 3e-6, 1e-12);
  ASSERT_FALSE(pair->notes.empty());
  EXPECT_NE(pair->notes.back().find("taken as of one group"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::attribution_test
