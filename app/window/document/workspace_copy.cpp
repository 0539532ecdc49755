// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/workspace_copy.h"

#include <QFile>
#include <filesystem>

#include "app/window/document/notes.h"

namespace shardscope::inline window {
Result<void> copy_runs(const CopiedRuns& runs, WorkspaceCopy& copy, const JobRunner::Report& report,
                       const std::stop_token& stop) {
  for (size_t i = 0; i < runs.rows.size(); ++i) {
    if (stop.stop_requested()) return cancelled();
    const RunSummary& row = runs.rows[i];
    report("saving " + row.strategy, static_cast<double>(i) / static_cast<double>(runs.rows.size()));
    const auto in_memory = runs.known.find(row.id);
    RunPtr run;
    if (in_memory != runs.known.end()) {
      run = in_memory->second;
    } else {
      TRY(run, runs.from->load(row.id));
    }
    TRY(copy.runs[row.id], record_copy(*copy.to, *run, row.given));
    copy_notes(*runs.from, row.id, *copy.to, *copy.runs[row.id]->id);
    TRY_VOID(copy.to->wait());
  }
  return {};
}

Result<RunPtr> record_copy(Workspace& to, const Run& run, const RunLabel& given) {
  auto copy = std::make_shared<Run>(run);
  copy->given = given;
  TRY(copy->id, to.reserve_id());
  TRY_VOID(to.record(copy));
  return RunPtr(copy);
}

Result<WorkspaceCopy> copy_workspace(const CopiedRuns& runs, const std::string& path,
                                     const JobRunner::Report& report, const std::stop_token& stop) {
  const bool was_there = std::filesystem::exists(path);
  WorkspaceCopy copy;
  TRY(copy.to, Workspace::open(path));
  if (const auto copied = copy_runs(runs, copy, report, stop); !copied.ok()) {
    for (const auto& [old, run] : copy.runs) {
      if (run) static_cast<void>(copy.to->remove(*run->id));
    }
    copy.to.reset();
    if (!was_there) {
      for (const char* part : {"", "-wal", "-shm", "-journal"})
        QFile::remove(QString::fromStdString(path + part));
    }
    return copied.error();
  }
  return copy;
}

}  // namespace shardscope::inline window
