// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/writer.h"

#include <chrono>
#include <exception>
#include <utility>

#include "engine/trace/recorder.h"
#include "engine/trace/run_columns.h"
#include "engine/trace/run_listing.h"
#include "engine/trace/workspace_file.h"

namespace shardscope::inline trace {
namespace {

constexpr std::chrono::milliseconds kRest{1000};  // after which nothing more is taken to come
constexpr int kMostTries = 40;
constexpr size_t kLargeRun = 250'000;  // events: worth what another way of commits takes

// Nothing that a loss of power could take from anybody.
bool holds_nothing(const Database& db) {
  const auto nothing = db.integer(
      "SELECT NOT EXISTS (SELECT 1 FROM run WHERE status <> 'recording')"
      " AND NOT EXISTS (SELECT 1 FROM setting WHERE name <> 'last_run')"
      " AND NOT EXISTS (SELECT 1 FROM kernel_run) AND NOT EXISTS (SELECT 1 FROM measured_trace)");
  return nothing.ok() && *nothing == 1;
}

}  // namespace

Writer::Writer(Database db)
    : path_(db.path()), db_(std::move(db)), checkpoints_(db_), thread_([this] { loop(); }) {
  soon([this] { return remove_forgotten(db_); });
}

Writer::~Writer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

Result<int64_t> Writer::reserve_id() {
  return noted(urgently<int64_t>([this]() -> Result<int64_t> {
    TRY(const int64_t id, next_id());
    reserved_.insert(id);
    return id;
  }));
}

Result<int64_t> Writer::record(const RunPtr& run) {
  return noted(urgently<int64_t>([this, run] { return begin(run); }));
}

void Writer::prove(const RunPtr& run) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({*run->id, run, true});
  }
  wake_.notify_all();
}

Result<void> Writer::remove(int64_t id) {
  return urgently<void>([this, id]() -> Result<void> {
    removed_.insert(id);
    return remove_run(db_, id);
  });
}

// Queued before any run that waits; nobody waits for it.
void Writer::soon(std::function<Result<void>()> work) {
  {
    const std::lock_guard lock(mutex_);
    urgent_.emplace_back([this, work = std::move(work)] {
      const Result<void> outcome = memory_door(path_, work);
      const std::lock_guard held(mutex_);
      note(outcome);
    });
  }
  wake_.notify_all();
}

void Writer::label(int64_t id, RunLabel label) {
  soon([this, id, label = std::move(label)] { return set_label(db_, id, label); });
}
// One that is still being written is hidden when it is.
void Writer::hide(int64_t id) {
  soon([this, id] {
    to_hide_.insert(id);
    return hide_run(db_, id);
  });
}
void Writer::show(int64_t id) {
  soon([this, id] {
    to_hide_.erase(id);
    return show_run(db_, id);
  });
}
void Writer::forget_hidden() {
  soon([this] { return shardscope::forget_hidden(db_); });
}

void Writer::keep(const std::string& name, std::string text) {
  {
    const std::lock_guard lock(mutex_);
    texts_[name] = std::move(text);
  }
  wake_.notify_all();
}

// Readers end within moments, or their user waits for them: tried until they have.
Result<void> Writer::settle() {
  TRY_VOID(wait());
  for (int tries = 0; tries < kMostTries; ++tries) {
    TRY(const bool whole, urgently<bool>([this]() -> Result<bool> { return checkpoints_.rest(); }));
    if (whole) return {};
    std::this_thread::sleep_for(kRest / 4);
  }
  return io_error("what was saved is still in the log beside the file", path_,
                  "a query that runs reads what was before: cancel it, and save again");
}

Result<void> Writer::wait() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return idle() && !busy_; });
  const std::optional<Error> error = std::exchange(first_error_, {});
  if (error) return *error;
  return {};
}

Result<int64_t> Writer::noted(Result<int64_t> outcome) {
  const std::lock_guard lock(mutex_);
  if (!outcome.ok() && !first_error_) first_error_ = outcome.error();
  return outcome;
}

