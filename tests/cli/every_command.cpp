// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/every_command.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "tests/cli/process.h"

namespace shardscope {

void make_runs(const std::string& db) {
  std::ofstream(db + ".json")
      << R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"gemm","ts":1,"dur":1}]})";
  std::ofstream(db + ".py") << "MESH = {\"x\": 2}\n\ndef kernel(x, out):\n    pass\n";
  for (const char* strategy : {"wang.os", "collective.os"}) {
    const Words run = {"run", "wang_os_2x4", "--strategy", strategy, "--numerics", "off", "--db", db};
    ASSERT_EQ(run_program(run).exit_code, 0) << strategy;
  }
}

std::vector<Words> commands_that_print(const std::string& db) {
  const std::string presets = SHARDSCOPE_SOURCE_DIR "/presets/hlo/";
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
          {"beside", db + ".json", "--json"},
          {"beside", db + ".json", "--format", "html"},
          {"truth"},
          {"truth", "--json"},
          {"truth", "--format", "html"},
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
          {"reshard", "--mesh", "x=2", "--shape", "8", "--from", "P('x')", "--to", "P()"},
          {"reshard", "--mesh", "x=2", "--shape", "8", "--from", "P('x')", "--to", "P()", "--json"},
          {"atlas", "--mesh", "x=2", "--m", "8", "--k", "8", "--n", "8"},
          {"atlas", "--mesh", "x=2", "--m", "8", "--k", "8", "--n", "8", "--json"},
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
          {"kernel", "run", "ag.ring", "--schedules", "3"},
          {"kernel", "replay", "ag.ring"},
          {"kernel", "print", "ag.ring"},
          {"kernel", "shrink", "ag.ring", "--seed", "5"},
          {"kernel", "code", "ag.ring"},
          {"kernel", "read", db + ".py"},
          {"kernel", "of", "--db", db, "--run", "1"},
          {"hlo", "parse", presets + "compiled_layer.hlo", "--json"},
          {"hlo", "print", presets + "compiled_layer.hlo"},
          {"hlo", "propagate", presets + "mlp.hlo"},
          {"hlo", "types", presets + "mlp.hlo"},
          {"hlo", "partition", presets + "mlp.hlo", "--json"},
          {"hlo", "run", presets + "mlp.hlo", "--json"},
          {"hlo", "code", presets + "mlp.hlo"},
          {"hlo", "grad", presets + "mlp.hlo", "--of", "0", "--by", "0"},
          {"hlo", "report", presets + "mlp.hlo"},
          {"hlo", "diff", presets + "mlp.hlo", presets + "compiled_layer.hlo"},
          {"hlo", "diff", presets + "mlp.mlir", "--stages", "--json"},
          {"hlo", "ops"},
          {"schema", "hlo", "partition"},
          {"doctor"},
          {"doctor", "--json"},
          {"completion", "bash"},
          {"completion", "zsh"}};
}

namespace {

// What the help of `words` lists as its commands.
std::set<std::string> listed_by(Words words) {
  words.push_back("--help");
  std::istringstream help(run_program(words).out);
  std::set<std::string> out;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (line.starts_with("Subcommands:")) listed = true;
    if (listed && line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
      out.insert(line.substr(2, line.find(' ', 2) - 2));
  }
  return out;
}

}  // namespace

std::set<std::string> listed_commands() {
  return listed_by({});
}

std::set<std::string> listed_subcommands() {
  std::set<std::string> out;
  for (const std::string& command : listed_commands()) {
    const std::set<std::string> own = listed_by({command});
    if (own.empty()) out.insert(command);
    for (const std::string& each : own) out.insert(command + " " + each);
  }
  return out;
}

std::string command_of(const Words& words, const std::set<std::string>& listed) {
  if (words.size() > 1 && listed.contains(words[0] + " " + words[1])) return words[0] + " " + words[1];
  return words[0];
}

}  // namespace shardscope
