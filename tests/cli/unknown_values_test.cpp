// SPDX-License-Identifier: Apache-2.0
// Modules with an operation that has no meaning here: what depends on it is neither printed nor written.
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace shardscope::unknown_values_test {
namespace {

using nlohmann::json;

constexpr const char* kModule =
    "HloModule m\nENTRY e { x = f32[2] parameter(0), sharding={devices=[2]<=[2]}\n"
    " c = f32[2] custom-call(x), custom_call_target=\"foo\"\n d = f32[2] add(c, x)\n"
    " y = f32[2] negate(x)\n ROOT r = (f32[2], f32[2]) tuple(d, y) }\n";
constexpr const char* kWhy = "it depends on %c: custom-call of target \"foo\" has no meaning here";

class UnknownValues : public ::testing::Test {
 protected:
  ProcessOutcome run(const std::vector<std::string>& options, const std::string& command = "run") const {
    const std::string module = folder_.file("m.hlo");
    write_text(module, kModule);
    std::vector<std::string> words = {"hlo", command, module};
    words.insert(words.end(), options.begin(), options.end());
    ProcessOutcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome;
  }
  TemporaryFolder folder_;
};

TEST_F(UnknownValues, AreNullInJsonWithTheReason) {
  const json out = json::parse(run({"--arg", "0=[1,2]", "--json"}).out);
  ASSERT_EQ(out["results"].size(), 2U);
  EXPECT_EQ(out["results"][0]["values"], nullptr);
  EXPECT_EQ(out["results"][0]["text"], nullptr);
  EXPECT_EQ(out["results"][0]["unknown"], kWhy);
  EXPECT_EQ(out["results"][1]["values"], json({-1, -2}));
  EXPECT_EQ(out["results"][1]["unknown"], nullptr);
  EXPECT_EQ(out["numerics"]["allclose"], true);
}

TEST_F(UnknownValues, AreNeitherPrintedNorWrittenAndThatIsSaid) {
  const std::string out = folder_.file("out");
  const ProcessOutcome outcome = run({"--arg", "0=[1,2]", "--print", "--out", out});
  EXPECT_NE(outcome.out.find("not known: " + std::string(kWhy)), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("not written result{0} is not known"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("[-1. -2.]"), std::string::npos) << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(out + "/result0.npy"));
  EXPECT_TRUE(std::filesystem::exists(out + "/result1.npy"));
}

TEST_F(UnknownValues, AreNoPartOfAProof) {
  const ProcessOutcome outcome = run({}, "partition");
  EXPECT_NE(outcome.out.find("// result{0} is not known"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("equals the module on one device, as far as result{1}"), std::string::npos)
      << outcome.out;
}

}  // namespace
}  // namespace shardscope::unknown_values_test
