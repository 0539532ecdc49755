// SPDX-License-Identifier: Apache-2.0
// What `gmm` and `tgmm` print.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/grouped_options.h"
#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/report/report.h"
#include "engine/report/table.h"

namespace shardscope::inline cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kShownVisits = 48;

// Stretches of equal state, as [first, one beyond the last).
struct Stretch {
  int64_t first = 0, last = 0;
  OutputState state = OutputState::computed;
};
std::vector<Stretch> stretches(const std::vector<OutputState>& states) {
  std::vector<Stretch> out;
  for (size_t i = 0; i < states.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i);
    if (out.empty() || out.back().state != states[i]) out.push_back({at, at, states[i]});
    out.back().last = at + 1;
  }
  return out;
}

// The tile of a visit: its own rows filled, rows multiplied for nothing as dots.
std::string tile_picture(const GroupMetadata& meta, const TileVisit& visit) {
  if (visit.rows() == 0 && meta.wasted_rows(visit) == 0) return "skipped";
  const int64_t tm = meta.tm;
  const int64_t cells = std::min<int64_t>(tm, 16);
  std::string out;
  for (int64_t cell = 0; cell < cells; ++cell) {
    const int64_t first = visit.m_tile * tm + cell * tm / cells;
    const int64_t last = visit.m_tile * tm + (cell + 1) * tm / cells;
    out += std::min(last, visit.row_stop) > std::max(first, visit.row_start) ? "█" : "·";
  }
  return out;
}

std::string rows_text(const TileVisit& v) {
  if (v.rows() == 0) return "none";
  return v.rows() == 1 ? group_digits(v.row_start) : fmt::format("{}–{}", v.row_start, v.row_stop - 1);
}

std::string visits_table(const GroupMetadata& meta) {
  TextTable table;
  table.header = {"step", "tile", "group", "rows", "own", "wasted", "the tile"};
  table.right_aligned = {true, true, true, true, true, true, false};
  const int64_t shown = meta.num_tiles <= kShownVisits + 1 ? meta.num_tiles : kShownVisits;
  for (int64_t step = 0; step < shown; ++step) {
    const TileVisit v = meta.visit(step);
    table.rows.push_back({group_digits(v.step), group_digits(v.m_tile), group_digits(v.group), rows_text(v),
                          group_digits(v.rows()), group_digits(meta.wasted_rows(v)), tile_picture(meta, v)});
  }
  std::string out = plain_table(table);
  if (shown < meta.num_tiles)
    out += fmt::format("… {}\n", grouped_count(meta.num_tiles - shown, "more visit"));
  return out;
}

std::string share(std::optional<double> efficiency) {
  return efficiency ? format_percent(*efficiency) : "none";
}

std::string kib(int64_t bytes) {
  return format_bytes(static_cast<double>(bytes));
}

std::string cost_lines(const GroupedCost& c) {
  std::string parts =
      fmt::format("lhs {}, rhs {}, out {}", kib(c.lhs_bytes), kib(c.rhs_bytes), kib(c.out_bytes));
  if (c.existing_bytes > 0) parts += fmt::format(", existing out {}", kib(c.existing_bytes));
  return fmt::format(
      "flops   {} estimated · {} of own rows · {} issued with the wasted ones\n"
      "bytes   {} estimated · {} exact ({})\n",
      group_digits(c.flops), group_digits(c.flops_exact), group_digits(c.flops_issued), kib(c.bytes_estimate),
      kib(c.bytes_exact), parts);
}

std::string state_line(const GroupedProblem& p, const GroupedResult& result) {
  std::vector<std::string> parts;
  const std::vector<Stretch> all = stretches(result.states);
  const int64_t first_group = p.op == GroupedOp::gmm ? 0 : result.metadata.group_offset;
  for (size_t i = 0; i < std::min<size_t>(all.size(), 8); ++i) {
    const Stretch& s = all[i];
    const int64_t first = s.first + first_group, last = s.last - 1 + first_group;
    parts.push_back(first == last ? fmt::format("{} {}", first, name(s.state))
                                  : fmt::format("{}–{} {}", first, last, name(s.state)));
  }
  if (all.size() > 8) parts.push_back("…");
  return fmt::format("{}  {}\n", p.op == GroupedOp::gmm ? "rows  " : "groups", fmt::join(parts, ", "));
}

