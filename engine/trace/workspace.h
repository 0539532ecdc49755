// SPDX-License-Identifier: Apache-2.0
// A workspace: one SQLite file of runs (schema.sql). The one door to SQLite.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/run/run_summary.h"
#include "engine/run/trace_source.h"

namespace shardscope::inline trace {

// A table as the SQL box shows it. Cells are text; numbers keep SQLite's own formatting.
struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  bool truncated = false;  // there were more than asked for: rows, or bytes
};

// How far a query may go.
struct QueryLimits {
  int64_t rows = 10'000;
  int64_t bytes = 64 << 20;  // of the answer in memory
  double seconds = 10;
  std::stop_token stop = {};  // the error is then `cancelled`
};

// While a run's events are read.
struct Loading {
  std::stop_token stop = {};
  std::function<void(double fraction)> progress = {};  // on the thread that reads
};

// An open workspace file. Safe from any thread: one writer thread owns the only read-write connection,
// readers have their own. Opening removes what an earlier process left unfinished. Destroying it finishes
// queued records.
class Workspace {
 public:
  // Creates the file when it is not there. Errors: not a database, not ours (application_id), of another
  // version, read-only, directory missing, disk full. `read_only` never writes.
  static Result<std::shared_ptr<Workspace>> open(const std::string& path, bool read_only = false);
  static Result<std::shared_ptr<Workspace>> in_memory();
  virtual ~Workspace() = default;

  virtual const std::string& path() const = 0;
  // Reserves a number for `run`, which nobody else holds yet, and records it. When that cannot be, the run is
  // still good: it has no number, and wait() says why.
  void enter(const std::shared_ptr<Run>& run);
  // A number for a run that is about to be recorded; no other run of this file gets it. An error here or in
  // record() is the next wait()'s too.
  virtual Result<int64_t> reserve_id() = 0;
  // Queues `run` for recording under run->id when that was reserved (so the Run stays immutable), else under
  // a new number, and returns it at once; batches go in under status 'recording', the last sets 'done'.
  // wait() returns when all queued runs are on disk, with the first error.
  virtual Result<int64_t> record(RunPtr run) = 0;
  virtual Result<void> wait() = 0;
  // The same, and the file alone has all of it from then on: it may be copied at any moment. A workspace that
  // rests becomes so by itself. Error: somebody reads what was before for longer than one waits for.
  virtual Result<void> settle() = 0;
  // The numbers and wall-clock times of a run that was recorded without them, or is still waiting to be:
  // queued behind it. A run that was removed meanwhile stays so.
  virtual Result<void> prove(RunPtr run) = 0;

  virtual Result<std::vector<RunSummary>> runs() const = 0;  // finished ones, by id
  // What the newest run of an experiment was part of, as it was asked; none in files that no experiment
  // wrote into.
  virtual Result<std::optional<Experiment>> experiment() const = 0;
  // What its record tells of a run at once, however many events it has: program, totals, numerics and all,
  // but neither events nor memory over time. trace() is the place for a picture of those.
  virtual Result<RunPtr> outline(int64_t id) const = 0;
  // The same with them, equal to the recorded run. Stopped: the error `cancelled`.
  virtual Result<RunPtr> load(int64_t id, const Loading& loading) const = 0;
  Result<RunPtr> load(int64_t id) const { return load(id, Loading()); }
  virtual Result<std::unique_ptr<TraceSource>> trace(int64_t id) const = 0;  // reads from the file as asked
  virtual Result<void> remove(int64_t id) = 0;
  // One SELECT, read-only. An error's place is "query", or "query:LINE:COLUMN" where SQLite knows it.
  virtual Result<QueryResult> query(const std::string& sql, const QueryLimits& limits) const = 0;
  Result<QueryResult> query(const std::string& sql, int64_t rows) const {
    return query(sql, QueryLimits{.rows = rows});
  }

  // What its user says of a run from now on. Queued like keep().
  virtual Result<void> label(int64_t id, RunLabel label) = 0;
  // A hidden run is in no listing and no view, and loses nothing: show() brings it back, and so does the next
  // opening when whoever hid it has ended. After forget_hidden() the next opening removes what is hidden now.
  // Queued like keep().
  virtual Result<void> hide(int64_t id) = 0;
  virtual Result<void> show(int64_t id) = 0;
  virtual Result<void> forget_hidden() = 0;

  // A text that stays in the file under a name, instead of what was there: how a window that works on it
  // looks. Queued, and written before any run that waits; of several for one name the last counts. wait() is
  // for them too.
  virtual Result<void> keep(const std::string& name, std::string text) = 0;
  virtual Result<std::optional<std::string>> kept(const std::string& name) const = 0;
};

// Whether a workspace may have that name: a file's that is there or whose folder is. SQLite would open more:
// its own names (file:…, :memory:) and devices.
Result<void> check_workspace_name(const std::string& path);

// Exports. chrome-trace opens in Perfetto and chrome://tracing.
Result<std::string> chrome_trace(const Run& run);
std::string events_csv(const Run& run);

}  // namespace shardscope::inline trace
