// SPDX-License-Identifier: Apache-2.0
// kernel: lists, runs, sweeps and replays; exit 3 when a kernel is wrong or a hazard was found.
#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace shardscope::kernel_test {
namespace {

using nlohmann::json;

json kernel(std::vector<std::string> words, int exit_code) {
  words.insert(words.begin(), "kernel");
  words.push_back("--json");
  const ProcessOutcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return json::parse(outcome.out);
}

void expect_refused(std::vector<std::string> words, const std::string& part) {
  words.insert(words.begin(), "kernel");
  const ProcessOutcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("error: ", 0), 0U) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
}

TEST(CliKernel, ListsEveryKernel) {
  std::vector<std::string> ids;
  const json list = kernel({"list"}, 0);
  for (const json& entry : list["kernels"]) ids.push_back(entry["id"]);
  for (const char* id :
       {"ag.ring", "ag.ring.one_semaphore", "ag.ring.no_barrier", "ag.bidi.halves", "ag.bidi.whole",
        "ag.bidi.seed", "ar.one_hop", "ar.seed", "ar.two_slot", "ar.two_slot.no_capacity", "rs.bidi",
        "permute", "matmul.tiled", "ag_matmul.fused_seed", "ag_matmul.fused", "slow_ag_gemm_ar"})
    EXPECT_NE(std::find(ids.begin(), ids.end(), id), ids.end()) << id;
}

TEST(CliKernel, ACleanKernelIsExitZero) {
  const json run = kernel({"run", "ag.ring", "--ring", "4", "--schedules", "50"}, 0);
  EXPECT_EQ(run["kernel"], "ag.ring");
  EXPECT_EQ(run["devices"], 4);
  EXPECT_EQ(run["schedules"], 50);
  EXPECT_EQ(run["correct_runs"], 50);
  EXPECT_EQ(run["wrong_runs"], 0);
  EXPECT_TRUE(run["findings"].empty());
  EXPECT_GT(run["time_s"], 0.0);
  EXPECT_EQ(run["vmem_peak_bytes"], 0);
  EXPECT_GE(run["max_dma_in_flight"], 4);
}

TEST(CliKernel, AHazardIsExitThreeAndNamesBothLines) {
  const json run = kernel({"run", "ag.ring.one_semaphore", "--ring", "4"}, 3);
  EXPECT_EQ(run["schedules"], 300);
  ASSERT_FALSE(run["findings"].empty());
  for (const json& finding : run["findings"]) {
    for (const char* key : {"kind", "runs", "first_seed", "devices", "message"})
      EXPECT_TRUE(finding.contains(key)) << key;
    EXPECT_GT(finding["runs"], 0);
  }
}

TEST(CliKernel, TheFirstSeedShowsTheFindingAgain) {
  const json run = kernel({"run", "ag.ring.one_semaphore", "--ring", "4"}, 3);
  const json wrong = run["findings"].back();
  const std::string seed = std::to_string(wrong["first_seed"].get<uint64_t>());
  const json again = kernel({"replay", "ag.ring.one_semaphore", "--ring", "4", "--seed", seed}, 3);
  bool found = false;
  for (const json& finding : again["findings"]) found = found || finding["kind"] == wrong["kind"];
  EXPECT_TRUE(found) << seed;
  EXPECT_FALSE(again["steps"].empty());
}

TEST(CliKernel, TilesAreSweptWithTheVmemLimit) {
  const json sweep = kernel({"run", "matmul.tiled", "--dtype", "bf16", "--m", "2048", "--k", "2048", "--n",
                             "2048", "--bk", "1024", "--bn", "1024", "--over", "bm=512,1024,2048"},
                            0);
  ASSERT_EQ(sweep["points"].size(), 3U);
  EXPECT_EQ(sweep["points"][1]["vmem_peak_bytes"], 16777216);
  EXPECT_EQ(sweep["points"][1]["fits_vmem"], true);
  EXPECT_EQ(sweep["points"][2]["fits_vmem"], false);
  EXPECT_TRUE(sweep["points"][2]["time_s"].is_null());
}

TEST(CliKernel, ARunIsRecordedWithItsFindings) {
  const TemporaryFolder folder;
  const std::string db = folder.file("kernels.shardscope");
  kernel({"run", "ar.seed", "--schedules", "5", "--db", db}, 3);
  EXPECT_NE(read_text(db).find("recv_scratch"), std::string::npos) << "the listing and the findings name it";
  kernel({"run", "permute", "--schedules", "5", "--db", db}, 0);
  EXPECT_EQ(run_program({"kernel", "run", "permute", "--db", "/no/such/folder/x"}).exit_code, 4);
}

TEST(CliKernel, EachMemoryHasALimit) {
  const std::vector<std::pair<std::string, std::string>> limits = {
      {"--hbm-limit", "hbm_overflow"},
      {"--vmem-limit", "vmem_overflow"},
      {"--semaphore-limit", "semaphore_overflow"}};
  for (const auto& [option, kind] : limits) {
    const json run = kernel({"run", "ar.two_slot", "--schedules", "2", option, "4"}, 3);
    EXPECT_EQ(run["findings"][0]["kind"], kind);
    EXPECT_EQ(run["findings"][0]["runs"], 2);
    EXPECT_EQ(run["correct_runs"], 2) << "the numbers are right all the same";
  }
  expect_refused({"run", "permute", "--over", "rows=1048576", "--cols", "8192"}, "buffers in hbm take");
}

