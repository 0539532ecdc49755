// SPDX-License-Identifier: Apache-2.0
// `shardscope … | head -1`: whoever reads no further is no error, of any command.
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "tests/cli/process.h"

namespace shardscope::closed_pipe_test {
namespace {

using Words = std::vector<std::string>;

const std::string kPresets = SHARDSCOPE_SOURCE_DIR "/presets/hlo/";

// What prints most of each command; `db`: a workspace with two runs, beside a profile.
std::vector<Words> commands_that_print(const std::string& db) {
  const Words wang = {"--strategy", "wang.os", "--mesh", "row=2,col=4", "--m",
                      "32",         "--k",     "64",     "--n",         "96"};
  const auto with = [&](Words words) {
    words.insert(words.end(), wang.begin(), wang.end());
    return words;
  };
  return {{"--man"},
          {"strategies"},
          {"strategies", "--json"},
          {"presets"},
          {"lesson", "list"},
          {"runs", "--db", db},
          {"measure", "import", db + ".json", "--db", db, "--json"},
          {"measure", "list", "--db", db},
          {"calibrate", "--hardware", "a100"},
          {"calibrate", "--hardware", "a100", "--json"},
          {"calibrate", "--hardware", "a100", "-o", "-"},
          {"lesson", "check", "1_ring", "--json"},
          {"lesson", "export", "8_why_gather"},
          {"presets", "--json"},
          with({"run", "--json"}),
          {"sweep", "teaching", "--numerics", "off", "--json"},
          {"sweep", "teaching", "--numerics", "off"},
          {"tune", "--model", "megatron", "--chips", "4", "--json"},
          {"sharding", "--mesh", "a=64,b=64", "--shape", "4096,4096", "--spec", "P('a','b')"},
          {"sharding", "--mesh", "a=64,b=64", "--shape", "4096,4096", "--spec", "P('a','b')", "--json"},
          {"compare", "--db", db, "--runs", "1,2", "--format", "html"},
          {"export", "--db", db, "--run", "1", "--format", "chrome-trace"},
          {"diff", "--db", db, "--runs", "1,2"},
          {"diff", "--db", db, "--runs", "1,2", "--json"},
          {"what-if", "--db", db, "--run", "1", "--link", "col=x2", "--sensitivity"},
          {"what-if", "--db", db, "--run", "1", "--json"},
          {"export", "--db", db, "--run", "1", "--format", "csv"},
          with({"story"}),
          with({"story", "--holdings", "on", "--json"}),
          {"errors", "--k", "16..256", "--json"},
          {"gmm", "--m", "16", "--k", "8", "--n", "8", "--group-sizes", "3,6,7", "--tile", "4,4,4"},
          {"tgmm", "--m", "16", "--k", "8", "--n", "8", "--group-sizes", "3,6,7", "--tile", "4,4,4"},
          {"kernel", "list"},
          {"kernel", "replay", "ag.ring"},
          {"hlo", "parse", kPresets + "compiled_layer.hlo", "--json"},
          {"hlo", "print", kPresets + "compiled_layer.hlo"},
          {"hlo", "propagate", kPresets + "mlp.hlo"},
          {"hlo", "partition", kPresets + "mlp.hlo", "--json"},
          {"hlo", "run", kPresets + "mlp.hlo", "--json"},
          {"hlo", "code", kPresets + "mlp.hlo"},
          {"hlo", "ops"},
          {"doctor"},
          {"doctor", "--json"},
          {"completion", "bash"},
          {"completion", "zsh"}};
}

// The commands that `shardscope --help` lists.
std::set<std::string> listed_commands() {
  std::istringstream help(run_program({"--help"}).out);
  std::set<std::string> out;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (line.starts_with("Subcommands:")) listed = true;
    if (listed && line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
      out.insert(line.substr(2, line.find(' ', 2) - 2));
  }
  return out;
}

TEST(ClosedPipe, EndsEveryCommandQuietly) {
  const TemporaryFolder folder;
  const std::string db = folder.file("runs.shardscope");
  std::ofstream(db + ".json")
      << R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"gemm","ts":1,"dur":1}]})";
  for (const char* strategy : {"wang.os", "collective.os"}) {
    ASSERT_EQ(run_program({"run", "wang_os_2x4", "--strategy", strategy, "--numerics", "off", "--db", db})
                  .exit_code,
              0);
  }
  std::set<std::string> left = listed_commands();
  EXPECT_GT(left.size(), 10U);
  left.erase("render");  // writes into files alone
  for (const Words& words : commands_that_print(db)) {
    left.erase(words.front());
    const ProcessOutcome outcome = run_into_closed_pipe(words);
    EXPECT_EQ(outcome.exit_code, 0) << words.front() << " " << words.back() << ": " << outcome.err;
    EXPECT_EQ(outcome.err, "") << words.front();
    EXPECT_FALSE(outcome.out.empty()) << words.front();
  }
  EXPECT_TRUE(left.empty()) << "not tried: " << *left.begin();
}

}  // namespace
}  // namespace shardscope::closed_pipe_test
