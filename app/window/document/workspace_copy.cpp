// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/workspace_copy.h"

#include <QFile>
#include <filesystem>

#include "app/window/document/notes.h"

namespace shardscope {
namespace {

Result<void> copy_runs(const Workspace& from, const std::map<int64_t, RunPtr>& known, WorkspaceCopy& copy,
                       const JobRunner::Report& report, const std::stop_token& stop) {
  TRY(const std::vector<RunSummary> rows, from.runs());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (stop.stop_requested()) return cancelled();
    report("saving " + rows[i].strategy, static_cast<double>(i) / static_cast<double>(rows.size()));
    const auto in_memory = known.find(rows[i].id);
    RunPtr run;
    if (in_memory != known.end()) {
      run = in_memory->second;
    } else {
      TRY(run, from.load(rows[i].id));
    }
    TRY(copy.runs[rows[i].id], record_copy(*copy.to, *run));
    copy_notes(from, rows[i].id, *copy.to, *copy.runs[rows[i].id]->id);
    TRY_VOID(copy.to->wait());
  }
  return {};
}

}  // namespace

Result<RunPtr> record_copy(Workspace& to, const Run& run) {
  auto copy = std::make_shared<Run>(run);
  TRY(copy->id, to.reserve_id());
  TRY_VOID(to.record(copy));
  return RunPtr(copy);
}

Result<WorkspaceCopy> copy_workspace(const Workspace& from, const std::map<int64_t, RunPtr>& known,
                                     const std::string& path, const JobRunner::Report& report,
                                     const std::stop_token& stop) {
  const bool was_there = std::filesystem::exists(path);
  WorkspaceCopy copy;
  TRY(copy.to, Workspace::open(path));
  if (const auto copied = copy_runs(from, known, copy, report, stop); !copied.ok()) {
    for (const auto& [old, run] : copy.runs) {
      if (run) static_cast<void>(copy.to->remove(*run->id));
    }
    copy.to.reset();
    if (!was_there) {
      for (const char* part : {"", "-wal", "-shm"}) QFile::remove(QString::fromStdString(path + part));
    }
    return copied.error();
  }
  return copy;
}

}  // namespace shardscope