std::string numerics_line(const NumericsReport& n) {
  if (n.allclose && n.rtol == 0 && n.atol == 0) return "numbers equal the product in f64, bit for bit\n";
  return fmt::format(
      "numbers {}: largest difference {:.3g} from the product in f64 (rtol {:.3g}, atol {:.3g})\n",
      n.allclose ? "allclose" : "WRONG", n.max_abs, n.rtol, n.atol);
}

Json cost_json(const GroupedCost& c) {
  return {{"lhs", c.lhs_bytes},
          {"rhs", c.rhs_bytes},
          {"existing_out", c.existing_bytes},
          {"out", c.out_bytes},
          {"metadata", c.metadata_bytes}};
}

Json states_json(const std::optional<GroupedRun>& run) {
  Json out = Json::array();
  if (!run) return out;
  for (const Stretch& s : stretches(run->result.states))
    out.push_back({{"start", s.first}, {"stop", s.last}, {"state", name(s.state)}});
  return out;
}

std::string devices_text(const std::vector<DeviceId>& devices) {
  std::string out = group_digits(devices.front().value);
  for (size_t i = 1; i < std::min<size_t>(devices.size(), 4); ++i)
    out += ", " + group_digits(devices[i].value);
  return devices.size() > 4 ? out + ", …" : out;
}

std::string experts_text(const ExpertParallel& experts, const std::optional<bool>& equal) {
  TextTable table;
  table.header = {experts.axis, "device", "groups", "rows", "visits", "wasted", "efficiency", "flops"};
  table.right_aligned = {true, false, true, true, true, true, true, true};
  for (size_t i = 0; i < experts.shards.size(); ++i) {
    const ExpertShard& shard = experts.shards[i];
    const GroupMetadata& meta = shard.metadata;
    const int64_t last = meta.group_offset + meta.local_groups - 1;
    table.rows.push_back(
        {group_digits(static_cast<int64_t>(i)), devices_text(shard.devices),
         meta.local_groups == 1 ? group_digits(last) : fmt::format("{}–{}", meta.group_offset, last),
         group_digits(meta.rows()), group_digits(meta.num_tiles), group_digits(meta.wasted_rows()),
         share(meta.efficiency()), group_digits(shard.cost.flops_exact)});
  }
  std::string out = "\n" + plain_table(table);
  out += fmt::format(
      "\nbusiest {} {} · {} the mean rows · {} the mean visits · efficiency of the whole mesh {}\n",
      experts.axis, experts.busiest, format_ratio(experts.row_imbalance),
      format_ratio(experts.visit_imbalance), share(experts.efficiency));
  if (equal)
    out += *equal ? "the shards together give the same bits\n" : "the shards together give OTHER bits\n";
  return out;
}

Json experts_json(const ExpertParallel& experts, const std::optional<bool>& equal) {
  Json shards = Json::array();
  for (const ExpertShard& shard : experts.shards) {
    Json devices = Json::array();
    for (DeviceId d : shard.devices) devices.push_back(d.value);
    const GroupMetadata& meta = shard.metadata;
    const auto efficiency = meta.efficiency();
    shards.push_back({{"devices", devices},
                      {"group_offset", meta.group_offset},
                      {"local_groups", meta.local_groups},
                      {"rows", meta.rows()},
                      {"num_tiles", meta.num_tiles},
                      {"wasted_rows", meta.wasted_rows()},
                      {"efficiency", efficiency ? Json(*efficiency) : Json(nullptr)},
                      {"flops", shard.cost.flops_exact},
                      {"bytes_exact", shard.cost.bytes_exact}});
  }
  return {{"axis", experts.axis},
          {"shards", shards},
          {"busiest", experts.busiest},
          {"row_imbalance", experts.row_imbalance},
          {"visit_imbalance", experts.visit_imbalance},
          {"efficiency", experts.efficiency ? Json(*experts.efficiency) : Json(nullptr)},
          {"equal", equal ? Json(*equal) : Json(nullptr)}};
}

struct NamedCall {
  const char* of;
  const char* call;
  const GroupedRun& run;
};
std::vector<NamedCall> gradient_calls_of(const GradientRun& gradients) {
  return {{"lhs", "gmm", gradients.of_lhs}, {"rhs", "tgmm", gradients.of_rhs}};
}

std::string gradients_text(const GradientRun& gradients) {
  std::string out;
  for (const NamedCall& g : gradient_calls_of(gradients)) {
    const GroupMetadata& meta = g.run.result.metadata;
    out += fmt::format("\ngradient of {}: {}, {}, efficiency {}, {} flops\n", g.of, g.call,
                       grouped_count(meta.num_tiles, "visit"), share(meta.efficiency()),
                       group_digits(g.run.cost.flops));
    out += numerics_line(g.run.numerics);
  }
  return out;
}

