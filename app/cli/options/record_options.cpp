// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/record_options.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/cli/options/kept.h"
#include "engine/base/text.h"
#include "engine/report/residual/residual.h"
#include "engine/trace/measured_record.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline cli {

Result<std::vector<RunPtr>> load_runs(const std::string& db, const std::vector<int64_t>& ids) {
  std::shared_ptr<Workspace> workspace;
  const auto load = [&](int64_t id) -> Result<RunPtr> {
    if (!workspace) {
      TRY(workspace, Workspace::open(db, true));
    }
    return workspace->load(id);
  };
  std::vector<RunPtr> runs;
  for (const int64_t id : ids) {
    TRY(const auto run, kept<RunPtr>("run " + record_key(db, id), [&] { return load(id); }));
    runs.push_back(*run);
  }
  return runs;
}

std::string record_key(const std::string& db, int64_t id) {
  return fmt::format("{} {} {}", id, file_stamp(db), db);
}

Result<MeasuredBeside> load_beside(const std::string& db, const RunPtr& run, const MeasuredAsked& asked) {
  if (asked.step < 0)
    return invalid(fmt::format("step {}", asked.step), "--step", "steps are counted from 1");
  TRY(MeasuredTrace trace, load_measured(db, asked.trace));
  const auto step = asked.step > 0 ? std::optional(static_cast<size_t>(asked.step - 1)) : std::nullopt;
  return beside(told(run), std::make_shared<const MeasuredTrace>(std::move(trace)), step);
}

Result<std::vector<int64_t>> parse_run_list(const std::string& text) {
  std::vector<int64_t> ids;
  for (const std::string& part : split(text, ',')) {
    const auto id = parse_int(trim(part));
    if (!id || *id < 1)
      return invalid(fmt::format("'{}' is not a run number", trim(part)), "--runs", "write them as in 1,2,3");
    ids.push_back(*id);
  }
  if (ids.empty()) return invalid("no run named", "--runs", "write them as in 1,2,3");
  return ids;
}

Result<std::vector<int64_t>> parse_run_ids(const std::string& text) {
  TRY(const std::vector<int64_t> named, parse_run_list(text));
  std::vector<int64_t> ids;
  for (const int64_t id : named)
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  return ids;
}

}  // namespace shardscope::inline cli