TEST(CliKernel, ARunIsOpenedDownIntoItsKernels) {
  const TemporaryFolder folder;
  const std::string db = folder.file("run.shardscope");
  ASSERT_EQ(run_program({"run", "--strategy", "collective.os", "--mesh", "row=2,col=4", "--m", "64", "--k",
                         "128", "--n", "256", "--numerics", "off", "--db", db})
                .exit_code,
            0);
  const json all = kernel({"of", "--db", db, "--run", "1"}, 0);
  ASSERT_EQ(all["kernels"].size(), 3U);
  EXPECT_EQ(all["kernels"][0]["kernel"], "ag.ring") << "an axis of 4 is a line on this chip";
  EXPECT_EQ(all["kernels"][2]["kernel"], "matmul.tiled");
  EXPECT_GT(all["kernels"][2]["time_s"], 0.0);
  EXPECT_TRUE(all["without"].empty());
  const std::string product = all["kernels"][2]["instructions"][0];
  const json one = kernel({"of", "--db", db, "--run", "1", "--instruction", product}, 0);
  EXPECT_EQ(one["kernels"][0], all["kernels"][2]);
  // What it prints runs, and takes the same time.
  std::vector<std::string> words;
  std::istringstream command(one["kernels"][0]["command"].get<std::string>());
  for (std::string word; command >> word;) words.push_back(word);
  words.erase(words.begin(), words.begin() + 2);
  words.insert(words.end(), {"--schedules", "2"});
  EXPECT_EQ(kernel(words, 0)["time_s"], one["kernels"][0]["time_s"]);
  expect_refused({"of", "--db", db, "--run", "1", "--instruction", product + "x"}, "did you mean");
  expect_refused({"of", "--db", db, "--run", "7"}, "there is no run 7");
  expect_refused({"of"}, "expected a module's file, or --db and --run");
  EXPECT_EQ(run_program({"kernel", "of", "/no/such.hlo"}).exit_code, 4);
}

json run_json(const std::vector<std::string>& more, int exit_code = 0) {
  std::vector<std::string> words = {"run", "--strategy", "collective.os", "--mesh", "row=2,col=4", "--m",
                                    "64",  "--k",        "128",           "--n",    "256",         "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const ProcessOutcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  return outcome.out.empty() ? json() : json::parse(outcome.out);
}

TEST(CliKernel, ARunTakesTheTimeOfItsKernelsAndSaysSo) {
  const TemporaryFolder folder;
  const std::string db = folder.file("run.shardscope");
  const json flat = run_json({});
  const json timed = run_json({"--kernels", "all", "--db", db});
  EXPECT_EQ(timed["numerics"]["allclose"], true);
  EXPECT_GT(timed["simulated"]["total_s"], flat["simulated"]["total_s"]);
  EXPECT_EQ(timed["collectives"][0]["algorithm"], "ag.ring");
  const std::string assumed = timed["simulated"]["assumptions"].dump();
  EXPECT_NE(assumed.find("the time of the kernel matmul.tiled"), std::string::npos) << assumed;
  EXPECT_NE(assumed.find("in program order"), std::string::npos) << assumed;
  const json kernels = kernel({"of", "--db", db, "--run", "1"}, 0);
  double sum = 0;
  for (const json& one : kernels["kernels"]) sum += one["time_s"].get<double>();
  EXPECT_NEAR(timed["simulated"]["total_s"].get<double>(), sum, 1e-11);
  const ProcessOutcome compared = run_program({"compare", "--db", db, "--runs", "1", "--format", "json"});
  EXPECT_NE(compared.out.find("the kernel ag.ring"), std::string::npos) << "the record says it too";
  run_json({"--kernels", "some"}, 2);
  run_json({"--kernels", "all", "--slow-link", "0-1=0.5"}, 2);
  run_json({"--kernels", "dots", "--slow-device", "1=0.5"});
}

TEST(CliKernel, BadRequestsAreOneLine) {
  expect_refused({"run", "ag.rign"}, "did you mean ag.ring");
  expect_refused({"run", "ag.ring", "--ring", "0"}, "--ring");
  expect_refused({"run", "ag.ring", "--ring", "4", "--mesh", "x=4"}, "one of --ring and --mesh");
  expect_refused({"run", "slow_ag_gemm_ar", "--ring", "4"}, "2 axes");
  expect_refused({"run", "ag.ring", "--dtype", "s32"}, "f32, bf16 or f16");
  expect_refused({"run", "ag.ring", "--schedules", "0"}, "schedules");
  expect_refused({"run", "ag.ring", "--policy", "lucky"}, "--policy");
  expect_refused({"run", "matmul.tiled", "--over", "tile=3"}, "--over");
  expect_refused({"run", "ag.ring", "--rows=-3"}, "rows is -3, expected 1 to 1048576; ag.ring");
  expect_refused({"run", "matmul.tiled", "--bk", "0"}, "bk is 0");
  expect_refused({"run", "ag.bidi.halves", "--rows", "7"}, "needs an even number of rows per shard");
  expect_refused({"run", "ag.ring", "--ring", "600"}, "kernels run on up to 512");
  expect_refused({"run"}, "kernel");
  expect_refused({}, "subcommand");
}

}  // namespace
}  // namespace shardscope::kernel_test