Result<int64_t> Writer::begin(const RunPtr& run) {
  TRY(Transaction transaction, Transaction::begin(db_));
  // A number that was not reserved here may come from another file.
  int64_t id = 0;
  if (run->id && reserved_.erase(*run->id) > 0) {
    id = *run->id;
  } else {
    TRY(id, next_id());
  }
  // Text of a user's that is not UTF-8 cannot become JSON; nlohmann-json says so by throwing.
  try {
    TRY_VOID(insert_run(db_, id, *run, this_writer()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return invalid(std::string("cannot record the run: ") + error.what());
  }
  TRY_VOID(transaction.commit());
  const std::lock_guard lock(mutex_);
  queue_.push_back({id, run, false});
  return id;
}

// Numbers are never used again, not even after a removal.
Result<int64_t> Writer::next_id() {
  return db_.integer(
      "INSERT INTO setting VALUES ('last_run', '1') ON CONFLICT (name) DO UPDATE SET value = value + 1"
      " RETURNING CAST(value AS INTEGER)");
}

void Writer::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!restUntilCalled(lock)) return;
    busy_ = true;
    whole_ = false;
    try {
      work(lock);
    } catch (const std::bad_alloc&) {
      if (!lock.owns_lock()) lock.lock();
      if (!first_error_) first_error_ = refused_by_machine(path_);
    }
    busy_ = false;
    if (idle()) idle_.notify_all();
  }
}

// False: it is to end.
bool Writer::restUntilCalled(std::unique_lock<std::mutex>& lock) {
  const auto called = [&] { return !idle() || stopping_; };
  while (!whole_ && !wake_.wait_for(lock, kRest, called)) {
    lock.unlock();
    const bool whole = checkpoints_.rest();
    lock.lock();
    whole_ = whole;
  }
  wake_.wait(lock, called);
  return !idle();
}

void Writer::work(std::unique_lock<std::mutex>& lock) {
  if (!urgent_.empty() || !texts_.empty()) return run_urgent(lock);
  const QueuedRun next = queue_.front();
  queue_.pop_front();
  lock.unlock();
  const Result<void> outcome = write(next);
  lock.lock();
  note(outcome);
}

// The first error is what wait() says. With the mutex.
void Writer::note(const Result<void>& outcome) {
  if (!outcome.ok() && !first_error_) first_error_ = outcome.error();
}

void Writer::run_urgent(std::unique_lock<std::mutex>& lock) {
  while (!urgent_.empty()) {
    const std::function<void()> next = std::move(urgent_.front());
    urgent_.pop_front();
    lock.unlock();
    next();
    lock.lock();
  }
  while (!texts_.empty()) {
    const auto next = texts_.extract(texts_.begin());
    lock.unlock();
    const Result<void> kept =
        db_.run("INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                kKept + next.key(), next.mapped());
    lock.lock();
    note(kept);
  }
}

Result<void> Writer::write(const QueuedRun& next) {
  const auto go_on = [&] {
    std::unique_lock lock(mutex_);
    run_urgent(lock);
    return removed_.count(next.id) == 0;
  };
  if (!go_on()) return {};
  if (next.numbers) return update_numbers(db_, next.id, *next.run);
  checkpoints_.go_straight(next.run->timeline.events.size() >= kLargeRun && holds_nothing(db_));
  Result<void> outcome =
      memory_door(path_, [&] { return Recorder(db_, next.id, *next.run, go_on).record(); });
  if (outcome.ok()) return to_hide_.count(next.id) > 0 ? hide_run(db_, next.id) : outcome;
  // What is there of it is hidden; when even removing it fails, a later process will.
  const Result<void> removed = remove_run(db_, next.id);
  const bool stopped = outcome.error().kind == ErrorKind::cancelled;
  return stopped ? removed : outcome;
}

}  // namespace shardscope::inline trace
