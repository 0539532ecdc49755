// SPDX-License-Identifier: Apache-2.0
// `shardscope diff` as a user types it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/process.h"

namespace shardscope::diff_command_test {
namespace {

using nlohmann::json;

// A workspace with the runs of the teaching preset.
class DiffCommand : public testing::Test {
 protected:
  void SetUp() override {
    const ProcessOutcome swept =
        run_program({"sweep", "teaching", "--numerics", "off", "--db", db, "--json"});
    ASSERT_EQ(swept.exit_code, 0) << swept.err;
    runs = json::parse(swept.out)["runs"].size();
  }
  json diff(const std::string& of) {
    const ProcessOutcome outcome = run_program({"diff", "--db", db, "--runs", of, "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out);
  }
  void expect_refused(const std::string& of, const std::string& why, int exit_code = 2) {
    const ProcessOutcome outcome = run_program({"diff", "--db", db, "--runs", of});
    EXPECT_EQ(outcome.exit_code, exit_code) << of;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }

  const TemporaryFolder folder;
  const std::string db = folder.file("teaching.shardscope");
  size_t runs = 0;
};

TEST_F(DiffCommand, HasTheFixedFieldsInTheOrderOfTheRunsAndAddsUp) {
  const json d = diff("3,1,2");
  for (const char* field : {"runs", "terms", "parts", "operations", "collectives", "memory", "verdict"})
    EXPECT_TRUE(d.contains(field)) << field;
  EXPECT_EQ(d["runs"][0]["id"], 3);
  EXPECT_EQ(d["runs"][1]["id"], 1);
  for (const char* table : {"terms", "parts"}) {
    for (size_t r = 0; r < 3; ++r) {
      double sum = 0, gap = 0;
      for (const json& row : d[table]) {
        EXPECT_EQ(row["values_s"].size(), 3U);
        EXPECT_EQ(row["delta_s"][0], 0.0);
        sum += row["values_s"][r].get<double>();
        gap += row["delta_s"][r].get<double>();
      }
      EXPECT_NEAR(sum, d["runs"][r]["total_s"].get<double>(), 1e-15);
      EXPECT_NEAR(gap, d["runs"][r]["total_s"].get<double>() - d["runs"][0]["total_s"].get<double>(), 1e-15);
    }
  }
  EXPECT_EQ(d["terms"][0]["term"], "compute");
  EXPECT_EQ(d["parts"][4]["part"], "overhead");
  const std::set<std::string> words = {"same", "longer", "shorter", "only", "missing"};
  for (const json& row : d["operations"]) {
    for (const char* list : {"status", "times_s", "bytes", "count", "critical_s"})
      EXPECT_EQ(row[list].size(), 3U) << list;
    EXPECT_EQ(row["status"][0], "same");
    for (const json& status : row["status"]) EXPECT_TRUE(words.contains(status));
  }
  EXPECT_EQ(d["memory"][0]["values_bytes"].size(), 3U);
  EXPECT_GT(d["collectives"].size(), 0U);
}

TEST_F(DiffCommand, OfARunWithItselfEverythingIsTheSame) {
  const json d = diff("2,2");
  for (const json& row : d["operations"]) EXPECT_EQ(row["status"], json({"same", "same"})) << row["key"];
  for (const json& row : d["terms"]) EXPECT_EQ(row["delta_s"], json({0.0, 0.0}));
  EXPECT_EQ(d["notes"], json::array());
}

TEST_F(DiffCommand, TextNamesRunsVerdictAndTables) {
  const ProcessOutcome outcome = run_program({"diff", "--db", db, "--runs", "1,2"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* said : {"B−A", "terms", "critical path", "operation", "memory at the peak", "total"})
    EXPECT_NE(outcome.out.find(said), std::string::npos) << said << "\n" << outcome.out;
}

TEST_F(DiffCommand, RefusesWhatItCannotCompare) {
  expect_refused("1", "one run");
  std::string many = "1";
  for (int i = 0; i < 20; ++i) many += ",1";
  expect_refused(many, "21 runs");
  expect_refused("1,9999", "9999");
  expect_refused("1,two", "two");
  const ProcessOutcome outcome = run_program({"diff", "--db", "/no/such.shardscope", "--runs", "1,2"});
  EXPECT_EQ(outcome.exit_code, 4);
}

// A kernel's runs have numbers of their own; a diff knows none of them.
TEST_F(DiffCommand, AKernelsRunIsNoRunOfAProgram) {
  const std::string file = folder.file("kernel.shardscope");
  const ProcessOutcome made = run_program({"kernel", "run", "ag.ring", "--schedules", "4", "--db", file});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const ProcessOutcome outcome = run_program({"diff", "--db", file, "--runs", "1,1"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("run 1 is the kernel ag.ring: it has no operations on a mesh"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace shardscope::diff_command_test
