// SPDX-License-Identifier: Apache-2.0
// kernel print, run FILE, shrink, --schedules all, code and read: texts of kernels on the command line.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace shardscope::kernel_text_test {
namespace {

using nlohmann::json;

ProcessOutcome kernel(std::vector<std::string> words) {
  words.insert(words.begin(), "kernel");
  return run_program(words);
}

json answer(std::vector<std::string> words, int exit_code) {
  words.emplace_back("--json");
  const ProcessOutcome outcome = kernel(words);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  return json::parse(outcome.out);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(CliKernelText, APrintedKernelRunsAsItsIdDoes) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.kernel");
  for (const char* id : {"ag.ring.one_semaphore", "matmul.tiled", "ag_matmul.fused_seed"}) {
    ASSERT_EQ(kernel({"print", id, "-o", file}).exit_code, 0);
    EXPECT_EQ(kernel({"print", file}).out, kernel({"print", id}).out);
    const ProcessOutcome by_id = kernel({"run", id, "--schedules", "40", "--json"});
    const ProcessOutcome by_file = kernel({"run", file, "--schedules", "40", "--json"});
    EXPECT_EQ(by_file.exit_code, by_id.exit_code) << by_file.err;
    EXPECT_EQ(by_file.out, by_id.out) << id;
  }
}

TEST(CliKernelText, AnErrorNamesFileLineAndColumn) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.kernel");
  write_text(file, replaced(kernel({"print", "permute"}).out, "hop.wait()", "hop.wiat()"));
  const ProcessOutcome outcome = kernel({"run", file});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "error: a copy has no wiat(); " + file + ":20:1\n");
  EXPECT_EQ(kernel({"run", folder.file("none.kernel")}).exit_code, 4);
}

TEST(CliKernelText, ShrinkKeepsWhatTheFailureNeeds) {
  const json shrunk = answer({"shrink", "ag.ring.one_semaphore", "--ring", "4", "--seed", "5"}, 3);
  EXPECT_EQ(shrunk["kernel"], "ag.ring.one_semaphore");
  EXPECT_EQ(shrunk["seed"], 5);
  EXPECT_LT(shrunk["steps_after"], shrunk["steps_before"]);
  EXPECT_EQ(shrunk["schedule"].size(), shrunk["steps_after"]);
  EXPECT_TRUE(shrunk["finding"].contains("message"));
  const json clean = answer({"shrink", "ag.ring", "--seed", "5"}, 0);
  EXPECT_TRUE(clean["finding"].is_null());
  EXPECT_TRUE(clean["steps_after"].is_null());
  EXPECT_EQ(kernel({"replay", "ag.ring", "--shortest"}).exit_code, 2);
}

TEST(CliKernelText, AllSchedulesOfASmallRingAreAProof) {
  const json all =
      answer({"run", "ar.two_slot", "--ring", "3", "--rows", "2", "--cols", "2", "--schedules", "all"}, 0);
  EXPECT_EQ(all["all_schedules"], true);
  EXPECT_GT(all["schedules"], 1);
  EXPECT_EQ(all["correct_runs"], all["schedules"]);
  EXPECT_NE(kernel({"run", "permute", "--ring", "3", "--schedules", "all"}).out.find("no schedule of the "),
            std::string::npos);
  EXPECT_EQ(answer({"run", "permute", "--schedules", "3"}, 0)["all_schedules"], false);
  EXPECT_EQ(kernel({"run", "permute", "--schedules", "all", "--policy", "random"}).exit_code, 2);
  EXPECT_EQ(kernel({"run", "permute", "--schedules", "some"}).exit_code, 2);
}

TEST(CliKernelText, WhatIsWrittenInPallasIsReadAgain) {
  const TemporaryFolder folder;
  const std::string python = folder.file("k.py"), file = folder.file("k.kernel");
  for (const char* id : {"ag.ring", "ar.two_slot.no_capacity", "rs.bidi", "matmul.tiled", "slow_ag_gemm_ar",
                         "ag_matmul.fused"}) {
    ASSERT_EQ(kernel({"code", id, "-o", python}).exit_code, 0) << id;
    const ProcessOutcome read = kernel({"read", python, "-o", file});
    ASSERT_EQ(read.exit_code, 0) << id << " " << read.err;
    const json before = json::parse(kernel({"run", id, "--schedules", "40", "--json"}).out);
    const ProcessOutcome again = kernel({"run", file, "--schedules", "40", "--json"});
    ASSERT_FALSE(again.out.empty()) << id << " " << again.err;
    const json after = json::parse(again.out);
    for (const char* key :
         {"correct_runs", "wrong_runs", "time_s", "vmem_peak_bytes", "max_dma_in_flight", "flops"})
      EXPECT_EQ(after[key], before[key]) << id << " " << key;
  }
}

