// SPDX-License-Identifier: Apache-2.0
#include "tests/app/use/watch.h"

#include <chrono>
#include <csignal>
#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace shardscope {
namespace {

constexpr int kBeatMs = 20;
constexpr int kLookMs = 50;
constexpr int kMostFrames = 64;
int stack_goes_to = -1;

void write_stack(int /*signal*/) {
  void* frames[kMostFrames];
  backtrace_symbols_fd(frames, backtrace(frames, kMostFrames), stack_goes_to);
}

void write_stack_and_die(int signal) {
  write_stack(signal);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// How long a thread was ready and no processor was free: the second number of its schedstat.
double waited_for_processor(const std::string& file) {
  std::ifstream in(file);
  double ran = 0, waited = 0;
  in >> ran >> waited;
  return in ? waited / 1e9 : 0;
}

}  // namespace

SessionLog::SessionLog(const std::string& path)
    : handle_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {}

SessionLog::~SessionLog() {
  ::close(handle_);
}

void SessionLog::line(const std::string& text) const {
  const std::string whole = text + "\n";
  static_cast<void>(!::write(handle_, whole.data(), whole.size()));
}

Watch::Watch(const SessionLog& log, double limit_s)
    : log_(log),
      limit_s_(limit_s),
      schedule_file_(fmt::format("/proc/self/task/{}/schedstat", syscall(SYS_gettid))) {
  stack_goes_to = log.handle();
  void* frames[1];
  backtrace(frames, 1);  // loads what it needs now, not inside of a signal
  ::signal(SIGUSR2, write_stack);
  timer_.setTimerType(Qt::PreciseTimer);
  QObject::connect(&timer_, &QTimer::timeout, [this] { beat(); });
  timer_.start(kBeatMs);
  last_ = seconds_now();
  waited_ = waited_for_processor(schedule_file_);
  const auto of = pthread_self();
  thread_ = std::jthread([this, of](const std::stop_token& stop) {
    bool told = false;
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
      const bool still = still_for() > limit_s_;
      if (still && !told) {
        frozen_ = true;
        log_.line("freeze: the window's thread stands at");
        pthread_kill(of, SIGUSR2);
      }
      told = still;
    }
  });
}

Watch::~Watch() = default;

double Watch::still_for() const {
  return seconds_now() - last_ - (waited_for_processor(schedule_file_) - waited_);
}

void Watch::beat() {
  if (frozen_.exchange(false)) log_.line(fmt::format("freeze: lasted {:.1f} s", still_for()));
  waited_ = waited_for_processor(schedule_file_);
  last_ = seconds_now();
}

double resident_mb_as_is() {
  std::ifstream in("/proc/self/statm");
  double all = 0, resident = 0;
  in >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

double resident_mb() {
  malloc_trim(0);
  return resident_mb_as_is();
}

void write_stack_on_crash(const SessionLog& log) {
  stack_goes_to = log.handle();
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) ::signal(signal, write_stack_and_die);
}

}  // namespace shardscope
