// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/on_ranks.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/cluster/mpirun.h"

namespace shardscope::inline cli {
namespace {

constexpr int kNoProgram = 127;  // as of shells

// A file descriptor for as long as it lives.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

// Between fork and exec: only async-signal-safe calls. A group of its own, so that a Ctrl-C of the terminal
// comes to us alone; it reads nothing, and ends when we do.
[[noreturn]] void become(char* const* words, int said) {
  ::setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(said, STDERR_FILENO);
  execvp(words[0], words);
  _exit(kNoProgram);
}

// Waits without reaping, so that its number stays its own while it may be told to end.
int status_of(pid_t process, const std::stop_token& stop) {
  {
    const std::stop_callback end(stop, [process] { ::kill(process, SIGTERM); });
    siginfo_t info;
    while (waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void show_again(int said) {
  std::array<char, 4096> part{};
  ::lseek(said, 0, SEEK_SET);
  for (ssize_t got = 0; (got = ::read(said, part.data(), part.size())) > 0;)
    if (::write(STDERR_FILENO, part.data(), static_cast<size_t>(got)) < 0) return;
}

}  // namespace

Result<int> run_on_ranks(const std::vector<std::string>& words, int ranks, const std::stop_token& stop) {
  std::error_code unknown;
  std::vector<std::string> all{"mpirun", "-n", std::to_string(ranks),
                               std::filesystem::read_symlink("/proc/self/exe", unknown).string()};
  all.insert(all.end(), words.begin(), words.end());
  for (const auto& [name, value] : mpirun_environment()) setenv(name, value, 0);
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  const Descriptor said(memfd_create("said", MFD_CLOEXEC));
  const pid_t process = said.number() < 0 ? -1 : ::fork();
  if (process == 0) become(argv.data(), said.number());
  const int status = process < 0 ? kNoProgram : status_of(process, stop);
  if (stop.stop_requested()) return cancelled();
  if (status == kNoProgram) return io_error("mpirun cannot be started", "", "install openmpi-bin");
  show_again(said.number());
  return status;
}

}  // namespace shardscope::inline cli
