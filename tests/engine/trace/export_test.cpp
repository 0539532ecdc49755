// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/text.h"
#include "engine/story/story.h"
#include "engine/trace/workspace.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::export_test {
namespace {

TEST(ChromeTrace, HoldsEveryEventWithItsTimesAndNames) {
  const auto run = sample_run("wang.os", "row=2,col=4");
  const auto json = nlohmann::json::parse(chrome_trace(*run).value());
  std::map<std::string, int> phases;
  std::map<std::pair<int, int>, std::string> threads;
  std::set<int64_t> starts, ends;
  for (const auto& entry : json) {
    const std::string phase = entry.at("ph");
    ++phases[phase];
    if (phase == "M" && entry.at("name") == "thread_name")
      threads[{entry.at("pid"), entry.at("tid")}] = entry.at("args").at("name");
    if (phase == "s") starts.insert(entry.at("id").get<int64_t>());
    if (phase == "f") ends.insert(entry.at("id").get<int64_t>());
    if (phase != "X") continue;
    const Event& event = run->timeline.events.at(entry.at("args").at("event").get<size_t>());
    EXPECT_EQ(entry.at("pid"), event.device);
    EXPECT_EQ(entry.at("tid"), event.lane);
    EXPECT_NEAR(entry.at("ts").get<double>(), static_cast<double>(event.start) * 1e-6, 1e-6);
    EXPECT_NEAR(entry.at("dur").get<double>(), static_cast<double>(event.end - event.start) * 1e-6, 1e-6);
    EXPECT_EQ(entry.at("args").at("bytes"), event.bytes);
    EXPECT_EQ(entry.at("args").at("flops"), event.flops);
    EXPECT_EQ(entry.at("args").at("step"), event.step);
  }
  EXPECT_EQ(phases["X"], static_cast<int>(run->timeline.events.size()));
  EXPECT_EQ(threads.size(), 8 * run->timeline.lanes.size());
  EXPECT_EQ((threads[{0, 0}]), run->timeline.lanes[0].name);
  EXPECT_GT(phases["s"], 0) << "transfers that let something start have an arrow";
  EXPECT_EQ(starts, ends);
  EXPECT_GT(phases["C"], 0) << "memory is a counter";
}

TEST(ChromeTrace, CallsWhatTravelsAsTheViewsDo) {
  const auto run = sample_run("cannon.os", "row=2,col=2");
  const Story story = *tell(run->program, run->timeline);
  std::set<std::string> names;
  for (const auto& entry : nlohmann::json::parse(chrome_trace(*run).value())) {
    if (entry.at("ph") != "X") continue;
    const int32_t number = entry.at("args").at("event");
    const Event& event = run->timeline.events.at(static_cast<size_t>(number));
    const std::string& instruction = run->program.by_global_index(event.instruction).name;
    const bool transfer = event.kind == EventKind::transfer;
    EXPECT_EQ(entry.at("name"), transfer ? name_of_transfer(story, number) : instruction);
    EXPECT_EQ(entry.at("args").at("instruction"), instruction);
    EXPECT_EQ(entry.at("args").at("beat"), story.beat_of(number));
    if (transfer) names.insert(entry.at("name"));
  }
  EXPECT_TRUE(names.contains("a0") && names.contains("w0")) << "blocks of both inputs travel";
}

// As jax.profiler's StepTraceAnnotation and torch.profiler write theirs, and as a TPU's line "Steps" has
// them.
TEST(ChromeTrace, MarksTheStepsOfALoopAsProfilersDo) {
  const auto run = stepped_run(3);
  const auto json = nlohmann::json::parse(chrome_trace(*run).value()).at("traceEvents");
  std::map<std::string, std::vector<std::pair<double, std::string>>> marks;
  std::map<std::pair<int, int>, std::string> threads;
  std::map<int, std::string> processes;
  for (const auto& e : json) {
    if (e.at("name") == "thread_name") threads[{e.at("pid"), e.at("tid")}] = e.at("args").at("name");
    if (e.at("name") == "process_name") processes[e.at("pid")] = e.at("args").at("name");
  }
  size_t events = 0;
  std::set<int64_t> arrows;
  for (const auto& e : json) {
    if (e.at("ph") == "s") {
      EXPECT_TRUE(arrows.insert(e.at("id").get<int64_t>()).second)
          << "arrows of different steps are different";
    }
    if (e.at("ph") != "X") continue;
    if (e.value("args", nlohmann::json::object()).contains("event")) {
      ++events;
      EXPECT_EQ(e.at("args").at("hlo_op"), e.at("args").at("instruction"));
      EXPECT_EQ(e.at("args").at("device_ordinal"), std::to_string(e.at("pid").get<int>()));
      continue;
    }
    const std::string thread = threads.at({e.at("pid"), e.at("tid")});
    EXPECT_TRUE(e.contains("cat")) << "readers of profiles sort events by it: " << e;
    const std::string number = e.value("args", nlohmann::json::object()).value("step_num", "");
    const std::string kind = thread == "Steps" ? "Steps"
                             : number.empty()  ? e.at("name").get<std::string>()
                                               : "train";
    marks[kind].emplace_back(e.at("ts").get<double>(),
                             number.empty() ? e.at("name").get<std::string>() : number);
    EXPECT_TRUE(thread != "python" || processes.at(e.at("pid")) == "/host:CPU");
    EXPECT_NEAR(e.at("dur").get<double>(), static_cast<double>(run->timeline.total) * 1e-6, 1e-6);
  }
  EXPECT_EQ(events, 3 * run->timeline.events.size());
  ASSERT_EQ(marks.at("train").size(), 3U);
  EXPECT_EQ(marks.at("train")[2].second, "2");
  EXPECT_EQ(marks.at("Steps").size(), 3U * static_cast<size_t>(run->timeline.devices));
  for (const char* torch : {"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"})
    EXPECT_EQ(marks.at(torch).size(), 1U);
}

TEST(ChromeTrace, SaysWhenOnlyTotalsWereKept) {
  auto run = sample_run("psum", "row=2,col=2");
  run->timeline.events.clear();
  EXPECT_EQ(chrome_trace(*run).error().kind, ErrorKind::invalid);
}

TEST(EventsCsv, HasARowAnEventUnderAHeaderWithUnits) {
  const auto run = sample_run("psum", "row=2,col=2");
  std::vector<std::string> lines = split(events_csv(*run), '\n');
  ASSERT_EQ(lines.size(), run->timeline.events.size() + 2);
  EXPECT_EQ(
      lines.front(),
      "event,device,place,lane,kind,instruction,opcode,note,step,transfer_step,beat,carries,start [ps],end "
      "[ps],duration [s],bytes [B],flops,peer,chunk,chunk_count,cause");
  EXPECT_TRUE(lines[1].starts_with("0,0,\"(0,0)\",compute,compute,")) << lines[1];
  EXPECT_EQ(lines.back(), "");
}

TEST(EventsCsv, CallsWhatTravelsAsTheViewsDo) {
  const auto run = sample_run("psum", "row=2,col=2");
  const Story story = *tell(run->program, run->timeline);
  const std::vector<std::string> lines = split(events_csv(*run), '\n');
  int64_t transfers = 0;
  for (size_t i = 0; i < run->timeline.events.size(); ++i) {
    if (run->timeline.events[i].kind != EventKind::transfer) continue;
    const auto number = static_cast<int32_t>(i);
    const std::string fields = fmt::format(",{},{},", story.beat_of(number), name_of_transfer(story, number));
    EXPECT_NE(lines[i + 1].find(fields), std::string::npos) << lines[i + 1];
    ++transfers;
  }
  EXPECT_GT(transfers, 0);
}

}  // namespace
}  // namespace shardscope::export_test
