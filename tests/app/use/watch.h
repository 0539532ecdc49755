// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>

namespace shardscope {

// What a session writes while it goes on, a line at once each: what is read after a crash too.
class SessionLog {
 public:
  explicit SessionLog(const std::string& path);
  ~SessionLog();
  void line(const std::string& text) const;
  int handle() const { return handle_; }

 private:
  int handle_;
};

// Looks from a thread of its own whether the window's thread still handles events. Time that the thread
// waited for a processor is not the program's and does not count. A freeze is written to the log: where the
// thread stood when the limit was passed, and how long it took in the end.
class Watch {
 public:
  Watch(const SessionLog& log, double limit_s);
  ~Watch();

 private:
  void beat();               // the window's thread handles events
  double still_for() const;  // seconds since the last beat

  const SessionLog& log_;
  const double limit_s_;
  QTimer timer_;
  std::atomic<double> last_{0}, waited_{0};
  std::atomic<bool> frozen_{false};
  std::string schedule_file_;  // of the window's thread
  std::jthread thread_;
};

double resident_mb();  // of this process, once the C library has given back what it does not use
double resident_mb_as_is();
void write_stack_on_crash(const SessionLog& log);

}  // namespace shardscope
