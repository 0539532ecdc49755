// SPDX-License-Identifier: Apache-2.0
// The JSON of `sweep` and `compare`; field names are fixed: scripts read them.
#include <map>

#include "engine/base/units.h"
#include "engine/report/run_object.h"
#include "engine/report/verdict.h"

namespace shardscope::inline report {
namespace {

using Json = ReportJson;

// By name, in the order of the program.
Json places_json(const std::vector<PlacedArray>& arrays) {
  Json out = Json::object();
  for (const PlacedArray& array : arrays) out[array.name] = array.sharding;
  return out;
}

Json groups_json(const std::vector<RankedRun>& ranking) {
  std::map<size_t, std::vector<const RankedRun*>> groups;
  for (const RankedRun& r : ranking) {
    if (r.group) groups[*r.group].push_back(&r);
  }
  Json out = Json::array();
  for (const auto& [number, runs] : groups) {
    const RunEnds ends = ends_of(*runs.front()->run);
    Json ids = Json::array();
    for (const RankedRun* r : runs) ids.push_back(ranked_name(*r->run));
    out.push_back({{"name", group_name(number)},
                   {"inputs", places_json(ends.inputs)},
                   {"output", ends.outputs.empty() ? Json(nullptr) : Json(ends.outputs.front().sharding)},
                   {"ranking", ids}});
    if (ends.outputs.size() > 1) out.back()["outputs"] = places_json(ends.outputs);
  }
  return out;
}

Json row_json(const char* name, Picoseconds winner, Picoseconds other) {
  return {{"name", name},
          {"winner_s", to_seconds(winner)},
          {"other_s", to_seconds(other)},
          {"difference_s", to_seconds(winner - other)}};
}

// Winner and second term by term, part by part and operation by operation; each table adds up to the totals.
Json difference_json(const Verdict& verdict) {
  if (!verdict.difference) return nullptr;
  const Difference& d = *verdict.difference;
  Json terms = Json::array(), parts = Json::array(), operations = Json::array();
  for (const Term term : kTerms) {
    const auto t = static_cast<size_t>(term);
    terms.push_back(row_json(name(term), d.first.terms[t], d.second.terms[t]));
  }
  for (size_t p = 0; p < kPartNames.size(); ++p)
    parts.push_back(row_json(kPartNames[p], d.first.parts[p], d.second.parts[p]));
  for (const OperationDifference& o : d.operations) {
    Json row = row_json(o.what.c_str(), o.first, o.second);
    row["term"] = name(o.term);
    row["winner_count"] = o.first_count;
    row["other_count"] = o.second_count;
    operations.push_back(std::move(row));
  }
  return {{"winner", ranked_name(*verdict.winner)},
          {"other", ranked_name(*verdict.other)},
          {"total", row_json("total", d.first.total, d.second.total)},
          {"price", row_json("price", d.first.price, d.second.price)},
          {"difference_s", to_seconds(d.priced())},
          {"terms", terms},
          {"parts", parts},
          {"operations", operations}};
}

Json sweep_object(const Comparison& comparison) {
  const std::vector<RankedRun> ranked = rank(comparison.runs);
  Json runs = Json::array(), ranking = Json::array(), skipped = Json::array();
  for (const RankedRun& r : ranked) {
    if (r.ranked) ranking.push_back(ranked_name(*r.run));
  }
  std::map<size_t, const RankedRun*> by_place;
  for (const RankedRun& r : ranked) by_place[r.place] = &r;
  for (const auto& [place, r] : by_place) {
    runs.push_back(run_object(*r->run));
    runs.back()["group"] = r->group ? Json(group_name(*r->group)) : Json(nullptr);
  }
  for (const SkippedRun& s : comparison.skipped)
    skipped.push_back({{"strategy", s.strategy}, {"reason", s.reason}});
  const Verdict said = judge(comparison.runs);
  return {{"runs", runs},
          {"ranking", ranking},
          {"groups", groups_json(ranked)},
          {"skipped", skipped},
          {"verdict", said.text},
          {"difference", difference_json(said)},
          {"complete", comparison.complete}};
}

}  // namespace

std::string sweep_json(const Comparison& comparison) {
  return sweep_object(comparison).dump(2) + "\n";
}

Json comparison_object(const Comparison& comparison) {
  Json out = sweep_object(comparison);
  Json table = Json::array();
  for (const RankedRun& r : rank(comparison.runs)) {
    table.push_back({{"run_id", r.run->id ? Json(*r.run->id) : Json(nullptr)},
                     {"strategy", r.run->strategy},
                     {"ranked", r.ranked},
                     {"standing", r.ranked ? Json(r.standing) : Json(nullptr)},
                     {"group", r.group ? Json(group_name(*r.group)) : Json(nullptr)},
                     {"ratio_to_best", r.ratio_to_best},
                     {"ratio_in_group", r.ratio_in_group},
                     {"same_output", r.same_output},
                     {"replicated_inputs", r.replicated_inputs}});
  }
  out["comparison"] = table;
  return out;
}

}  // namespace shardscope::inline report
