// SPDX-License-Identifier: Apache-2.0
// The completions of shells offer what --help lists, command by command.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

#include "engine/request/fields.h"
#include "tests/cli/process.h"

namespace shardscope::completion_test {
namespace {

using Words = std::vector<std::string>;

struct Listed {
  std::set<std::string> options, parts;
};

// What the help of a command lists: "  -o,--output TEXT …" and, under Subcommands, "  name …".
Listed listed(const std::string& help) {
  Listed out;
  std::istringstream lines(help);
  bool parts = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Subcommands:")) parts = true;
    if (!line.starts_with("  ") || line.size() < 3 || line[2] == ' ') continue;
    const std::string word = line.substr(2, line.find(' ', 2) - 2);
    if (parts) out.parts.insert(word);
    std::istringstream names(word);
    if (word[0] == '-')
      for (std::string name; std::getline(names, name, ',');) out.options.insert(name);
  }
  return out;
}

// Every command and its parts, by the words that call it.
void collect(const Words& command, std::map<Words, Listed>& out) {
  Words words = command;
  words.emplace_back("--help");
  const Listed found = listed(run_program(words).out);
  out[command] = found;
  for (const std::string& part : found.parts) {
    Words below = command;
    below.push_back(part);
    collect(below, out);
  }
}

// What a real bash offers behind each line of words, the last of which is begun.
std::vector<std::set<std::string>> offered(const std::vector<Words>& lines) {
  const TemporaryFolder folder;
  std::string script = "cd '" + folder.path() + "'\nsource <('" SHARDSCOPE_PROGRAM "' completion bash)\n";
  for (const Words& words : lines) {
    script += "COMP_WORDS=(shardscope";
    for (const std::string& word : words) script += " '" + word + "'";
    script += "); COMP_CWORD=" + std::to_string(words.size()) +
              "; _shardscope; printf '%s ' \"${COMPREPLY[@]}\"; echo\n";
  }
  write_text(folder.file("ask.sh"), script);
  const std::string out = folder.file("out.txt"), err = folder.file("err.txt");
  EXPECT_EQ(std::system(("bash '" + folder.file("ask.sh") + "' > '" + out + "' 2> '" + err + "'").c_str()),
            0);
  EXPECT_EQ(read_text(err), "");
  std::vector<std::set<std::string>> answers;
  std::istringstream all(read_text(out));
  for (std::string line; std::getline(all, line);) {
    std::istringstream words(line);
    answers.emplace_back(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>());
  }
  EXPECT_EQ(answers.size(), lines.size());
  answers.resize(lines.size());
  return answers;
}

TEST(Completion, OffersTheOptionsAndPartsOfEveryCommand) {
  std::map<Words, Listed> commands;
  collect({}, commands);
  ASSERT_GT(commands.size(), 30U);
  std::vector<Words> lines;
  for (const auto& [command, found] : commands) {
    for (const char* begun : {"-", ""}) {
      lines.push_back(command);
      lines.back().emplace_back(begun);
    }
  }
  const auto answers = offered(lines);
  size_t at = 0;
  for (const auto& [command, found] : commands) {
    const std::string name = command.empty() ? "shardscope" : command.back();
    EXPECT_EQ(answers[at++], found.options) << name;
    EXPECT_TRUE(std::ranges::includes(answers[at++], found.parts)) << name;
  }
}

TEST(Completion, OffersTheWordsThatAnOptionTakes) {
  const auto answers = offered({{"run", "--dtype", ""},
                                {"run", "--dtype", "bf"},
                                {"lesson", "export", ""},
                                {"--theme", ""},
                                {"sweep", "--strategies", "wang.os,cannon.o"},
                                {"run", "default", "--strategy", "wang.o"},
                                {"run", "--seed", ""}});
  const std::vector<std::string>& types = find_field("dtype")->values;
  EXPECT_EQ(answers[0], std::set<std::string>(types.begin(), types.end()));
  EXPECT_EQ(answers[1], std::set<std::string>{"bf16"});
  EXPECT_TRUE(answers[2].contains("1_ring"));
  EXPECT_EQ(answers[3], (std::set<std::string>{"dark", "light"}));
  EXPECT_EQ(answers[4], std::set<std::string>{"wang.os,cannon.os"});
  EXPECT_EQ(answers[5], std::set<std::string>{"wang.os"});
  EXPECT_TRUE(answers[6].empty());
}

// Of a real zsh: its parser takes the script, and its rows name every option of bash's.
TEST(Completion, OfZshIsReadByZshAndHasTheSameRows) {
  const TemporaryFolder folder;
  const std::string zsh = run_program({"completion", "zsh"}).out;
  write_text(folder.file("_shardscope"), zsh);
  EXPECT_EQ(std::system(("zsh -n '" + folder.file("_shardscope") + "'").c_str()), 0);
  std::map<Words, Listed> commands;
  collect({}, commands);
  for (const auto& [command, found] : commands) {
    std::string at;
    for (const std::string& word : command) at += (at.empty() ? "" : "/") + word;
    const size_t row = zsh.find("    '" + at + "')\n      options=");
    ASSERT_NE(row, std::string::npos) << at;
    const std::string rows = zsh.substr(row, zsh.find(";;", row) - row);
    for (const std::string& name : found.options)
      EXPECT_NE(rows.find("'" + name + ":"), std::string::npos) << at << " " << name;
    for (const std::string& name : found.parts)
      EXPECT_NE(rows.find("'" + name + ":"), std::string::npos) << at << " " << name;
  }
}

TEST(Completion, KnowsTwoShells) {
  const ProcessOutcome outcome = run_program({"completion", "fish"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace shardscope::completion_test
