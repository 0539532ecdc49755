// SPDX-License-Identifier: Apache-2.0
// What holds for the options of all commands.
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/every_command.h"
#include "tests/cli/process.h"

namespace shardscope::every_option_test {
namespace {

struct Listed {
  std::string name;  // "--json"
  std::string type;  // "TEXT"; of a flag empty
  std::string help;  // as far as it stands in that line
};

// A whole number is one whatever its bounds; what is checked or must be there says so behind the type.
std::string plain_type(std::string type) {
  type = type.substr(0, type.find_first_of(":( "));
  if (type.find('|') != std::string::npos) return "TEXT";  // one of these words
  return type == "UINT" ? "INT" : type == "REQUIRED" ? "" : type;
}

std::vector<Listed> options_of(const std::string& command) {
  Words words;
  std::istringstream parts(command);
  for (std::string word; parts >> word;) words.push_back(word);
  words.emplace_back("--help");
  std::istringstream help(run_program(words).out);
  static const std::regex line("^  (?:-[a-z],)?((?:--[a-z][a-z0-9-]*,?)+) ?([^ ]*)(.*)$");
  std::vector<Listed> out;
  std::smatch match;
  for (std::string text; std::getline(help, text);) {
    if (!std::regex_match(text, match, line)) continue;
    const std::string rest = match[3];
    const size_t begins = rest.find_first_not_of(' ');
    std::istringstream names(match[1]);
    for (std::string name; std::getline(names, name, ',');)
      out.push_back({name, plain_type(match[2]), begins == std::string::npos ? "" : rest.substr(begins)});
  }
  return out;
}

class EveryOption : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const std::string& command : listed_subcommands()) by_command_[command] = options_of(command);
  }
  static inline std::map<std::string, std::vector<Listed>> by_command_;
};

TEST_F(EveryOption, JsonAndQuietAreOptionsOfEveryCommand) {
  ASSERT_GT(by_command_.size(), 35U);
  for (const auto& [command, options] : by_command_) {
    std::map<std::string, Listed> named;
    for (const Listed& option : options) named.emplace(option.name, option);
    ASSERT_TRUE(named.contains("--json")) << command;
    EXPECT_TRUE(named["--json"].help.starts_with("One JSON object on stdout")) << command;
    ASSERT_TRUE(named.contains("--quiet")) << command;
    EXPECT_EQ(named["--quiet"].help, "Neither progress nor notes on stderr") << command;
  }
}

// Of one name, one kind of value. What is otherwise is what these options were fixed to be.
TEST_F(EveryOption, TakesTheSameKindOfValueInEveryCommand) {
  const std::map<std::string, std::set<std::string>> others = {
      {"--hlo", {"sharding"}},                               // a sharding's text
      {"--k", {"errors"}},                                   // a range of lengths
      {"--of", {"hlo grad"}},                                // a result's name
      {"--step", {"tune"}},                                  // what is trained
      {"--out", {"hlo run", "hlo grad", "hlo partition"}}};  // a folder of arrays; a module
  std::map<std::string, std::map<std::string, std::string>> types;
  for (const auto& [command, options] : by_command_)
    for (const Listed& option : options) {
      const auto other = others.find(option.name);
      if (other == others.end() || !other->second.contains(command))
        types[option.name].emplace(option.type, command);
    }
  ASSERT_GT(types.size(), 100U);
  for (const auto& [name, uses] : types) {
    std::string seen;
    for (const auto& [type, command] : uses) seen += " " + command + ": " + type;
    EXPECT_EQ(uses.size(), 1U) << name << seen;
  }
  for (const auto& [name, commands] : others)
    for (const std::string& command : commands) EXPECT_TRUE(by_command_.contains(command)) << name;
}

TEST_F(EveryOption, WhatIsWrittenGoesToOutputAndDefaultsAreSaidAlike) {
  // Files beside the command's answer, or in place of it.
  const std::set<std::string> beside{"--report", "--csv", "--script", "--picture"};
  for (const auto& [command, options] : by_command_)
    for (const Listed& option : options) {
      if (option.type == "OUTPUT" && !beside.contains(option.name)) {
        EXPECT_TRUE(option.name == "--output" || option.name == "--out") << command << option.name;
      }
      EXPECT_EQ(option.help.find("(default "), std::string::npos) << command << option.name;
    }
}

}  // namespace
}  // namespace shardscope::every_option_test
