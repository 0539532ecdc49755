// SPDX-License-Identifier: Apache-2.0
// From starting the program to a picture on disk: the whole process, as a user waits for it. `version` is the
// same process without a window, so the difference is the window's.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

int run_program(std::vector<std::string> words) {
  const pid_t process = fork();
  if (process == 0) {
    setenv("QT_QPA_PLATFORM", "offscreen", 1);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    words.insert(words.begin(), SHARDSCOPE_PROGRAM);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(SHARDSCOPE_PROGRAM, argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return status;
}

void measure(benchmark::State& state, const std::vector<std::string>& words) {
  for (auto _ : state) {
    if (run_program(words) != 0) state.SkipWithError("the program failed");
  }
}

const std::string kPicture = "/tmp/shardscope_start_bench.png";

BENCHMARK_CAPTURE(measure, version, {"--version"})->Unit(benchmark::kMillisecond)->UseRealTime();
// Starts, opens the window, runs the teaching preset's four strategies, draws, saves.
BENCHMARK_CAPTURE(measure, first_picture, {"--screenshot", kPicture, "--preset", "teaching"})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
