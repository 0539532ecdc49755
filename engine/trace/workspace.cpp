// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/workspace.h"

#include <atomic>
#include <unistd.h>

#include "engine/request/request_json.h"
#include "engine/trace/loader.h"
#include "engine/trace/query.h"
#include "engine/trace/run_listing.h"
#include "engine/trace/stored_trace.h"
#include "engine/trace/workspace_file.h"
#include "engine/trace/writer.h"

namespace shardscope::inline trace {
namespace {

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
  Result<void> settle() override { return writer_ ? writer_->settle() : Result<void>(); }
  Result<void> prove(RunPtr run) override {
    return queue([&](Writer& w) { w.prove(run); });
  }
  Result<void> remove(int64_t id) override {
    TRY_VOID(writable());
    return writer_->remove(id);
  }
  Result<void> label(int64_t id, RunLabel label) override {
    return queue([&](Writer& w) { w.label(id, std::move(label)); });
  }
  Result<void> hide(int64_t id) override {
    return queue([&](Writer& w) { w.hide(id); });
  }
  Result<void> show(int64_t id) override {
    return queue([&](Writer& w) { w.show(id); });
  }
  Result<void> forget_hidden() override { return queue(&Writer::forget_hidden); }
  Result<void> keep(const std::string& name, std::string text) override {
    return queue([&](Writer& w) { w.keep(name, std::move(text)); });
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
  template <class Work>
  Result<void> queue(Work&& work) {
    TRY_VOID(writable());
    std::invoke(work, *writer_);
    return {};
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

}  // namespace shardscope::inline trace
