// SPDX-License-Identifier: Apache-2.0
// What "Copy as command" gives is run by a shell, and asks the same.
#include "engine/request/command_line.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/report/run_difference.h"
#include "engine/report/what_if_report.h"
#include "engine/session/what_if.h"
#include "engine/trace/workspace.h"
#include "tests/cli/process.h"

namespace shardscope::command_line_test {
namespace {

using nlohmann::json;

class CopiedCommand : public testing::Test {
 protected:
  RunPtr recorded(std::vector<std::string> arguments, const std::string& name) {
    const std::string db = folder.file(name);
    arguments.insert(arguments.end(), {"--numerics", "off", "--db", db, "--json"});
    const ProcessOutcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return loaded(db);
  }
  RunPtr loaded(const std::string& db) { return Workspace::open(db, true).value()->load(1).value(); }
  // The line as it was pasted into a shell that finds the program by its name, with `more` behind it.
  ProcessOutcome pasted(const std::string& line, const std::string& more = "") {
    const std::string out = folder.file("pasted.out");
    const std::string program = SHARDSCOPE_PROGRAM;
    const std::string script = "PATH='" + program.substr(0, program.rfind('/')) + "':$PATH\n" + line + " " +
                               more + " > '" + out + "' 2>&1\n";
    write_text(folder.file("pasted.sh"), script);
    ProcessOutcome outcome;
    outcome.exit_code = std::system(("sh '" + folder.file("pasted.sh") + "'").c_str());
    outcome.out = read_text(out);
    return outcome;
  }
  void expect_same_again(const RunPtr& run) {
    const std::string db = folder.file("again of " + run->strategy);
    const std::string line = run_command(*run);
    const ProcessOutcome outcome = pasted(line, "--numerics off --db '" + db + "' --json");
    ASSERT_EQ(outcome.exit_code, 0) << line << "\n" << outcome.out;
    const RunPtr again = loaded(db);
    EXPECT_EQ(run_command(*again), line);
    EXPECT_EQ(again->mesh, run->mesh);
    EXPECT_EQ(again->problem, run->problem);
    EXPECT_EQ(again->program, run->program);
    EXPECT_EQ(again->timeline, run->timeline) << line;
  }

  const TemporaryFolder folder;
};

TEST_F(CopiedCommand, OfARunAsksTheSameRun) {
  expect_same_again(recorded({"run", "teaching", "--strategy", "wang.os"}, "a"));
  expect_same_again(recorded({"run", "default", "--strategy", "meshslice.ls"}, "b"));
  const RunPtr odd = recorded({"run",
                               "--strategy",
                               "meshslice.os",
                               "--mesh",
                               "row=2,col=4",
                               "--wrap",
                               "col",
                               "--device-order",
                               "1,0,2,3,4,5,6,7",
                               "--m",
                               "256",
                               "--k",
                               "512",
                               "--n",
                               "1024",
                               "--dtype",
                               "bf16",
                               "--sum-dtype",
                               "f32",
                               "--slices",
                               "4",
                               "--collective",
                               "ring",
                               "--link",
                               "col=x2,row=x0.5",
                               "--slow-device",
                               "3=0.5",
                               "--latency",
                               "x0.5",
                               "--overlap",
                               "off",
                               "--hardware",
                               "tpu-v4",
                               "--fill",
                               "normal",
                               "--seed",
                               "7",
                               "--in-lhs",
                               "P('row','col')"},
                              "c with 'quotes'");
  EXPECT_NE(run_command(*odd).find("--in-lhs 'P('\\''row'\\'','\\''col'\\'')'"), std::string::npos)
      << run_command(*odd);
  expect_same_again(odd);
}

TEST_F(CopiedCommand, OfAWhatIfAsksTheSameQuestion) {
  const std::string db = "what's recorded";
  const RunPtr run = recorded({"run", "teaching", "--strategy", "wang.os"}, db);
  TypedWhatIf typed;
  typed.fields = {{"link", "col=x2"}, {"latency", "0"}, {"slow-device", "1=0.5"}};
  typed.events = {"3=0"};
  const WhatIf asked = parse_what_if(typed).value();
  const WhatIfBase base = WhatIfBase::make(run, {}).value();
  const Picoseconds then = base.ask(asked, WhatIfBase::Keep::totals, {}).value().then.total;
  const std::string line = what_if_command(*run, asked, folder.file(db));
  const ProcessOutcome outcome = pasted(line, "--json");
  ASSERT_EQ(outcome.exit_code, 0) << line << "\n" << outcome.out;
  EXPECT_EQ(json::parse(outcome.out)["total_s"].get<double>(), to_seconds(then)) << line;
}

TEST_F(CopiedCommand, OfADifferenceComparesTheSameRuns) {
  const std::string db = folder.file("two runs");
  for (const char* strategy : {"collective.os", "wang.os"})
    ASSERT_EQ(
        run_program({"run", "teaching", "--strategy", strategy, "--numerics", "off", "--db", db}).exit_code,
        0);
  const auto workspace = Workspace::open(db, true).value();
  const RunDifference d =
      difference_of({told(workspace->load(2).value()), told(workspace->load(1).value())}).value();
  const std::string line = difference_command(d, db);
  const ProcessOutcome outcome = pasted(line, "--json");
  ASSERT_EQ(outcome.exit_code, 0) << line << "\n" << outcome.out;
  EXPECT_EQ(outcome.out, difference_json(d));
}

TEST(CommandLine, AWindowWithoutADisplayIsOneLine) {
  const ProcessOutcome outcome =
      run_program({"--preset", "default"}, {"QT_QPA_PLATFORM=xcb", "DISPLAY=:7431", "WAYLAND_DISPLAY="});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(outcome.err.starts_with("error: there is no display to open a window on")) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

}  // namespace
}  // namespace shardscope::command_line_test
