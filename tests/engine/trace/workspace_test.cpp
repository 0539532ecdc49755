// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/workspace.h"

#include <cmath>
#include <limits>
#include <thread>

#include "tests/engine/run/made_timeline.h"
#include "tests/engine/run/trace_conformance.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::workspace_test {
namespace {

std::string cell(const Workspace& workspace, const std::string& sql) {
  auto result = workspace.query(sql, 10);
  if (!result.ok()) return result.error().text();
  return result->rows.empty() ? "no rows" : result->rows[0][0];
}

RunPtr run_with(Timeline timeline) {
  auto run = sample_run("collective.os", "row=2,col=2");
  std::vector<BufferContents> contents = std::move(run->timeline.contents);
  if (timeline.buffers.empty()) contents.clear();
  run->timeline = std::move(timeline);
  run->timeline.contents = std::move(contents);
  return run;
}

TEST(Workspace, GivesBackEveryFieldOfARun) {
  TemporaryFolder folder;
  auto run = sample_run("wang.os", "row=2,col=4");
  run->asked.label = "dX; 'quoted' \"twice\"";
  run->experiment.title = "µ-benchmark";
  run->experiment.fill = Fill::normal;
  run->experiment.seed = std::numeric_limits<uint64_t>::max();
  run->overlap = false;
  run->collective = CollectiveAlgorithm::ring;
  run->asked.options.axes = {{"row", "col"}};
  run->asked.options.slices = 4;
  run->asked.options.in_lhs = P("row", "");
  run->ignored_options = {"block"};
  run->numerics = {true,   false, 1e-5, 1e-8,        0.1, 0.01, 1.0 / 3, 12.5,
                   {1, 2}, 3,     4,    {512, 2048}, {},  1,    2,       {"warned"}};
  run->numerics.regions = {{{0, 0}, {512, 1024}, 0.25, 1}, {{0, 1024}, {512, 2048}, 0, 0}};
  run->numerics.reference = "psum";
  run->numerics.smallest_atol = 0.25;
  run->numerics.percent_above_0_1 = 6.25;
  run->numerics.tolerance_max = 0.75;
  run->numerics.check = ProofSize::shrunk;
  run->numerics.scale = 1.0 / 64;
  run->numerics.reason = "the whole takes about 30 s";
  run->numerics.exact = ExactComparison{{1e-3, 2e-3, 3e-3}, {4e-3, 5e-3, 6e-3},    {7, 8}, 9, 10, 11,
                                        {12, -13},          "the reference is off"};
  run->measured = Measured{0.1, 0.2, 0.1, 0.3, 0.05, 0.5, 0.4, 0.45, 7, 1, "packed"};
  auto workspace = Workspace::open(folder.file("a.shardscope")).value();
  const int64_t id = workspace->record(run).value();
  ASSERT_TRUE(workspace->wait().ok());
  const RunPtr loaded = workspace->load(id).value();
  EXPECT_EQ(loaded->id, id);
  expect_equal_runs(*run, *loaded);
}

TEST(Workspace, GivesBackTheStepsOfALoop) {
  TemporaryFolder folder;
  auto run = stepped_run(4);
  run->steps->steps[2].values[0] =
      std::numeric_limits<double>::infinity();  // JSON has none: it is not a number
  run->steps->steps[3].wall_s.reset();
  auto workspace = Workspace::open(folder.file("a.shardscope")).value();
  const int64_t id = workspace->record(run).value();
  ASSERT_TRUE(workspace->wait().ok());
  const RunPtr loaded = workspace->load(id).value();
  ASSERT_TRUE(loaded->steps.has_value());
  EXPECT_TRUE(std::isnan(loaded->steps->steps[2].values[0]));
  run->steps->steps[2].values[0] = 0.25;
  auto other = std::make_shared<shardscope::Run>(*loaded);
  other->steps->steps[2].values[0] = 0.25;
  expect_equal_runs(*run, *other);
  EXPECT_EQ(cell(*workspace, "SELECT count(*) FROM loop_step WHERE marker = 'train' AND warmup = 1"), "1");
  run->steps->marker = "again";
  run->id = id;
  ASSERT_TRUE(workspace->prove(run).ok());
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_EQ(workspace->load(id).value()->steps, run->steps)
      << "numbers that come later bring the steps with them";
  ASSERT_TRUE(workspace->remove(id).ok());
  EXPECT_EQ(cell(*workspace, "SELECT count(*) FROM loop_step"), "0");
}

TEST(Workspace, GivesBackEveryStrategyAfterTheFileIsReopened) {
  TemporaryFolder folder;
  const std::string file = folder.file("a.shardscope");
  std::vector<RunPtr> runs;
  for (const char* strategy : {"collective.os", "wang.ls", "meshslice.rs", "psum", "gather.lhs"})
    runs.push_back(sample_run(strategy, "row=2,col=4"));
  {
    auto workspace = Workspace::open(file).value();
    for (const auto& run : runs) ASSERT_TRUE(workspace->record(run).ok());
  }
  auto workspace = Workspace::open(file, true).value();
  const std::vector<RunSummary> rows = workspace->runs().value();
  ASSERT_EQ(rows.size(), runs.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].strategy, runs[i]->strategy);
    EXPECT_EQ(rows[i].numbers.get(RunMetric::time), to_seconds(runs[i]->timeline.total));
    expect_equal_runs(*runs[i], *workspace->load(rows[i].id).value());
  }
}

