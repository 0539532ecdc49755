// SPDX-License-Identifier: Apache-2.0
// Errors, hints and help name options that some command has.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/process.h"

namespace shardscope::option_names_test {
namespace {

const std::regex kOption("(^|[^A-Za-z0-9_-])(--[a-z][a-z0-9-]*)");

void add_options(const std::string& text, std::set<std::string>& out) {
  for (std::sregex_iterator it(text.begin(), text.end(), kOption), end; it != end; ++it) out.insert((*it)[2]);
}

// Of a command and all below it, as --help lists them.
void collect(const std::vector<std::string>& command, std::set<std::string>& out) {
  std::vector<std::string> words = command;
  words.emplace_back("--help");
  const std::string help = run_program(words).out;
  add_options(help, out);
  const size_t list = help.find("Subcommands:");
  if (list == std::string::npos || command.size() > 2) return;
  std::istringstream lines(help.substr(list));
  static const std::regex name("^  ([a-z][a-z-]*)\\b.*");
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, name)) continue;
    std::vector<std::string> below = command;
    below.push_back(match[1]);
    collect(below, out);
  }
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OptionNames, EveryOneInATextOfTheProgramIsAnOptionOfIt) {
  std::set<std::string> known = {"--man", "--probe-window"};  // in no help
  collect({}, known);
  ASSERT_GT(known.size(), 80U);
  const std::filesystem::path root = SHARDSCOPE_SOURCE_DIR;
  const std::regex literal("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");
  std::set<std::string> measuring;  // of the programs that measure elsewhere
  for (const char* program : {"measure_gpu.py", "measure_jax.py"})
    add_options(contents(root / "presets/measured" / program), measuring);
  ASSERT_TRUE(measuring.contains("--chip"));
  int64_t named = 0;
  for (const char* folder : {"engine", "app", "views"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = contents(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), literal), end; it != end; ++it) {
        std::set<std::string> options;
        add_options((*it)[1], options);
        for (const std::string& option : options) {
          ++named;
          const bool is_xla = option.starts_with("--xla");  // an option of the compiler, to get a module
          if (measuring.contains(option)) continue;
          EXPECT_TRUE(is_xla || known.count(option) > 0) << entry.path().filename() << ": " << option;
        }
      }
    }
  }
  EXPECT_GT(named, 100);
}

// What is not known of a module names no option of other commands: its run has no --numerics.
TEST(OptionNames, ARefusalOfAModulesNumbersNamesAnOptionOfItsCommand) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.hlo");
  write_text(path,
             "HloModule m\nENTRY main {\n  p = f32[64]{0} parameter(0)\n"
             "  ROOT r = f32[64]{0} custom-call(p), custom_call_target=\"foreign\"\n}\n");
  const ProcessOutcome outcome = run_program({"hlo", "run", path});
  const std::string said = outcome.out + outcome.err;
  EXPECT_NE(said.find("foreign"), std::string::npos) << said;
  EXPECT_EQ(said.find("numerics off"), std::string::npos) << said;
}

}  // namespace
}  // namespace shardscope::option_names_test
