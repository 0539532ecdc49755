// SPDX-License-Identifier: Apache-2.0
// calibrate: fields, the file that it writes, what is refused.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/process.h"

namespace shardscope::calibrate_cli_test {
namespace {

using nlohmann::json;

std::set<std::string> keys(const json& object) {
  std::set<std::string> out;
  for (const auto& [key, value] : object.items()) out.insert(key);
  return out;
}

// On two ranks an all-reduce and others print the same bandwidths, so the collective has to be named.
TEST(CliCalibrate, TakesTheOutputOfNcclTests) {
  const TemporaryFolder folder;
  const std::string log = folder.file("nccl.txt");
  std::string text =
      "host: # nThread 1 nGpus 1\nhost: #  Rank  0 Group  0 Pid 1 on host device  0 [0x19] X\n"
      "other: #  Rank  1 Group  0 Pid 1 on host device  1 [0x3b] X\nhost: # size count busbw\n";
  for (int e = 10; e < 26; ++e)
    text += "host:   " + std::to_string(1 << e) + "  " + std::to_string(1 << (e - 2)) + "  float  sum  -1  " +
            std::to_string(20 + (1 << e) / 100000) + ".0  25.45  25.45  0  21.0  25.70  25.70  0\n";
  write_text(log, text);
  const ProcessOutcome unnamed = run_program({"calibrate", "--hardware", "h100", "--points", log});
  EXPECT_EQ(unnamed.exit_code, 2);
  EXPECT_NE(unnamed.err.find("say which, as in --collective all-reduce"), std::string::npos) << unnamed.err;
  const ProcessOutcome named = run_program(
      {"calibrate", "--hardware", "h100", "--points", log, "--collective", "all-reduce", "--json"});
  ASSERT_EQ(named.exit_code, 0) << named.err;
  const json groups = json::parse(named.out)["groups"];
  ASSERT_FALSE(groups.empty());
  EXPECT_EQ(groups[0]["group"], "all-reduce 2") << groups.dump();
  const ProcessOutcome wrong =
      run_program({"calibrate", "--hardware", "h100", "--points", log, "--collective", "shuffle"});
  EXPECT_NE(wrong.err.find("'shuffle' is no collective"), std::string::npos) << wrong.err;
  text.replace(text.find("on host device  1"), 7, "on other");
  write_text(log, text);
  const ProcessOutcome two =
      run_program({"calibrate", "--hardware", "h100", "--points", log, "--collective", "all-reduce"});
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_NE(two.err.find("of several nodes, nothing of the network is fitted"), std::string::npos) << two.err;
}

TEST(CliCalibrate, WritesTheProgramThatMeasuresAnotherMachine) {
  const TemporaryFolder folder;
  for (const std::string with : {"torch", "jax"}) {
    const std::string script = folder.file(with + ".py");
    const ProcessOutcome done =
        run_program({"calibrate", "--hardware", "h100", "--script", script, "--with", with, "--json"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_NE(json::parse(done.out)["command"].get<std::string>().find("--chip h100"), std::string::npos);
    EXPECT_NE(read_text(script).find("import " + with), std::string::npos);
  }
  EXPECT_EQ(run_program({"calibrate", "--hardware", "h100", "--script", folder.file("x.py")}).exit_code, 2);
  EXPECT_EQ(run_program({"calibrate", "--hardware", "h100", "--script", "-", "--with", "numpy"}).exit_code,
            2);
}

TEST(CliCalibrate, WritesAChipThatRunsAndSaysHowFarItIsOff) {
  const TemporaryFolder folder;
  const std::string file = folder.file("mine.toml");
  const ProcessOutcome outcome =
      run_program({"calibrate", "--hardware", "a100", "--seed", "3", "-o", file, "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(keys(result), (std::set<std::string>{"chip", "parameters", "groups", "file", "least_points"}));
  EXPECT_EQ(result["chip"], "a100");
  EXPECT_EQ(result["file"], file);
  std::set<std::string> names;
  for (const json& p : result["parameters"]) {
    EXPECT_EQ(keys(p),
              (std::set<std::string>{"name", "value", "low", "high", "unit", "identified", "points"}));
    names.insert(p["name"]);
  }
  for (const char* name :
       {"compute.efficiency", "memory.hbm_efficiency", "compute.launch_overhead_s",
        "compute.elementwise_launch_s", "link.op.all-reduce.4.step_s", "link.op.all-reduce.4.bytes_per_s"})
    EXPECT_TRUE(names.contains(name)) << name;
  std::set<std::string> groups;
  for (const json& g : result["groups"]) {
    EXPECT_EQ(keys(g), (std::set<std::string>{"group", "points", "train_error", "test_error", "worst"}));
    groups.insert(g["group"]);
  }
  for (const char* name : {"matmul", "softmax", "all-reduce 4", "collectives ≥ 64 MiB"})
    EXPECT_TRUE(groups.contains(name)) << name;
  EXPECT_NE(read_text(file).find("[calibration]"), std::string::npos);
  EXPECT_EQ(run_program({"run", "wang_os_2x4", "--strategy", "wang.os", "--numerics", "off", "--hardware",
                         file, "--json"})
                .exit_code,
            0);
}

TEST(CliCalibrate, ReadsPointsOfAFileAndNamesWhatItLeavesOut) {
  const TemporaryFolder folder;
  const std::string file = folder.file("points.csv");
  write_text(file,
             "id,chip,devices,topology,op,m,k,n,bytes,dtype,measured_us\n"
             "1,h100,1,one device,matmul,4096,4096,4096,,bf16,200\n"
             "2,h100,1,one device,fft,,,,4096,bf16,200\n");
  const ProcessOutcome outcome =
      run_program({"calibrate", "--hardware", "h100", "--points", file, "--holdout", "0"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("too few points (6 needed): as before"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("A number needs 6 points that are not held out"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("Left out: 1 point\n  2: no cost rule for 'fft'"), std::string::npos)
      << outcome.out;
}

TEST(CliCalibrate, RefusesWhatItCannotUse) {
  const TemporaryFolder folder;
  const std::string file = folder.file("points.csv");
  write_text(file,
             "id,chip,devices,topology,op,m,k,n,bytes,dtype,measured_us\n1,h100,1,one,gelu,,,,8,f16,-3\n");
  const ProcessOutcome outcome = run_program({"calibrate", "--hardware", "h100", "--points", file});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "error: 'measured_us' must be a positive number of microseconds, got '-3'; " + file + ":2:28\n");
  EXPECT_EQ(run_program({"calibrate", "--hardware", "h100", "--points", folder.file("none.csv")}).exit_code,
            4);
  EXPECT_EQ(run_program({"calibrate", "--hardware", "tpu-v3"}).exit_code, 2) << "no published point is of it";
  EXPECT_EQ(run_program({"calibrate", "--hardware", "h100", "--holdout", "1"}).exit_code, 2);
  EXPECT_EQ(run_program({"calibrate"}).exit_code, 2);
}

// Before anything is measured, which takes minutes.
TEST(CliCalibrate, OfThisMachineTakesNothingThatWasMeasuredElsewhere) {
  const TemporaryFolder folder;
  const std::string others[][2] = {{"--points", folder.file("points.csv")},
                                   {"--db", folder.file("w.shardscope")},
                                   {"--script", folder.file("m.py")},
                                   {"--collective", "all-reduce"}};
  for (const auto& [option, value] : others) {
    const ProcessOutcome outcome = run_program({"calibrate", "--this-machine", option, value});
    EXPECT_EQ(outcome.exit_code, 2) << option;
    EXPECT_EQ(outcome.err, "error: both --this-machine and " + option + "; calibrate; give one of them\n");
  }
  const ProcessOutcome share = run_program({"calibrate", "--this-machine", "--holdout", "1"});
  EXPECT_EQ(share.exit_code, 2);
  EXPECT_NE(share.err.find("holdout must be from 0 to 0.9, got 1"), std::string::npos) << share.err;
}

}  // namespace
}  // namespace shardscope::calibrate_cli_test