TEST(Workspace, GivesBackEventsWithoutAnyPattern) {
  auto workspace = Workspace::in_memory().value();
  const RunPtr run = run_with(made_timeline(4, 3, 300, 7, true));
  const int64_t id = workspace->record(run).value();
  ASSERT_TRUE(workspace->wait().ok());
  expect_equal_runs(*run, *workspace->load(id).value());
}

// A product that a kernel makes is in a buffer of its own; others are where the sum is that they go into.
TEST(Workspace, GivesBackWhatIsInBuffersOfARunWithKernels) {
  auto workspace = Workspace::in_memory().value();
  std::vector<std::vector<BufferContents>> contents;
  for (const bool by_kernel : {false, true}) {
    auto run = sample_run("cannon.os", "row=2,col=2");
    ScheduleOptions options;
    const std::vector<Instruction>& entry = run->program.entry_computation().instructions;
    for (size_t i = 0; i < entry.size(); ++i) {
      if (!by_kernel || entry[i].opcode != Opcode::dot) continue;
      KernelCall& call = options.calls.emplace_back();
      call.instruction = InstructionId(static_cast<int64_t>(i));
      call.kernel = "dot.tiled";
      call.cost.compute = 1000;
    }
    run->timeline = schedule(run->program, run->hardware, options, {}).value();
    const int64_t id = workspace->record(run).value();
    ASSERT_TRUE(workspace->wait().ok());
    contents.push_back(workspace->load(id).value()->timeline.contents);
    EXPECT_EQ(contents.back(), run->timeline.contents);
  }
  EXPECT_NE(contents[0], contents[1]);
}

// Devices in a ring that all do the same: device d sends its chunk on to d + 1.
Timeline ring_timeline(int devices, int steps) {
  Timeline timeline;
  timeline.devices = devices;
  timeline.lanes = {{LaneKind::compute, -1, 0, "compute"}, {LaneKind::link, 0, 1, "x+"}};
  for (int step = 0; step < steps; ++step) {
    for (int d = 0; d < devices; ++d) {
      const int last = (step - 1) * 2 * devices;
      Event work{step * 100, step * 100 + 60, d, 0, EventKind::compute, false, 1, step};
      work.cause = step == 0 ? -1 : last + 2 * ((d + devices - 1) % devices) + 1;
      work.flops = 100;
      Event send{step * 100, step * 100 + 100, d, 1, EventKind::transfer, false, 0, step,
                 step,       (d + 1) % devices};
      send.chunk = ((d - step) % devices + devices) % devices;
      send.chunk_count = 1;
      send.cause = work.cause;
      send.bytes = 4096;
      timeline.events.push_back(work);
      timeline.events.push_back(send);
    }
  }
  timeline.total = steps * 100;
  timeline.event_count = static_cast<int64_t>(timeline.events.size());
  timeline.totals.resize(static_cast<size_t>(devices));
  for (int d = 0; d < devices; ++d) timeline.buffers.push_back({d, 1, 4096, 0, timeline.total});
  timeline.memory.assign(static_cast<size_t>(devices), {{0, 4096}, {50, 8192}});
  return timeline;
}

