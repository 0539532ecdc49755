// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/workspace.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>

#include "engine/base/machine/memory_door.h"
#include "engine/request/request_json.h"
#include "engine/trace/loader.h"
#include "engine/trace/query.h"
#include "engine/trace/recorder.h"
#include "engine/trace/run_columns.h"
#include "engine/trace/run_listing.h"
#include "engine/trace/sql/checkpoints.h"
#include "engine/trace/stored_trace.h"
#include "engine/trace/workspace_file.h"

namespace shardscope {
namespace {

const std::string kKept = "kept.";  // in table setting: before the names of texts that somebody keeps there

struct QueuedRun {
  int64_t id = 0;
  RunPtr run;
  bool numbers = false;  // those alone, of a run that was queued before
};

// The writer thread and its connection. Runs are recorded in turn; urgent work (a new id, a removal) goes in
// between two batches, so that nobody waits for a whole recording.
class Writer {
 public:
  explicit Writer(Database db)
      : path_(db.path()), db_(std::move(db)), checkpoints_(db_), thread_([this] { loop(); }) {
    soon([this] { return remove_forgotten(db_); });
  }
  ~Writer() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  Result<int64_t> reserve_id() {
    return noted(urgently<int64_t>([this]() -> Result<int64_t> {
      TRY(const int64_t id, next_id());
      reserved_.insert(id);
      return id;
    }));
  }

  Result<int64_t> record(const RunPtr& run) {
    return noted(urgently<int64_t>([this, run] { return begin(run); }));
  }

  void prove(const RunPtr& run) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back({*run->id, run, true});
    }
    wake_.notify_all();
  }

  Result<void> remove(int64_t id) {
    return urgently<void>([this, id]() -> Result<void> {
      removed_.insert(id);
      return remove_run(db_, id);
    });
  }

  // Queued before any run that waits; nobody waits for it.
  void soon(std::function<Result<void>()> work) {
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

  void label(int64_t id, RunLabel label) {
    soon([this, id, label = std::move(label)] { return set_label(db_, id, label); });
  }
  // One that is still being written is hidden when it is.
  void hide(int64_t id) {
    soon([this, id] {
      to_hide_.insert(id);
      return hide_run(db_, id);
    });
  }
  void show(int64_t id) {
    soon([this, id] {
      to_hide_.erase(id);
      return show_run(db_, id);
    });
  }
  void forget_hidden() {
    soon([this] { return shardscope::forget_hidden(db_); });
  }

  void keep(const std::string& name, std::string text) {
    {
      const std::lock_guard lock(mutex_);
      texts_[name] = std::move(text);
    }
    wake_.notify_all();
  }

  Result<void> wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return idle() && !busy_; });
    const std::optional<Error> error = std::exchange(first_error_, {});
    if (error) return *error;
    return {};
  }

 private:
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

  Result<int64_t> noted(Result<int64_t> outcome) {
    const std::lock_guard lock(mutex_);
    if (!outcome.ok() && !first_error_) first_error_ = outcome.error();
    return outcome;
  }

  Result<int64_t> begin(const RunPtr& run) {
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
  Result<int64_t> next_id() {
    return db_.integer(
        "INSERT INTO setting VALUES ('last_run', '1') ON CONFLICT (name) DO UPDATE SET value = value + 1"
        " RETURNING CAST(value AS INTEGER)");
  }

  bool idle() const { return queue_.empty() && urgent_.empty() && texts_.empty(); }

  void loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return !idle() || stopping_; });
      if (idle()) return;
      busy_ = true;
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

  void work(std::unique_lock<std::mutex>& lock) {
    if (!urgent_.empty() || !texts_.empty()) return run_urgent(lock);
    const QueuedRun next = queue_.front();
    queue_.pop_front();
    lock.unlock();
    const Result<void> outcome = write(next);
    lock.lock();
    note(outcome);
  }

  // The first error is what wait() says. With the mutex.
  void note(const Result<void>& outcome) {
    if (!outcome.ok() && !first_error_) first_error_ = outcome.error();
  }

  void run_urgent(std::unique_lock<std::mutex>& lock) {
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

  Result<void> write(const QueuedRun& next) {
    const auto go_on = [&] {
      std::unique_lock lock(mutex_);
      run_urgent(lock);
      return removed_.count(next.id) == 0;
    };
    if (!go_on()) return {};
    if (next.numbers) return update_numbers(db_, next.id, *next.run);
    Result<void> outcome =
        memory_door(path_, [&] { return Recorder(db_, next.id, *next.run, go_on).record(); });
    if (outcome.ok()) return to_hide_.count(next.id) > 0 ? hide_run(db_, next.id) : outcome;
    // What is there of it is hidden; when even removing it fails, a later process will.
    const Result<void> removed = remove_run(db_, next.id);
    const bool stopped = outcome.error().kind == ErrorKind::cancelled;
    return stopped ? removed : outcome;
  }

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
  bool stopping_ = false;
  std::thread thread_;
};

