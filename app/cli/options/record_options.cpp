// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/record_options.h"

#include <CLI/CLI.hpp>
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

Result<void> check_measured(const MeasuredAsked& asked) {
  if (asked.trace > 0 || asked.step == 0) return {};
  return invalid("no measured trace named", "--measured", "--step is of one: see `shardscope measure list`");
}

CLI::Option& add_number(CLI::App& command, const std::string& option, int64_t& number,
                        const std::string& help) {
  const auto from_one = [](std::string& text) {
    const auto value = parse_int(text);
    return value && *value < 1 ? fmt::format("expected a number from 1, got {}", text) : std::string();
  };
  return *command.add_option(option, number, help)->check(CLI::Validator(from_one, ""));
}

Result<MeasuredBeside> load_beside(const std::string& db, const RunPtr& run, const MeasuredAsked& asked) {
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