TEST(CliKernelText, WhatIsOutsideOfTheSubsetIsNamedWithItsLine) {
  const TemporaryFolder folder;
  const std::string python = folder.file("k.py");
  write_text(python, "MESH = {\"x\": 2}\n\ndef kernel(x, out):\n    while True:\n        pass\n");
  const ProcessOutcome outcome = kernel({"read", python});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "error: 'while True:' is outside of what is read; " + python + ":4:5\n");
  write_text(python, "def kernel(x:\n");
  EXPECT_NE(kernel({"read", python}).err.find(python + ":1:"), std::string::npos);
  EXPECT_EQ(kernel({"read", folder.file("none.py")}).exit_code, 4);
}

// Arguments by name stand in any order, and nobody evaluated a block that never runs.
TEST(CliKernelText, WhatPallasCannotSayIsNamedWithItsLine) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.kernel"), head = "kernel a\naxes x\n\nb = barrier_semaphore()\n";
  write_text(file,
             head + "semaphore_signal(b, device_id=neighbour(\"x\", 1), inc=2)\nsemaphore_wait(b, 2)\n");
  EXPECT_NE(kernel({"code", file})
                .out.find("pl.semaphore_signal(b, device_id=neighbour(\"x\", 1), inc=2, "
                          "device_id_type=LOGICAL)\n"),
            std::string::npos);
  write_text(file, head + "when 1 == 2:\n    with b as a:\n        c = 1\n");
  EXPECT_EQ(kernel({"code", file}).err, "error: a block has buffers in vmem; " + file + ":6:10\n");
  write_text(file, head + "when 1 == 2:\n    for i in emit_pipeline(2):\n        a = block_in(b)\n");
  EXPECT_EQ(kernel({"code", file}).err,
            "error: expected a buffer, a shape and an index; " + file + ":7:13\n");
}

std::string oracle_file(const std::string& name) {
  return SHARDSCOPE_SOURCE_DIR "/tests/oracle/pallas/" + name;
}

// "EXPECTED = {"out": [1, 2]}" in what kernel code wrote.
nlohmann::ordered_json expected_sums(const std::string& file) {
  const std::string text = read_text(file), begin = "EXPECTED = ";
  const size_t from = text.find(begin) + begin.size();
  return nlohmann::ordered_json::parse(text.substr(from, text.find('\n', from) - from));
}

// Kernels as people write them, on the mesh that each is written for: their arrays are those that Pallas'
// interpreter gives (tests/oracle/read_kernels.py), and no schedule fails.
TEST(CliKernelText, WhatPeopleWroteIsReadAndGivesTheArraysThatJaxGives) {
  const TemporaryFolder folder;
  std::ifstream arrays(oracle_file("arrays.txt"));
  std::string name;
  int outputs = 0;
  for (std::string line; std::getline(arrays, line); ++outputs) {
    std::istringstream words(line);
    size_t output = 0;
    words >> name >> output;
    const std::vector<uint32_t> sums{std::istream_iterator<uint32_t>(words), {}};
    const std::string file = folder.file(name + ".kernel"), python = folder.file(name);
    const ProcessOutcome read = kernel({"read", oracle_file(name), "-o", file});
    ASSERT_EQ(read.exit_code, 0) << name << " " << read.err;
    std::vector<std::string> mesh;
    if (sums.size() > 1) mesh = {"--mesh", name == "exchange.py" ? "x=2,y=2" : "x=4"};
    std::vector<std::string> code = {"code", file, "-o", python}, run = {"run", file, "--json"};
    for (auto* each : {&code, &run}) each->insert(each->end(), mesh.begin(), mesh.end());
    ASSERT_EQ(kernel(code).exit_code, 0) << name;
    EXPECT_EQ(std::next(expected_sums(python).begin(), static_cast<ptrdiff_t>(output))
                  ->get<std::vector<uint32_t>>(),
              sums)
        << line;
    const ProcessOutcome ran = kernel(run);
    EXPECT_EQ(ran.exit_code, 0) << name << "\n" << ran.out;
  }
  EXPECT_EQ(outputs, 5);
}

