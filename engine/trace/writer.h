// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "engine/base/machine/memory_door.h"
#include "engine/run/run.h"
#include "engine/trace/sql/checkpoints.h"

namespace shardscope::inline trace {

// In table setting: before the names of texts that somebody keeps there.
inline constexpr const char* kKept = "kept.";

// The writer thread and its connection. Runs are recorded in turn; urgent work (a new id, a removal) goes in
// between two batches, so that nobody waits for a whole recording. Its functions are Workspace's.
class Writer {
 public:
  explicit Writer(Database db);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Result<int64_t> reserve_id();
  Result<int64_t> record(const RunPtr& run);
  void prove(const RunPtr& run);
  Result<void> remove(int64_t id);
  // Queued before any run that waits; nobody waits for it.
  void label(int64_t id, RunLabel label);
  void hide(int64_t id);
  void show(int64_t id);
  void forget_hidden();
  void keep(const std::string& name, std::string text);
  Result<void> wait();
  Result<void> settle();

 private:
  struct QueuedRun {
    int64_t id = 0;
    RunPtr run;
    bool numbers = false;  // those alone, of a run that was queued before
  };

  void soon(std::function<Result<void>()> work);
  template <class T>
  Result<T> urgently(std::function<Result<T>()> work) {
    std::packaged_task<Result<T>()> task(
        [this, work = std::move(work)]() -> Result<T> { return memory_door(path_, work); });
    std::future<Result<T>> outcome = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      urgent_.emplace_back([&task] { task(); });
    }
    wake_.notify_all();
    return outcome.get();
  }
  Result<int64_t> noted(Result<int64_t> outcome);
  void note(const Result<void>& outcome);
  Result<int64_t> begin(const RunPtr& run);
  Result<int64_t> next_id();
  bool idle() const { return queue_.empty() && urgent_.empty() && texts_.empty(); }
  void loop();
  bool restUntilCalled(std::unique_lock<std::mutex>& lock);
  void work(std::unique_lock<std::mutex>& lock);
  void run_urgent(std::unique_lock<std::mutex>& lock);
  Result<void> write(const QueuedRun& next);

  std::string path_;
  Database db_;  // writer thread's alone
  Checkpoints checkpoints_;
  std::set<int64_t> reserved_, removed_, to_hide_;  // likewise
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::deque<std::function<void()>> urgent_;
  std::deque<QueuedRun> queue_;
  std::map<std::string, std::string> texts_;  // to be kept, by name
  std::optional<Error> first_error_;
  bool busy_ = false;
  bool whole_ = true;  // the file alone has everything
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace shardscope::inline trace