TEST(Workspace, GivesBackMemoryProfilesThatAreEmpty) {
  auto workspace = Workspace::in_memory().value();
  for (const size_t devices : {0, 4}) {
    auto run = sample_run("psum", "row=2,col=2");
    run->timeline.memory.assign(devices, {});
    const int64_t id = workspace->record(run).value();
    ASSERT_TRUE(workspace->wait().ok());
    EXPECT_EQ(workspace->load(id).value()->timeline.memory.size(), devices);
  }
}

TEST(Workspace, GivesBackARunOfTotalsOnly) {
  auto workspace = Workspace::in_memory().value();
  auto run = sample_run("psum", "row=2,col=2");
  run->timeline.events.clear();
  run->timeline.critical_path.events.clear();
  run->timeline.memory.clear();
  run->timeline.buffers.clear();
  run->timeline.contents.clear();
  run->timeline.event_count = int64_t{5} << 32;
  const int64_t id = workspace->record(run).value();
  ASSERT_TRUE(workspace->wait().ok());
  expect_equal_runs(*run, *workspace->load(id).value());
  EXPECT_EQ(workspace->trace(id).value()->event_count(), int64_t{5} << 32);
  EXPECT_FALSE(workspace->trace(id).value()->event(0).ok());
}

TEST(Workspace, StoresASymmetricRunOnce) {
  auto workspace = Workspace::in_memory().value();
  const RunPtr run = run_with(ring_timeline(64, 63));
  const int64_t id = workspace->record(run).value();
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_EQ(cell(*workspace, "SELECT count(*) FROM event"), "126") << "of one device of 64";
  EXPECT_EQ(cell(*workspace, "SELECT count(DISTINCT timeline) FROM device_timeline"), "1");
  EXPECT_EQ(cell(*workspace, "SELECT count(*) FROM device_event"), "8064") << "the view shows them all";
  EXPECT_EQ(cell(*workspace, "SELECT peer FROM device_event WHERE device = 63 AND lane = 'x+' AND step = 2"),
            "0");
  EXPECT_EQ(cell(*workspace, "SELECT chunk FROM device_event WHERE device = 1 AND lane = 'x+' AND step = 3"),
            "62");
  expect_equal_runs(*run, *workspace->load(id).value());
  check_trace(*workspace->trace(id).value(), ring_timeline(64, 63), true);
}

TEST(Workspace, StoresWhatSchedulingMakesOfASymmetricProgramOnce) {
  auto workspace = Workspace::in_memory().value();
  const auto run = sample_run("collective.os", "row=4,col=4");
  const int64_t id = workspace->record(run).value();
  ASSERT_TRUE(workspace->wait().ok());
  expect_equal_runs(*run, *workspace->load(id).value());
  EXPECT_EQ(cell(*workspace, "SELECT count(DISTINCT timeline) FROM device_timeline"), "1");
  EXPECT_EQ(cell(*workspace, "SELECT count(*) FROM event"), std::to_string(run->timeline.events.size() / 16));
}

TEST(Workspace, ShowsEveryEventOfEveryDeviceToAnybodysSql) {
  auto workspace = Workspace::in_memory().value();
  const auto run = sample_run("wang.ls", "row=2,col=4");
  ASSERT_TRUE(workspace->record(run).ok());
  ASSERT_TRUE(workspace->wait().ok());
  const auto rows = workspace
                        ->query(
                            "SELECT number, device, lane, peer, chunk, cause, bytes, instruction"
                            " FROM device_event ORDER BY number",
                            1 << 20)
                        .value()
                        .rows;
  ASSERT_EQ(rows.size(), run->timeline.events.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const Event& e = run->timeline.events[i];
    EXPECT_EQ(rows[i], (std::vector<std::string>{std::to_string(i), std::to_string(e.device),
                                                 run->timeline.lanes[static_cast<size_t>(e.lane)].name,
                                                 std::to_string(e.peer), std::to_string(e.chunk),
                                                 std::to_string(e.cause), std::to_string(e.bytes),
                                                 run->program.by_global_index(e.instruction).name}));
  }
  EXPECT_EQ(cell(*workspace, "SELECT strategy FROM run_summary"), "wang.ls");
}

