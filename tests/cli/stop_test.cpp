// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM end a long computation in the middle, each with its exit status.
#include <chrono>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <unistd.h>

#include "tests/cli/every_command.h"
#include "tests/cli/process.h"

namespace shardscope::stop_test {
namespace {

constexpr int kSeconds = 30;  // after its signal; whoever takes longer goes on

#ifdef SHARDSCOPE_NIGHTLY
constexpr int kRounds = 20;
#else
constexpr int kRounds = 1;
#endif

// Whether it has come to where it catches that signal.
bool catches(int process, int signal_number) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigCgt:"))
      return (std::stoull(line.substr(7), nullptr, 16) >> (signal_number - 1) & 1U) != 0;
  return false;
}

// Of a command that goes on for longer than a moment. What ends one that does not look at its stop token is
// told to wait.
std::optional<int> status_after(int signal_number, const Words& command, int microseconds = 1'000'000,
                                bool when_it_catches = false) {
  const int process = start_program(command, {"SHARDSCOPE_PATIENCE_MS=600000"});
  for (int looks = 0; when_it_catches && looks < 10'000 && !catches(process, signal_number); ++looks)
    usleep(1'000);
  usleep(static_cast<useconds_t>(microseconds));
  kill(process, signal_number);
  return wait_for(process, kSeconds);
}

std::optional<int> status_of_convolution_after(int signal_number) {
  const TemporaryFolder folder;
  // Hours of products in one feature.
  std::ofstream(folder.file("m.hlo"))
      << "HloModule m\nENTRY main {\n x = f32[1,2048,2048,1] parameter(0)\n w = f32[1025,1025,1,1] "
         "parameter(1)\n"
         " ROOT y = f32[1,2048,2048,1] convolution(x, w), window={size=1025x1025 pad=512_512x512_512}, "
         "dim_labels=b01f_01io->b01f\n}\n";
  return status_after(signal_number, {"hlo", "run", folder.file("m.hlo"), "--check", "full", "--quiet"});
}

// A module of a chain of so many sums, in both languages.
void write_chain(const std::string& path, int sums) {
  std::ofstream hlo(path + ".hlo"), mlir(path + ".mlir");
  hlo << "HloModule m, num_partitions=4\nENTRY main {\n  a0 = f32[64,64] parameter(0), "
         "sharding={devices=[4,1]<=[4]}\n";
  mlir << "module @m {\n  func.func public @main(%0: tensor<64x64xf32>) -> tensor<64x64xf32> {\n";
  for (int i = 1; i <= sums; ++i) {
    hlo << (i == sums ? "  ROOT a" : "  a") << i << " = f32[64,64] add(a" << i - 1 << ", a" << i / 2 << ")\n";
    mlir << "    %" << i << " = stablehlo.add %" << i - 1 << ", %" << i / 2 << " : tensor<64x64xf32>\n";
  }
  hlo << "}\n";
  mlir << "    return %" << sums << " : tensor<64x64xf32>\n  }\n}\n";
}

// Each takes many times as long as the moment before its signal. Some show what they have so far.
std::vector<Words> long_commands(const std::string& chain) {
  const std::string hlo = chain + ".hlo", mlir = chain + ".mlir";
  return {{"tune", "--model", "gpt3", "--chips", "1024"},
          {"sweep", "--mesh", "row=2,col=2", "--k", "64", "--n", "64", "--over", "m=4..80000+4"},
          {"sweep", "--mesh", "row=2,col=4", "--m", "8192", "--k", "8192", "--n", "8192", "--quiet"},
          {"run", "--strategy", "wang.os", "--mesh", "row=2,col=4", "--m", "16384", "--k", "16384", "--n",
           "8192"},
          {"errors", "--k", "16..1048576"},
          {"kernel", "run", "ag.ring", "--schedules", "1000000"},
          {"hlo", "parse", hlo},
          {"hlo", "parse", mlir},
          {"hlo", "print", hlo},
          {"hlo", "propagate", hlo},
          {"hlo", "partition", hlo},
          {"hlo", "types", hlo},
          {"hlo", "report", hlo},
          {"hlo", "code", hlo},
          {"hlo", "run", hlo, "--check", "full"},
          {"hlo", "diff", hlo, mlir},
          {"story", hlo},
          {"kernel", "of", hlo}};
}

TEST(Stop, AConvolutionEndsInTheMiddle) {
  EXPECT_EQ(status_of_convolution_after(SIGINT), 130);
  EXPECT_EQ(status_of_convolution_after(SIGTERM), 143);
}

// What was timed before the signal is shown, as text and as JSON.
TEST(Stop, ASweepShowsWhatItHasSoFar) {
  for (const bool json : {false, true}) {
    Words words = {
        SHARDSCOPE_PROGRAM, "sweep", "--mesh", "row=2,col=4", "--m", "8192", "--k", "8192", "--n", "8192",
        "--quiet"};
    if (json) words.emplace_back("--json");
    const ProcessOutcome outcome = run_words(words, {"SHARDSCOPE_PATIENCE_MS=600000"}, [](int process) {
      sleep(5);  // all are timed in the first of them
      kill(process, SIGINT);
    });
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.err, "error: cancelled\n");
    EXPECT_NE(outcome.out.find("wang.os"), std::string::npos) << outcome.out;
    EXPECT_TRUE(json ? !nlohmann::json::parse(outcome.out)["complete"].get<bool>()
                     : outcome.out.starts_with("CANCELLED, these "))
        << outcome.out;
  }
}

TEST(Stop, EveryLongCommandLooksAtItsToken) {
  const TemporaryFolder folder;
  write_chain(folder.file("chain"), 1'500'000);
  bool interrupted = false;
  for (const Words& command : long_commands(folder.file("chain"))) {
    interrupted = !interrupted;
    EXPECT_EQ(status_after(interrupted ? SIGINT : SIGTERM, command, 300'000, true), interrupted ? 130 : 143)
        << command[0] << " " << command[1];
  }
}

// Whatever it is doing, a command ends with its signal's code or had ended as it does, and its workspace
// stays one.
TEST(Stop, EveryCommandEndsAtAnyMoment) {
  const TemporaryFolder folder;
  const std::string db = folder.file("runs.shardscope");
  make_runs(db);
  const std::set<std::string> listed = listed_subcommands();
  std::set<std::string> left = listed;
  left.erase("serve");  // waits for questions; tests/python/test_serve.py
  std::vector<Words> commands = commands_that_print(db);
  commands.push_back({"render", "--db", db, "--run", "1", "--view", "ring", "-o", folder.file("ring.pdf")});
  std::mt19937 random(7);
  bool interrupted = false;
  for (Words words : commands) {
    left.erase(command_of(words, listed));
    if (words[0] == "run" || words[0] == "sweep") words.insert(words.end(), {"--db", db});
    const auto start = std::chrono::steady_clock::now();
    const int whole = wait_for(start_program(words));
    const std::chrono::microseconds takes =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
    EXPECT_EQ(whole, 0) << words[0];
    for (int round = 0; round < kRounds; ++round) {
      interrupted = !interrupted;
      const auto code =
          status_after(interrupted ? SIGINT : SIGTERM, words, static_cast<int>(random() % takes.count()));
      EXPECT_TRUE(code == whole || code == (interrupted ? 130 : 143))
          << words.front() << " … " << words.back() << ": " << code.value_or(-1);
    }
  }
  EXPECT_TRUE(left.empty()) << "not tried: " << *left.begin();
  EXPECT_EQ(run_program({"runs", "--db", db}).exit_code, 0);
}

}  // namespace
}  // namespace shardscope::stop_test
