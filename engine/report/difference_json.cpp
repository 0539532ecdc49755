// SPDX-License-Identifier: Apache-2.0
// `diff --json`; field names are fixed: scripts read them.
#include <nlohmann/json.hpp>

#include "engine/report/run_difference.h"

namespace shardscope::inline report {
namespace {

using Json = nlohmann::ordered_json;

Json time_row(const char* key, const TimeRow& row) {
  Json values = Json::array(), deltas = Json::array();
  for (size_t r = 0; r < row.values.size(); ++r) {
    values.push_back(to_seconds(row.values[r]));
    deltas.push_back(to_seconds(row.delta(r)));
  }
  return {{key, row.name}, {"values_s", values}, {"delta_s", deltas}};
}

Json operation_row(const OperationRow& row) {
  Json status = Json::array(), times = Json::array(), deltas = Json::array(), bytes = Json::array(),
       counts = Json::array(), critical = Json::array(), parts = Json::array(), by = Json::array();
  for (size_t r = 0; r < row.sides.size(); ++r) {
    const OperationSide& side = row.sides[r];
    status.push_back(name(row.change(r)));
    times.push_back(to_seconds(side.time));
    deltas.push_back(to_seconds(row.delta(r)));
    bytes.push_back(side.bytes);
    counts.push_back(side.count);
    critical.push_back(to_seconds(side.critical));
    parts.push_back(side.parts);
    by.push_back(side.there() ? Json(side.verb) : Json(nullptr));
  }
  return {{"key", row.key},         {"status", status},  {"times_s", times},
          {"delta_s", deltas},      {"bytes", bytes},    {"count", counts},
          {"critical_s", critical}, {"in_parts", parts}, {"by", by}};
}

}  // namespace

Json time_rows_json(const char* key, const std::vector<TimeRow>& rows) {
  Json out = Json::array();
  for (const TimeRow& row : rows) out.push_back(time_row(key, row));
  return out;
}

std::string difference_json(const RunDifference& d) {
  Json runs = Json::array(), reasons = Json::array(), operations = Json::array(), collectives = Json::array(),
       memory = Json::array();
  for (const ComparedRun& run : d.runs)
    runs.push_back({{"id", run.id ? Json(*run.id) : Json(nullptr)},
                    {"strategy", run.strategy},
                    {"label", run.label},
                    {"total_s", to_seconds(run.total)}});
  for (const ReasonRow& row : d.reasons) {
    reasons.push_back(time_row("what", row.time));
    reasons.back()["term"] = name(row.term);
  }
  for (const OperationRow& row : d.operations) operations.push_back(operation_row(row));
  for (const CollectiveRow& row : d.collectives)
    collectives.push_back({{"opcode", row.opcode},
                           {"axis", row.axis},
                           {"count", row.counts},
                           {"steps", row.steps},
                           {"algorithm", row.algorithms},
                           {"bytes_sent_per_device", row.bytes_sent_per_device}});
  for (const MemoryRow& row : d.memory) memory.push_back({{"array", row.array}, {"values_bytes", row.bytes}});
  const Json out = {{"runs", runs},
                    {"terms", time_rows_json("term", d.terms)},
                    {"parts", time_rows_json("part", d.parts)},
                    {"reasons", reasons},
                    {"operations", operations},
                    {"collectives", collectives},
                    {"memory", memory},
                    {"verdict", d.verdict},
                    {"notes", d.notes}};
  return out.dump(2) + "\n";
}

}  // namespace shardscope::inline report
