// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/interrupt.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <thread>
#include <unistd.h>

#include "engine/base/check.h"
#include "engine/base/file/write_file.h"

namespace shardscope::inline cli {
namespace {

int signal_pipe[2] = {-1, -1};
volatile std::sig_atomic_t came = 0;

// Only async-signal-safe calls: the watcher thread does the rest. SA_RESETHAND lets a second signal kill.
extern "C" void tell_watcher(int signal) {
  came = signal;
  const char byte = 's';
  const ssize_t written = write(signal_pipe[1], &byte, 1);
  static_cast<void>(written);
}

// Milliseconds that a command has to stop by itself, in whole pieces. A test that asks whether it does so
// gives it longer.
int patience() {
  const char* said = std::getenv("SHARDSCOPE_PATIENCE_MS");
  const int milliseconds = said == nullptr ? 0 : std::atoi(said);
  return milliseconds > 0 ? milliseconds : 800;
}

// Whoever does not look at the token in time is ended as a crash would: workspaces lose nothing that was
// done, and what was being written beside a file goes.
[[noreturn]] void end_now() {
  static constexpr char kLine[] = "error: cancelled\n";
  const ssize_t written = write(STDERR_FILENO, kLine, sizeof kLine - 1);
  static_cast<void>(written);
  remove_unfinished_files();
  _exit(128 + came);  // 130, 143
}

}  // namespace

struct Interrupt::Watcher {
  std::stop_source source;
  std::thread thread;
};

Interrupt::Interrupt() : watcher_(std::make_unique<Watcher>()) {
  CHECK(pipe2(signal_pipe, O_CLOEXEC) == 0, errno);
  watcher_->thread = std::thread([source = watcher_->source, wait = patience()]() mutable {
    char byte = 0;
    while (read(signal_pipe[0], &byte, 1) < 0 && errno == EINTR) {
    }
    if (byte != 's') return;
    source.request_stop();
    pollfd end{signal_pipe[0], POLLIN, 0};
    if (poll(&end, 1, wait) == 0) end_now();
  });
  struct sigaction action {};
  action.sa_handler = tell_watcher;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Interrupt::~Interrupt() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  const char byte = 'q';
  const ssize_t written = write(signal_pipe[1], &byte, 1);
  static_cast<void>(written);
  watcher_->thread.join();
  for (int& end : signal_pipe) close(end);
}

int Interrupt::signal() const {
  return came;
}

std::stop_token Interrupt::token() const {
  return watcher_->source.get_token();
}

}  // namespace shardscope::inline cli
