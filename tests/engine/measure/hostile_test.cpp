// SPDX-License-Identifier: Apache-2.0
// Files that are none, or mean harm: an error with its place, never more.
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>

#include "tests/engine/measure/profile_files.h"

namespace shardscope::hostile_test {
namespace {

// The error of a file with these bytes.
std::string refused(const std::string& bytes, ErrorKind kind = ErrorKind::invalid) {
  const auto outcome = import_text(bytes);
  if (outcome.ok()) return "was read";
  EXPECT_EQ(outcome.error().kind, kind) << outcome.error().text();
  EXPECT_FALSE(outcome.error().where.empty()) << outcome.error().text();
  return outcome.error().text();
}

std::string kernel(const std::string& times) {
  return R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,)" + times +
         R"(,"args":{"device":0,"stream":7}})";
}

TEST(HostileProfile, NoFileAndNoProfileAreToldApart) {
  EXPECT_EQ(import_measured({"/no/such/file"}, {}).error().kind, ErrorKind::io);
  const ProfileFolder empty;
  const Error none = import_measured({empty.path()}, {}).error();
  EXPECT_EQ(none.kind, ErrorKind::io);
  EXPECT_NE(none.text().find("no profile is in the folder"), std::string::npos) << none.text();
  EXPECT_NE(refused("").find("empty"), std::string::npos);
  EXPECT_NE(refused("hello").find("not a profile"), std::string::npos);
  EXPECT_NE(refused("{}").find("traceEvents"), std::string::npos);
  EXPECT_NE(refused(chrome_file({})).find("no work of a device"), std::string::npos);
  const std::string on_cpu =
      refused(chrome_file({R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":5,"ts":1,"dur":9})"},
                          R"("schemaVersion":1,)"));
  EXPECT_NE(on_cpu.find("ProfilerActivity.CUDA"), std::string::npos) << on_cpu;
}

TEST(HostileProfile, EveryCutOfAFileIsAnError) {
  const std::string whole = chrome_file({kernel(R"("ts":1,"dur":2)"), kernel(R"("ts":5,"dur":2)")});
  for (size_t length = 1; length < whole.size(); ++length)
    EXPECT_NE(refused(whole.substr(0, length)), "was read") << whole.substr(0, length);
  const std::string zipped = gzipped(whole);
  for (size_t length = 3; length + 8 < zipped.size(); ++length)
    EXPECT_NE(refused(zipped.substr(0, length)), "was read") << length;
}

TEST(HostileProfile, TimesThatNoClockShowsAreRefusedAndNegativeDurationsCounted) {
  for (const char* time : {"1e300", "99999999999999999999999", "\"\"", "null", "-9223372036854775808"})
    EXPECT_NE(refused(chrome_file(
                  {kernel(R"("ts":0,"dur":1)"), kernel("\"ts\":" + std::string(time) + ",\"dur\":1")})),
              "was read")
        << time;
  EXPECT_NE(refused(chrome_file({kernel(R"("ts":0,"dur":1)"), kernel(R"("ts":5,"dur":9e300)")})), "was read");
  const MeasuredTrace trace =
      import_text(chrome_file({kernel(R"("ts":0,"dur":1)"), kernel(R"("ts":5,"dur":-3)")})).value();
  EXPECT_EQ(trace.events.size(), 1U);
  ASSERT_EQ(trace.notes.size(), 1U);
  EXPECT_NE(trace.notes[0].find("negative"), std::string::npos);
}

TEST(HostileProfile, DeepNestsLongTextsAndZippedBombsEndEarly) {
  EXPECT_NE(refused("{\"traceEvents\":" + std::string(100'000, '[')).find("nests deeper"), std::string::npos);
  EXPECT_NE(refused("{\"a\":\"" + std::string(40 << 20, 'x') + "\"}").find("longer than 16 MiB"),
            std::string::npos);
  std::string bomb = "{\"traceEvents\":[";
  while (bomb.size() < size_t{100} << 20) bomb += "{},{},{},{},{},{},{},{},";
  EXPECT_NE(refused(gzipped(bomb)).find("unfolds"), std::string::npos);
}

TEST(HostileProfile, AStopEndsAnImport) {
  const ProfileFolder folder;
  const std::string path = folder.write("a", chrome_file({kernel(R"("ts":1,"dur":2)")}));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(import_measured({path}, {.stop = stop.get_token()}).error().kind, ErrorKind::cancelled);
}

// As jax.profiler.trace writes it: plugins/profile/TIME/HOST.xplane.pb beside HOST.trace.json.gz.
TEST(ProfileInAFolder, IsTheNewestRunOfAllItsHosts) {
  namespace fs = std::filesystem;
  const ProfileFolder folder;
  const std::string trace = chrome_file({kernel(R"("ts":1,"dur":2)")});
  for (const char* run : {"new", "old"}) {
    fs::create_directories(folder.file(std::string("plugins/profile/") + run));
    for (const char* name : {"a.xplane.pb", "b.xplane.pb", "a.trace.json.gz"}) {
      const std::string path = folder.write(std::string("plugins/profile/") + run + "/" + name, trace);
      if (*run == 'o') fs::last_write_time(path, fs::last_write_time(path) - std::chrono::hours(1));
    }
  }
  const auto read = import_measured({folder.path()}, {});
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->source, folder.file("plugins/profile/new/a.xplane.pb") + ", " +
                              folder.file("plugins/profile/new/b.xplane.pb"));
  ASSERT_FALSE(read->notes.empty());
  EXPECT_NE(read->notes[0].find("its newest profile is read"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::hostile_test