TEST(StoredTrace, KeepsThePromisesOfATraceSource) {
  auto workspace = Workspace::in_memory().value();
  const Timeline serial = made_timeline(2, 3, 700, 1), overlapping = made_timeline(2, 2, 700, 2, true);
  const int64_t a = workspace->record(run_with(serial)).value();
  const int64_t b = workspace->record(run_with(overlapping)).value();
  ASSERT_TRUE(workspace->wait().ok());
  check_trace(*workspace->trace(a).value(), serial, true);
  check_trace(*workspace->trace(b).value(), overlapping, false);
}

TEST(StoredTrace, FindsEveryEventByItsNumber) {
  auto workspace = Workspace::in_memory().value();
  std::vector<RunPtr> runs = {run_with(ring_timeline(16, 15)), run_with(made_timeline(3, 2, 2000, 4, true))};
  Timeline mixed = ring_timeline(16, 15);  // the same, but for a device in the middle
  for (Event& event : mixed.events)
    if (event.device == 5) event.bytes += 1;
  runs.push_back(run_with(mixed));
  for (const char* strategy : {"wang.os", "collective.ls"})
    runs.push_back(sample_run(strategy, "row=4,col=8"));
  for (const RunPtr& run : runs) {
    const Timeline& timeline = run->timeline;
    const int64_t id = workspace->record(run).value();
    ASSERT_TRUE(workspace->wait().ok());
    const auto trace = workspace->trace(id).value();
    for (size_t i = 0; i < timeline.events.size(); ++i)
      ASSERT_EQ(trace->event(static_cast<int32_t>(i)).value(), timeline.events[i]) << i;
    EXPECT_EQ(trace->event(static_cast<int32_t>(timeline.events.size())).error().kind, ErrorKind::invalid);
  }
}

TEST(StoredTrace, ShowsTheSameBinsAsTheRunInMemory) {
  auto workspace = Workspace::in_memory().value();
  for (const bool overlapping : {false, true}) {
    const RunPtr run = run_with(made_timeline(3, 2, 5000, 9, overlapping));
    const int64_t id = workspace->record(run).value();
    ASSERT_TRUE(workspace->wait().ok());
    const auto stored = workspace->trace(id).value();
    const auto memory = memory_trace(run);
    for (const TimeRange range : windows_of(run->timeline))
      for (const int pixels : {10, 500, 4000})
        for (int device = 0; device < 3; ++device)
          EXPECT_EQ(stored->bins(DeviceId(device), 1, range, pixels).value(),
                    memory->bins(DeviceId(device), 1, range, pixels).value());
  }
}

TEST(Workspace, KeepsItsNumbersForWhoReservedThem) {
  auto workspace = Workspace::in_memory().value();
  auto run = sample_run("psum", "row=2,col=2");
  run->id = workspace->reserve_id().value();
  const auto other = sample_run("psum", "row=2,col=2");
  const int64_t other_id = workspace->record(other).value();
  EXPECT_NE(other_id, *run->id);
  EXPECT_EQ(workspace->record(run).value(), *run->id);
  EXPECT_NE(workspace->record(run).value(), *run->id) << "a number is given once";
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_EQ(workspace->runs().value().size(), 3u);
}

