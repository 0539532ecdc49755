// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/process.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace shardscope {
namespace {

// Words from the program's name on.
int start(const std::vector<std::string>& words, const std::vector<std::string>& environment, int out,
          int err) {
  const int process = fork();
  if (process != 0) return process;
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv.front(), argv.data());
  _exit(127);
}

std::vector<std::string> of_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{SHARDSCOPE_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

}  // namespace

int wait_for(int process) {
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::optional<int> wait_for(int process, int seconds) {
  constexpr int kLooks = 1000;  // a second
  int status = 0;
  for (int look = 0; look < seconds * kLooks; ++look) {
    if (waitpid(process, &status, WNOHANG) == process)
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    usleep(1'000'000 / kLooks);
  }
  kill(process, SIGKILL);
  wait_for(process);
  return std::nullopt;
}

int start_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  const int nowhere = open("/dev/null", O_WRONLY);
  const int process = start(of_program(arguments), environment, nowhere, nowhere);
  close(nowhere);
  return process;
}

ProcessOutcome run_program(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment) {
  return run_words(of_program(arguments), environment);
}

ProcessOutcome run_words(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                         const std::function<void(int process)>& meanwhile) {
  const TemporaryFolder folder;
  const int out = open(folder.file("out").c_str(), O_CREAT | O_WRONLY, 0600);
  const int err = open(folder.file("err").c_str(), O_CREAT | O_WRONLY, 0600);
  const int process = start(words, environment, out, err);
  close(out);
  close(err);
  if (meanwhile) meanwhile(process);
  ProcessOutcome outcome;
  outcome.exit_code = wait_for(process);
  outcome.out = read_text(folder.file("out"));
  outcome.err = read_text(folder.file("err"));
  return outcome;
}

ProcessOutcome run_into_closed_pipe(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  int ends[2] = {-1, -1};
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const int err = open(folder.file("err").c_str(), O_CREAT | O_WRONLY, 0600);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const int process = start(of_program(arguments), {}, ends[1], err);
  std::signal(SIGPIPE, before);
  close(ends[1]);
  close(err);
  char first[16] = {};
  ProcessOutcome outcome;
  outcome.out.assign(first, static_cast<size_t>(std::max<ssize_t>(0, read(ends[0], first, sizeof first))));
  close(ends[0]);
  outcome.exit_code = wait_for(process);
  outcome.err = read_text(folder.file("err"));
  return outcome;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace shardscope