class FileWorkspace final : public Workspace {
 public:
  FileWorkspace(std::string path, std::optional<Database> writer)
      : path_(std::move(path)), writer_(writer ? std::make_unique<Writer>(std::move(*writer)) : nullptr) {}

  const std::string& path() const override { return path_; }

  Result<int64_t> reserve_id() override {
    TRY_VOID(writable());
    return writer_->reserve_id();
  }
  Result<int64_t> record(RunPtr run) override {
    TRY_VOID(writable());
    return writer_->record(run);
  }
  Result<void> wait() override { return writer_ ? writer_->wait() : Result<void>(); }
  Result<void> prove(RunPtr run) override {
    TRY_VOID(writable());
    writer_->prove(run);
    return {};
  }
  Result<void> remove(int64_t id) override {
    TRY_VOID(writable());
    return writer_->remove(id);
  }
  Result<void> label(int64_t id, RunLabel label) override {
    TRY_VOID(writable());
    writer_->label(id, std::move(label));
    return {};
  }
  Result<void> hide(int64_t id) override {
    TRY_VOID(writable());
    writer_->hide(id);
    return {};
  }
  Result<void> show(int64_t id) override {
    TRY_VOID(writable());
    writer_->show(id);
    return {};
  }
  Result<void> forget_hidden() override {
    TRY_VOID(writable());
    writer_->forget_hidden();
    return {};
  }
  Result<void> keep(const std::string& name, std::string text) override {
    TRY_VOID(writable());
    writer_->keep(name, std::move(text));
    return {};
  }
  Result<std::optional<std::string>> kept(const std::string& name) const override {
    TRY(const Database db, open_reader(path_));
    TRY(Statement row, db.prepare("SELECT value FROM setting WHERE name = ?"));
    const std::string key = kKept + name;
    row.bind_all(key);
    TRY(const bool found, row.step());
    return found ? std::optional(row.text(0)) : std::nullopt;
  }

  Result<std::vector<RunSummary>> runs() const override {
    TRY(const Database db, open_reader(path_));
    return list_runs(db);
  }
  Result<std::optional<Experiment>> experiment() const override;

  Result<RunPtr> outline(int64_t id) const override {
    TRY(const Database db, open_reader(path_));
    return load_outline(db, id);
  }
  Result<RunPtr> load(int64_t id, const Loading& loading) const override {
    TRY(const Database db, open_reader(path_));
    return load_run(db, id, loading);
  }
  Result<std::unique_ptr<TraceSource>> trace(int64_t id) const override {
    TRY(Database db, open_reader(path_));
    return stored_trace(std::move(db), id);
  }
  Result<QueryResult> query(const std::string& sql, const QueryLimits& limits) const override {
    TRY(const Database db, open_reader(path_));
    return run_query(db, sql, limits);
  }

 private:
  Result<void> writable() const {
    if (writer_) return {};
    return io_error("the workspace was opened for reading only", path_);
  }

  std::string path_;
  std::unique_ptr<Writer> writer_;
};

Result<std::optional<Experiment>> FileWorkspace::experiment() const {
  TRY(const Database db, open_reader(path_));
  TRY(Statement row, db.prepare("SELECT request FROM run WHERE json_extract(request, '$.run.strategy') <> ''"
                                " AND status <> 'recording' ORDER BY id DESC LIMIT 1"));
  TRY(const bool found, row.step());
  if (!found) return std::optional<Experiment>();
  TRY(RequestParts parts, parse_request_parts(row.text(0)));
  return std::optional(std::move(parts.experiment));
}

}  // namespace

void Workspace::enter(const std::shared_ptr<Run>& run) {
  const Result<int64_t> id = reserve_id();
  if (!id.ok()) return;
  run->id = *id;
  if (!record(run).ok()) run->id.reset();
}

Result<std::shared_ptr<Workspace>> Workspace::open(const std::string& path, bool read_only) {
  if (read_only) {
    TRY(const Database db, open_reader(path));
    TRY_VOID(check_schema_of(db));
    return std::shared_ptr<Workspace>(std::make_shared<FileWorkspace>(path, std::nullopt));
  }
  TRY(Database db, open_writer(path));
  return std::shared_ptr<Workspace>(std::make_shared<FileWorkspace>(path, std::move(db)));
}

Result<std::shared_ptr<Workspace>> Workspace::in_memory() {
  // A name of its own: connections of this process share the memory behind one name.
  static std::atomic<int> opened{0};
  const std::string path =
      kMemoryName + std::to_string(getpid()) + "-" + std::to_string(++opened) + "?vfs=memdb";
  TRY(Database db, open_writer(path));
  return std::shared_ptr<Workspace>(std::make_shared<FileWorkspace>(path, std::move(db)));
}

}  // namespace shardscope
