// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/step_rows.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace shardscope::inline trace {
namespace {

using Json = nlohmann::json;

// JSON writes what is not finite as null.
std::vector<double> values_of(const std::string& text) {
  std::vector<double> out;
  for (const Json& each : Json::parse(text))
    out.push_back(each.is_number() ? each.get<double>() : std::nan(""));
  return out;
}

}  // namespace

std::string loop_text(const RunSteps& steps) {
  return Json{
      {"marker", steps.marker}, {"values", steps.values}, {"carried", steps.carried}, {"notes", steps.notes}}
      .dump();
}

Result<void> insert_steps(const Database& db, int64_t id, const RunSteps& steps) {
  TRY(Statement insert, db.prepare("INSERT INTO loop_step VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  for (const RunStep& step : steps.steps) {
    const std::string values = Json(step.values).dump();
    insert.bind_all(id, step.number, steps.marker, step.warmup, step.simulated.start, step.simulated.end,
                    step.wall_s, values);
    TRY_VOID(insert.run());
  }
  return {};
}

Result<RunSteps> read_steps(const Database& db, int64_t id, const std::string& text) {
  const Json loop = Json::parse(text);
  RunSteps out;
  out.marker = loop.at("marker");
  out.values = loop.at("values").get<std::vector<std::string>>();
  out.carried = loop.at("carried").get<std::vector<std::string>>();
  out.notes = loop.at("notes").get<std::vector<std::string>>();
  TRY(Statement query, db.prepare("SELECT number, warmup, start, end, wall_s, result_values FROM loop_step"
                                  " WHERE run = ? ORDER BY number"));
  query.bind_all(id);
  while (true) {
    TRY(const bool more, query.step());
    if (!more) return out;
    RunStep& step = out.steps.emplace_back();
    step.number = query.integer(0);
    step.warmup = query.integer(1) != 0;
    step.simulated = {query.integer(2), query.integer(3)};
    if (!query.is_null(4)) step.wall_s = query.real(4);
    step.values = values_of(query.text(5));
    if (!step.values.empty() && step.values.size() != out.values.size())
      return io_error("the workspace is damaged: values of step " + std::to_string(step.number) + " of run " +
                          std::to_string(id),
                      db.path(), "restore the file from a copy");
  }
}

}  // namespace shardscope::inline trace