Json gradients_json(const GradientRun& gradients) {
  Json out;
  for (const NamedCall& g : gradient_calls_of(gradients)) {
    const Array& array = std::string_view(g.of) == "lhs" ? gradients.gradients.lhs : gradients.gradients.rhs;
    out[g.of] = {{"op", g.call},
                 {"shape", array.dims()},
                 {"num_tiles", g.run.result.metadata.num_tiles},
                 {"flops", g.run.cost.flops},
                 {"bytes_exact", g.run.cost.bytes_exact},
                 {"numerics", Json::parse(numerics_json(g.run.numerics))}};
  }
  return out;
}

}  // namespace

std::string grouped_text(const GroupedReport& report) {
  const GroupedProblem& p = report.problem;
  const GroupedEstimate& e = report.estimate;
  const GroupMetadata& meta = e.metadata;
  const GroupedShape& s = e.shape;
  std::string out =
      fmt::format("{}  m {} · k {} · n {} · {} · tile {},{},{} · {} × {} → {}\n",
                  p.op == GroupedOp::gmm ? "gmm" : "tgmm", s.m, s.k, s.n, counted(meta.groups(), "group"),
                  s.tiling.tm, s.tiling.tk, s.tiling.tn, name(s.lhs), name(s.rhs), name(s.out));
  if (meta.local_groups < meta.groups())
    out += fmt::format("shard   groups {} to {}, rows {} to {}\n", meta.group_offset,
                       meta.group_offset + meta.local_groups - 1, meta.first_row(), meta.last_row() - 1);
  out += fmt::format("offsets {}\n\n", fmt::join(meta.group_offsets, " "));
  if (meta.num_tiles > 0) out += visits_table(meta) + "\n";
  out += fmt::format("visits  {} to {} · {} · efficiency {}\n", group_digits(meta.num_tiles),
                     grouped_count(meta.tiles_m, "tile"), grouped_count(meta.wasted_rows(), "wasted row"),
                     share(meta.efficiency()));
  out += cost_lines(e.cost);
  if (report.run) out += state_line(p, report.run->result) + numerics_line(report.run->numerics);
  if (report.experts) out += experts_text(*report.experts, report.experts_equal);
  if (report.gradients) out += gradients_text(*report.gradients);
  return out;
}

std::string grouped_json(const GroupedReport& report) {
  const GroupedProblem& p = report.problem;
  const GroupedEstimate& e = report.estimate;
  const NumericsReport numerics = report.run ? report.run->numerics : NumericsReport{};
  const GroupMetadata& meta = e.metadata;
  const GroupedShape& s = e.shape;
  const auto efficiency = meta.efficiency();
  Json out = {{"op", p.op == GroupedOp::gmm ? "gmm" : "tgmm"},
              {"m", s.m},
              {"k", s.k},
              {"n", s.n},
              {"tile", {s.tiling.tm, s.tiling.tk, s.tiling.tn}},
              {"dtype", {{"lhs", name(s.lhs)}, {"rhs", name(s.rhs)}, {"out", name(s.out)}}},
              {"group_offset", meta.group_offset},
              {"local_groups", meta.local_groups},
              {"group_offsets", meta.group_offsets},
              {"group_tiles", meta.group_tiles},
              {"tile_visits", meta.tile_visits},
              {"group_ids", meta.group_ids},
              {"m_tile_ids", meta.m_tile_ids},
              {"num_tiles", meta.num_tiles},
              {"tiles_m", meta.tiles_m},
              {"efficiency", efficiency ? Json(*efficiency) : Json(nullptr)},
              {"wasted_rows", meta.wasted_rows()},
              {"flops", e.cost.flops},
              {"flops_exact", e.cost.flops_exact},
              {"flops_issued", e.cost.flops_issued},
              {"bytes_estimate", e.cost.bytes_estimate},
              {"bytes_exact", e.cost.bytes_exact},
              {"bytes", cost_json(e.cost)},
              {"output", states_json(report.run)},
              {"numerics", Json::parse(numerics_json(numerics))}};
  if (report.experts) out["experts"] = experts_json(*report.experts, report.experts_equal);
  if (report.gradients) out["gradients"] = gradients_json(*report.gradients);
  return out.dump(2) + "\n";
}

}  // namespace shardscope::inline cli