TEST(CliKernelText, AResultJudgesWhatWasReadAndAPipelineInsideIsRead) {
  const TemporaryFolder folder;
  const std::string file = folder.file("k.kernel");
  ASSERT_EQ(kernel({"read", oracle_file("all_reduce.py"), "--result", "summed", "-o", file}).exit_code, 0);
  EXPECT_EQ(kernel({"run", file, "--ring", "5"}).exit_code, 0);
  const std::string python = folder.file("shard.py");
  write_text(python,
             replaced(read_text(oracle_file("all_gather.py")), "out_specs=P()", "out_specs=P(\"i\", None)"));
  ASSERT_EQ(kernel({"read", python, "--result", "gathered", "-o", file}).exit_code, 0);
  EXPECT_NE(kernel({"run", file, "--schedules", "5"}).out.find("wrong_spec"), std::string::npos);
  ASSERT_EQ(kernel({"read", oracle_file("tiled_product.py"), "--result", "product", "-o", file}).exit_code,
            0);
  EXPECT_EQ(kernel({"run", file}).exit_code, 0);
  ASSERT_EQ(kernel({"read", oracle_file("nested_pipeline.py"), "-o", file}).exit_code, 0);
  EXPECT_EQ(kernel({"run", file, "--ring", "4", "--schedules", "40"}).exit_code, 0);
  EXPECT_NE(kernel({"run", file, "--ring", "3"}).err.find("is written for 4 devices along x"),
            std::string::npos);
  EXPECT_NE(
      kernel({"read", oracle_file("all_reduce.py"), "--result", "right"}).err.find("there is no result"),
      std::string::npos);
  EXPECT_NE(kernel({"read", oracle_file("all_reduce.py"), "--function", "none"})
                .err.find("no kernel is called none"),
            std::string::npos);
}

// What people write that the language has no words for.
TEST(CliKernelText, WhatPeopleWroteOutsideOfTheSubsetIsNamedWithItsLine) {
  const TemporaryFolder folder;
  const std::string python = folder.file("k.py"), text = read_text(oracle_file("tiled_product.py"));
  const std::pair<std::string, std::string> cases[] = {
      {"jnp.dot(a_ref[...], b_ref[...], preferred_element_type=jnp.float32)", "jnp.exp(a_ref[...])"},
      {"jnp.zeros_like(sum_ref)", "a_ref[...] * 2"},
      {"pl.program_id(2)", "pl.program_id(3)"},
      {"num_scalar_prefetch=0", "num_scalar_prefetch=1"},
      {"jnp.ones((M, K), jnp.float32)", "load(M, K)"},
      {"jnp.ones((M, K), jnp.float32)", "jnp.ones((M, K), jnp.int32)"}};
  for (const auto& [right, wrong] : cases) {
    const size_t at = text.find(right);
    ASSERT_NE(at, std::string::npos) << right;
    write_text(python, std::string(text).replace(at, right.size(), wrong));
    const ProcessOutcome outcome = kernel({"read", python});
    EXPECT_EQ(outcome.exit_code, 2) << wrong;
    EXPECT_EQ(outcome.err.find(python + ":1:1"), std::string::npos) << wrong << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find(python + ":"), std::string::npos) << wrong << "\n" << outcome.err;
  }
}

TEST(CliKernelText, TheCollectiveMatmulOfGpusIsWrittenForMosaicGpu) {
  const std::vector<std::string> sizes = {"--m",  "256", "--n",  "256", "--k",  "128",
                                          "--bm", "64",  "--bn", "64",  "--bk", "64"};
  std::vector<std::string> code = {"code", "ag_matmul.gpu_ring", "--dialect", "mosaic-gpu", "--dtype",
                                   "bf16"};
  code.insert(code.end(), sizes.begin(), sizes.end());
  const ProcessOutcome gpu = kernel(code);
  ASSERT_EQ(gpu.exit_code, 0) << gpu.err;
  for (const char* part : {"tiled_product(left, right, result, (tm, tk, tn))",
                           "store = make_async_peer_copy(shard, slot, written",
                           "pl.semaphore_signal(received, 1, device_id=left", "plgpu.remote_ref("})
    EXPECT_NE(gpu.out.find(part), std::string::npos) << part;
  EXPECT_NE(kernel({"code", "ag_matmul.gpu_ring"}).err.find("--dialect mosaic-gpu"), std::string::npos);
  EXPECT_NE(kernel({"code", "ag.ring", "--dialect", "mosaic-gpu", "--dtype", "bf16"})
                .err.find("the GPU dialect has no"),
            std::string::npos);
  EXPECT_EQ(kernel({"code", "ag_matmul.gpu_ring", "--dialect", "mosaic-gpu"}).exit_code, 2);
  EXPECT_EQ(kernel({"code", "ag.ring", "--dialect", "cuda"}).exit_code, 2);
}

// Nothing of the file is run.
TEST(CliKernelText, ReadingRunsNothing) {
  const TemporaryFolder folder;
  const std::string python = folder.file("k.py"), touched = folder.file("touched");
  write_text(python,
             "open('" + touched + "', 'w')\n\ndef kernel(x, out):\n    open('" + touched + "', 'w')\n");
  EXPECT_EQ(kernel({"read", python}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(touched));
}

}  // namespace
}  // namespace shardscope::kernel_text_test
