// SPDX-License-Identifier: Apache-2.0
// Words that are nearly options: refused with what was expected, before anything is done.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "tests/cli/process.h"

namespace shardscope::option_rules_test {
namespace {

using Words = std::vector<std::string>;

const std::string kModule = SHARDSCOPE_SOURCE_DIR "/presets/hlo/mlp.hlo";

Words with(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

Words run_of(const Words& more) {
  return with({"run", "teaching", "--strategy", "wang.os", "--numerics", "off"}, more);
}

void expect_refused(const Words& words, int code, const std::string& says) {
  const ProcessOutcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, code) << words[0] << " … " << words.back();
  EXPECT_EQ(outcome.out, "") << words.back();
  EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

nlohmann::json json_of(Words words) {
  words.emplace_back("--json");
  const ProcessOutcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

TEST(Words, ThatNothingTookAreToldInTheirOrder) {
  expect_refused({"run", "teaching", "--strategie", "wang.os", "--bogus"}, 2,
                 "not expected: --strategie wang.os --bogus; shardscope run; did you mean --strategy?");
  expect_refused({"run", "teaching", "one", "two"}, 2,
                 "not expected: one two; shardscope run; see shardscope run --help");
  expect_refused({"measure", "list", "--dbb=x"}, 2, "; did you mean --db?");
}

// Of a field of the table and of an option of a command's own.
TEST(Numbers, AreDecimals) {
  EXPECT_EQ(json_of(run_of({"--m", "0128"}))["problem"]["m"], 128);
  EXPECT_EQ(json_of({"errors", "--k", "16", "--seed", "010"})["seed"], 10);
  EXPECT_EQ(json_of({"errors", "--k", "16", "--seed", "18446744073709551615"})["seed"], UINT64_MAX);
}

TEST(Numbers, OfAnotherFormOrBeyondTheirRangeAreRefused) {
  const Words grouped = {"gmm", "--k", "8", "--n", "8", "--group-sizes", "3,5", "--tile", "4,4,4"};
  for (const char* wrong : {"0x10", "1e3", "8.0", "99999999999999999999", "8k", ""}) {
    expect_refused(run_of({"--m", wrong}), 2, "--m");
    expect_refused(with(grouped, {"--m", wrong}), 2, "--m");
  }
  for (const char* wrong : {"-1", "0x10", "99999999999999999999", ""}) {
    expect_refused(run_of({"--seed", wrong}), 2, "--seed");
    expect_refused({"kernel", "run", "ag.ring", "--seed", wrong}, 2, "--seed");
    expect_refused({"errors", "--k", "16", "--seed", wrong}, 2, "--seed");
  }
  for (const char* wrong : {"nan", "inf", "0x1p-1", "half"})
    expect_refused({"calibrate", "--hardware", "a100", "--holdout", wrong}, 2, "--holdout");
}

TEST(Values, AreNeverTheNextOption) {
  const TemporaryFolder folder;
  expect_refused(run_of({"--db", "--json"}), 2, "the value is missing, got the option --json; --db");
  expect_refused({"presets", "--topic", "--json"}, 2, "--topic");
  expect_refused({"export", "--db", folder.file("a"), "--run", "1", "-o", "--format", "csv"}, 2, "-o");
  expect_refused(run_of({"--threads"}), 2, "the value is missing; --threads");
  EXPECT_EQ(run_program(run_of({"--name=--json"})).exit_code, 0);
  EXPECT_EQ(run_program(run_of({"--note", "--?"})).exit_code, 0);
}

TEST(Values, OfAnOptionThatRepeatsEndBeforeTheFile) {
  EXPECT_EQ(run_program({"hlo", "run", "--slow-device", "0=0.5", kModule, "--check", "off"}).exit_code, 0);
  EXPECT_EQ(
      run_program({"run", "--tag", "a", "--link", "col=x2", "teaching", "--strategy", "wang.os"}).exit_code,
      0);
  const auto two =
      json_of({"sharding", "--mesh", "a=2", "--device-order", "1,0", "--shape", "4", "--spec", "P('a')"});
  EXPECT_EQ(two["shards"][0]["chip"], 1);
}

TEST(Files, ThatCannotBeWrittenAreRefusedBeforeTheWork) {
  const TemporaryFolder folder;
  const std::string nowhere = folder.file("none/x.");
  const std::string db = folder.file("a.shardscope");
  expect_refused(run_of({"--report", nowhere + "html", "--db", db}), 4, "no folder");
  expect_refused(run_of({"--report", folder.file("r.doc"), "--db", db}), 2, "no report ends in .doc");
  expect_refused({"errors", "--k", "16", "-o", nowhere + "png"}, 4, "no folder");
  expect_refused({"hlo", "partition", kModule, "-o", folder.path()}, 4, "it is a folder");
  expect_refused({"run", "teaching", "--strategy", "wang.os", "--out", nowhere + "npy"}, 4, "no folder");
  EXPECT_FALSE(std::ifstream(db).good()) << "a workspace was made for a request that was refused";
}

TEST(Files, OneThingGoesToStdout) {
  expect_refused({"calibrate", "--hardware", "a100", "--json", "-o", "-"}, 2, "both write to stdout");
  expect_refused({"hlo", "partition", kModule, "--json", "-o", "-"}, 2, "both write to stdout");
  expect_refused(run_of({"--report", "-"}), 2, "--report");
}

TEST(Files, PipesDevicesAndNamesOfSqliteAreNone) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& file : {pipe, std::string("/dev/zero")}) {
    expect_refused({"hlo", "parse", file}, 4, "cannot read");
    expect_refused({"run", file, "--strategy", "wang.os"}, 4, "cannot read");
    expect_refused({"tune", "--model", file, "--chips", "4"}, 4, "cannot read");
    expect_refused({"lesson", "check", file}, 4, "cannot read");
    expect_refused({"calibrate", "--hardware", file}, 4, "cannot read");
    expect_refused(run_of({"--lhs", file}), 4, "cannot read");
    expect_refused({"measure", "import", file, "--db", folder.file("m")}, 4, "cannot read");
    expect_refused({file}, 4, "cannot read");
  }
  for (const std::string& db : {pipe, std::string("/dev/null"), std::string("file:x?mode=memory"),
                                std::string(":memory:"), folder.path()}) {
    expect_refused(run_of({"--db", db}), 4, "cannot open the database");
    expect_refused({"runs", "--db", db}, 4, "cannot open the database");
    expect_refused({"kernel", "run", "ag.ring", "--db", db}, 4, "cannot open the database");
  }
}

TEST(Sweeps, TakeTwentyThousandPointsInOneRange) {
  const Words sweep = {"sweep", "--mesh", "row=2,col=2", "--k", "64", "--n", "64", "--hardware", "none"};
  // Refused for its chip, not for its points.
  expect_refused(with(sweep, {"--over", "m=1..20000"}), 2, "none");
  expect_refused(with(sweep, {"--over", "m=1..20001"}), 2, "more than 20000 values");
}

}  // namespace
}  // namespace shardscope::option_rules_test
