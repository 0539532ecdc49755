// SPDX-License-Identifier: Apache-2.0
// `doctor` says what is there, and what is not: of this machine, and of one that was made poorer.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/machine/memory_here.h"
#include "engine/base/parallel.h"
#include "tests/cli/process.h"

namespace shardscope::doctor_test {
namespace {

using nlohmann::json;

json finding(const ProcessOutcome& outcome, const std::string& id) {
  const json out = json::parse(outcome.out);
  for (const json& each : out["findings"])
    if (each["id"] == id) return each;
  ADD_FAILURE() << "no finding " << id;
  return {};
}

TEST(Doctor, FindsWhatThisMachineHas) {
  const ProcessOutcome outcome = run_program({"doctor", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json out = json::parse(outcome.out);
  EXPECT_TRUE(out["version"].get<std::string>().starts_with(SHARDSCOPE_VERSION));
  std::set<std::string> ids;
  for (const json& each : out["findings"]) ids.insert(each["id"]);
  EXPECT_EQ(ids, (std::set<std::string>{"system", "processor", "threads", "memory", "record", "display",
                                        "fonts", "mpi"}));
  EXPECT_EQ(finding(outcome, "threads")["values"]["threads"], Workers().threads());
  EXPECT_EQ(finding(outcome, "memory")["values"]["total_bytes"], memory_here().total);
  EXPECT_TRUE(finding(outcome, "record")["values"]["sqlite"].get<std::string>().starts_with("3."));
  EXPECT_GT(finding(outcome, "fonts")["values"]["families"], 0);
  // The platform of these tests has no OpenGL.
  EXPECT_EQ(finding(outcome, "display")["values"]["canvas"], "raster host (no OpenGL)");
}

TEST(Doctor, TextSaysWhatJsonSays) {
  const ProcessOutcome text = run_program({"doctor"});
  const ProcessOutcome as_json = run_program({"doctor", "--json"});
  EXPECT_EQ(text.exit_code, 0);
  for (const char* id : {"system", "processor", "threads", "fonts", "mpi"})
    EXPECT_NE(text.out.find(finding(as_json, id)["found"].get<std::string>()), std::string::npos) << id;
}

TEST(Doctor, SaysThatADisplayDoesNotAnswer) {
  const ProcessOutcome outcome =
      run_program({"doctor", "--json"}, {"QT_QPA_PLATFORM=xcb", "DISPLAY=:7431", "WAYLAND_DISPLAY="});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json display = finding(outcome, "display");
  EXPECT_EQ(display["health"], "lacking");
  EXPECT_EQ(display["values"]["canvas"], nullptr);
}

TEST(Doctor, ARecordThatCannotBeMadeIsBroken) {
  const ProcessOutcome outcome = run_program({"doctor", "--json"}, {"TMPDIR=/proc"});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  EXPECT_EQ(finding(outcome, "record")["health"], "broken");
}

}  // namespace
}  // namespace shardscope::doctor_test