TEST(Workspace, IsReadWhileItIsWritten) {
  TemporaryFolder folder;
  auto workspace = Workspace::open(folder.file("a.shardscope")).value();
  const RunPtr run = run_with(made_timeline(4, 2, 20'000, 3));
  std::atomic<bool> stop{false};
  std::atomic<int> reads{0};
  std::thread reader([&] {
    while (!stop) {
      const std::vector<RunSummary> rows = workspace->runs().value();
      for (const RunSummary& row : rows) EXPECT_EQ(row.status, "done");
      EXPECT_EQ(cell(*workspace, "SELECT count(*) FROM run_summary WHERE events <> 160000"), "0");
      ++reads;
    }
  });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(workspace->record(run).ok());
  EXPECT_TRUE(workspace->wait().ok());
  stop = true;
  reader.join();
  EXPECT_GT(reads, 0);
  EXPECT_EQ(workspace->runs().value().size(), 3u);
}

TEST(Workspace, ForgetsARunThatIsRemovedEvenWhileItIsRecorded) {
#ifdef SHARDSCOPE_NIGHTLY
  const int rounds = 1000;
#else
  const int rounds = 50;
#endif
  TemporaryFolder folder;
  auto workspace = Workspace::open(folder.file("a.shardscope")).value();
  const RunPtr kept = sample_run("psum", "row=2,col=2");
  const int64_t kept_id = workspace->record(kept).value();
  const RunPtr big = run_with(made_timeline(4, 2, 10'000, 3));
  std::mt19937 random(1);
  for (int round = 0; round < rounds; ++round) {
    const int64_t id = workspace->record(big).value();
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    ASSERT_TRUE(workspace->remove(id).ok());
  }
  ASSERT_TRUE(workspace->wait().ok());
  ASSERT_EQ(workspace->runs().value().size(), 1u);
  expect_equal_runs(*kept, *workspace->load(kept_id).value());
  for (const char* table :
       {"pyramid", "event", "event_block", "lane", "permutation", "step", "instruction", "buffer"}) {
    const bool lacks_run = std::string(table).starts_with("event");
    const std::string rest =
        lacks_run ? " WHERE id NOT IN (SELECT e.id FROM event e JOIN lane l ON e.id >= l.first_event"
                    " AND e.id < l.first_event + l.event_count)"
                  : " WHERE run <> " + std::to_string(kept_id);
    EXPECT_EQ(cell(*workspace, std::string("SELECT count(*) FROM ") + table + rest), "0") << table;
  }
  EXPECT_EQ(cell(*workspace, "SELECT * FROM pragma_integrity_check"),
            "not allowed here: not authorized; query; ask with a single SELECT");
}

TEST(Workspace, NumbersThatComeLaterAreAsIfTheyHadBeenRecordedAtOnce) {
  TemporaryFolder folder;
  auto workspace = Workspace::open(folder.file("a.shardscope")).value();
  const auto proved = sample_run("wang.os", "row=2,col=4");
  proved->numerics.checked = proved->numerics.allclose = true;
  proved->numerics.shape = {512, 2048};
  proved->numerics.regions = {{{0, 0}, {512, 1024}, 0.25, 1}, {{0, 1024}, {512, 2048}, 0, 0}};
  proved->measured = Measured{0.1, 0.2, 0.1, 0.3, 0.05, 0.5, 0.4, 0.45, 7, 1, "packed"};
  const auto timed = std::make_shared<shardscope::Run>(*proved);
  timed->numerics = {};
  timed->measured.reset();
  const int64_t id = workspace->record(timed).value(), removed = workspace->record(timed).value();
  const auto with_id = [&](int64_t number) {
    auto run = std::make_shared<shardscope::Run>(*proved);
    run->id = number;
    return run;
  };
  ASSERT_TRUE(workspace->remove(removed).ok());
  ASSERT_TRUE(workspace->prove(with_id(id)).ok());
  ASSERT_TRUE(workspace->prove(with_id(removed)).ok());
  ASSERT_TRUE(workspace->wait().ok());
  expect_equal_runs(*proved, *workspace->load(id).value());
  EXPECT_EQ(cell(*workspace, "SELECT count(*) FROM numerics"), "1");
}

TEST(Workspace, SaysWhichRunIsNotThere) {
  auto workspace = Workspace::in_memory().value();
  EXPECT_EQ(workspace->load(7).error().kind, ErrorKind::invalid);
  EXPECT_EQ(workspace->load(7).error().what, "there is no run 7");
  EXPECT_EQ(workspace->trace(7).error().what, "no run 7");
}

}  // namespace
}  // namespace shardscope::workspace_test
