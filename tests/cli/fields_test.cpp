// SPDX-License-Identifier: Apache-2.0
// Every row of the table of fields that is an option, through the command line, a file and the record.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/engine/request/every_field.h"

namespace shardscope::fields_test {
namespace {

using nlohmann::json;

const std::vector<std::string> kPlain = {"run", "--strategy", "summa.os", "--numerics", "off", "--json"};

json run_of(const std::vector<std::string>& more, std::vector<std::string> words = kPlain) {
  words.insert(words.end(), more.begin(), more.end());
  const ProcessOutcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? json::parse(outcome.out) : json();
}

std::string text_of(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<std::string> with_option(const Field& field) {
  std::vector<std::string> words = {"--mesh", "row=2,col=2", "--m", "8", "--k", "16", "--n", "32"};
  for (size_t w = 0; w < words.size(); w += 2) {
    if (words[w] != "--" + field.key) continue;
    words[w + 1] = other_text(field);
    return words;
  }
  words.push_back("--" + field.key);
  words.push_back(other_text(field));
  // Only GPUs have nodes.
  if (field.key == "place") words.insert(words.end(), {"--hardware", "h100"});
  return words;
}

TEST(CliFields, EveryOptionComesOutOfTheCommandLineAsItWasTyped) {
  for (const Field& field : fields()) {
    if (!field.has(kOption)) continue;
    SCOPED_TRACE(field.key);
    if (field.key == "numerics") continue;  // is off in all of them
    const json run = run_of(with_option(field));
    if (field.execution || run.is_null()) continue;
    ASSERT_TRUE(run["request"].contains(field.file));
    EXPECT_EQ(text_of(run["request"][field.file]), other_text(field));
  }
}

TEST(CliFields, AFileSaysTheSameAsTheOptions) {
  const TemporaryFolder folder;
  const std::string file = folder.file("e.toml");
  for (const char* key : {"kernels", "collective", "seed", "experts"}) {
    const Field& field = *find_field(key);
    const std::string value = field.values.empty() ? other_text(field) : "\"" + other_text(field) + "\"";
    const std::string quoted = field.key == "seed" ? "\"" + value + "\"" : value;
    std::string text = field.scope == Scope::experiment ? field.file + " = " + quoted + "\n" : "";
    text += "[mesh]\naxes = [{name = 'row', size = 2}, {name = 'col', size = 2}]\n";
    text += "[problem]\nm = 8\nk = 16\nn = 32\n";
    if (field.scope == Scope::problem) text += field.file + " = " + quoted + "\n";
    text += "[[run]]\nstrategy = 'summa.os'\n";
    if (field.scope == Scope::run) text += field.file + " = " + quoted + "\n";
    write_text(file, text);
    EXPECT_EQ(run_of({}, {"run", file, "--numerics", "off", "--json"})["request"],
              run_of(with_option(field))["request"])
        << text;
  }
}

}  // namespace
}  // namespace shardscope::fields_test
