// SPDX-License-Identifier: Apache-2.0
// The cheapest ways between splits against brute force, which knows of a split only which device has which
// box of the array, and Shardy's and DTensor's ways against what those do.
#include "engine/sharding/routes.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>

#include "engine/base/text.h"
#include "engine/sharding/shardy_steps.h"

namespace shardscope::routes_test {
namespace {

using Box = IndexBox;

std::vector<Box> boxes_of(const AxisSplit& split, const Mesh& mesh, const std::vector<int64_t>& dims) {
  const std::vector<int64_t> part = part_dims(split, dims);
  std::vector<Box> out;
  for (int64_t device = 0; device < mesh.device_count(); ++device) {
    Box& box = out.emplace_back();
    for (size_t d = 0; d < dims.size(); ++d) {
      const int64_t start = place_along(split.dims[d], mesh, DeviceId(device)) * part[d];
      box.push_back({start, start + part[d]});
    }
  }
  return out;
}

int64_t volume(const Box& box) {
  int64_t out = 1;
  for (const IndexRange& range : box) out *= std::max<int64_t>(range.size(), 0);
  return out;
}

Box common(const Box& a, const Box& b) {
  Box out;
  for (size_t d = 0; d < a.size(); ++d)
    out.push_back({std::max(a[d].start, b[d].start), std::min(a[d].stop, b[d].stop)});
  return out;
}

Box around(const Box& a, const Box& b) {
  Box out;
  for (size_t d = 0; d < a.size(); ++d)
    out.push_back({std::min(a[d].start, b[d].start), std::max(a[d].stop, b[d].stop)});
  return out;
}

// In each region that is around both boxes of a device: `side` has as many different boxes as it has parts,
// on equally many devices each. Then its devices meet in groups in which each part is once.
bool meet_in_groups(const std::vector<Box>& from, const std::vector<Box>& to, const std::vector<Box>& side,
                    int64_t parts) {
  std::map<std::pair<Box, Box>, int64_t> devices;
  std::map<Box, std::set<Box>> held;
  for (size_t d = 0; d < from.size(); ++d) {
    const Box region = around(from[d], to[d]);
    if (volume(region) != parts * volume(side[d])) return false;
    ++devices[{region, side[d]}];
    held[region].insert(side[d]);
  }
  const int64_t each = devices.begin()->second;
  return std::ranges::all_of(devices, [&](const auto& d) { return d.second == each; }) &&
         std::ranges::all_of(held, [&](const auto& h) { return std::ssize(h.second) == parts; });
}

// Devices that hold the same before hold the same afterwards: groups go along axes and parts of them.
bool copies_stay_alike(const std::vector<Box>& from, const std::vector<Box>& to) {
  std::map<Box, Box> becomes;
  for (size_t d = 0; d < from.size(); ++d)
    if (becomes.emplace(from[d], to[d]).first->second != to[d]) return false;
  return true;
}

size_t dims_that_change(const Box& from, const Box& to) {
  size_t out = 0;
  for (size_t d = 0; d < from.size(); ++d) out += from[d].size() != to[d].size() ? 1U : 0U;
  return out;
}

// Elements that all devices send for one collective (or none) that leads from one to the other; none: no
// single one does.
std::optional<int64_t> price(const std::vector<Box>& from, const std::vector<Box>& to) {
  const auto devices = static_cast<int64_t>(from.size());
  const int64_t has = volume(from[0]), wants = volume(to[0]);
  bool inside = true, holds = true;
  int64_t moved = 0;
  std::map<Box, int64_t> sources, targets;
  for (size_t d = 0; d < from.size(); ++d) {
    inside = inside && common(from[d], to[d]) == to[d];
    holds = holds && common(from[d], to[d]) == from[d];
    moved += from[d] == to[d] ? 0 : has;
    ++sources[from[d]];
    ++targets[to[d]];
  }
  if (inside) return 0;
  std::optional<int64_t> best;
  const auto offer = [&](int64_t cost) { best = std::min(best.value_or(cost), cost); };
  if (sources == targets) offer(moved);
  const size_t changed = dims_that_change(from[0], to[0]);
  if (holds && changed == 1 && meet_in_groups(from, to, from, wants / has)) offer(devices * (wants - has));
  const int64_t ratio = volume(around(from[0], to[0])) / has;
  if (wants == has && changed == 2 && copies_stay_alike(from, to) && meet_in_groups(from, to, from, ratio) &&
      meet_in_groups(from, to, to, ratio))
    offer(devices * (has - has / ratio));
  return best;
}

// Elements that all devices send, by the forms of the collectives.
StepCost closed_form(const SplitStep& step, const Mesh& mesh, const std::vector<int64_t>& dims) {
  const std::vector<int64_t> before = part_dims(step.from, dims), after = part_dims(step.to, dims);
  const auto product = [](const std::vector<int64_t>& v) {
    return std::accumulate(v.begin(), v.end(), int64_t{1}, std::multiplies<>());
  };
  const int64_t has = product(before), n = size_of(step.axes), devices = mesh.device_count();
  int64_t sent = 0;
  if (step.kind == StepKind::gather) sent = devices * (product(after) - has);
  if (step.kind == StepKind::exchange) sent = devices * (has - has / n);
  if (step.kind == StepKind::reduce_scatter) sent = devices * (has - has / n);
  if (step.kind == StepKind::all_reduce) sent = devices * 2 * (has - has / n);
  if (step.kind == StepKind::permute) {
    const auto a = boxes_of(step.from, mesh, dims), b = boxes_of(step.to, mesh, dims);
    for (size_t d = 0; d < a.size(); ++d) sent += a[d] == b[d] ? 0 : has;
  }
  return {sent, static_cast<double>(sent), 0};
}

RouteGraph graph_of(const Mesh& mesh, const std::vector<int64_t>& dims, bool partial = false) {
  const AxisSplit whole{std::vector<AxisParts>(dims.size()), {}};
  auto graph = RouteGraph::make(
      {mesh, dims, {whole}, partial},
      [&](const SplitStep& step) { return Result<StepCost>(closed_form(step, mesh, dims)); }, {});
  EXPECT_TRUE(graph.ok());
  return *std::move(graph);
}

// All pairs of all splits of meshes of up to 16 devices, axes in parts.
TEST(Routes, AreAsCheapAsBruteForceFinds) {
  const std::pair<const char*, std::vector<int64_t>> cases[] = {
      {"x=2,y=4", {64, 128}}, {"x=4,y=2", {64, 128}},     {"x=4,y=4", {32, 64}}, {"x=3,y=2", {12, 36}},
      {"x=8", {16, 8}},       {"x=2,y=2,z=2", {8, 8, 8}}, {"x=2,y=8", {32, 4}}};
  for (const auto& [text, dims] : cases) {
    const Mesh mesh = *Mesh::parse(text);
    const RouteGraph graph = graph_of(mesh, dims);
    const std::vector<AxisSplit> splits = graph.all_splits();
    const size_t n = splits.size();
    ASSERT_GT(n, 3U);
    std::vector<std::vector<Box>> boxes;
    for (const AxisSplit& split : splits) boxes.push_back(boxes_of(split, mesh, dims));
    constexpr int64_t kFar = int64_t{1} << 40;
    std::vector<int64_t> cost(n * n, kFar);
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b < n; ++b)
        if (const auto sent = price(boxes[a], boxes[b])) cost[a * n + b] = *sent;
    for (size_t k = 0; k < n; ++k)
      for (size_t a = 0; a < n; ++a)
        for (size_t b = 0; b < n; ++b)
          cost[a * n + b] = std::min(cost[a * n + b], cost[a * n + k] + cost[k * n + b]);
    for (size_t a = 0; a < n; ++a) {
      const auto found = graph.costs_from(splits[a]);
      for (size_t b = 0; b < n; ++b)
        ASSERT_EQ(found.at(splits[b]).time, cost[a * n + b])
            << text << " " << split_text(splits[a], mesh) << " to " << split_text(splits[b], mesh);
    }
  }
}

TEST(Routes, NoDetourIsCheaper) {
  for (const bool partial : {false, true}) {
    const Mesh mesh = *Mesh::parse("x=2,y=4");
    const RouteGraph graph = graph_of(mesh, {64, 128}, partial);
    const std::vector<AxisSplit> splits = graph.all_splits();
    std::vector<std::map<AxisSplit, StepCost>> cost;
    for (const AxisSplit& split : splits) cost.push_back(graph.costs_from(split));
    for (size_t a = 0; a < splits.size(); ++a) {
      EXPECT_EQ(cost[a].at(splits[a]).time, 0);
      for (size_t b = 0; b < splits.size(); ++b)
        for (const AxisSplit& c : splits)
          ASSERT_LE(cost[a].at(c).time, cost[a].at(splits[b]).time + cost[b].at(c).time);
    }
  }
}

std::vector<std::string> opcodes(const std::vector<SplitStep>& steps) {
  std::vector<std::string> out;
  for (const SplitStep& step : steps) out.emplace_back(opcode_of(step.kind));
  return out;
}

TEST(Routes, AreListedByKindTheCheapestFirst) {
  const Mesh mesh = *Mesh::parse("x=4,y=2");
  const RouteGraph graph = graph_of(mesh, {64, 128});
  const AxisSplit from = parse_axis_split("P('x', None)", mesh, 2)->split;
  const AxisSplit to = parse_axis_split("P(None, 'x')", mesh, 2)->split;
  const std::vector<SplitRoute> routes = graph.routes(from, to, 8);
  ASSERT_GE(routes.size(), 2U);
  EXPECT_EQ(opcodes(routes[0].steps), (std::vector<std::string>{"all-to-all"}));
  EXPECT_EQ(routes[0].cost, graph.costs_from(from).at(to));
  std::set<std::vector<std::string>> kinds;
  for (size_t k = 0; k < routes.size(); ++k) {
    EXPECT_LE(routes[k == 0 ? 0 : k - 1].cost.time, routes[k].cost.time);
    EXPECT_EQ(routes[k].steps.front().from, from);
    EXPECT_EQ(routes[k].steps.back().to, to);
    for (size_t s = 1; s < routes[k].steps.size(); ++s)
      EXPECT_EQ(routes[k].steps[s].from, routes[k].steps[s - 1].to);
    std::vector<std::string> own = opcodes(routes[k].steps);
    std::erase(own, "dynamic-slice");
    std::ranges::sort(own);
    EXPECT_TRUE(kinds.insert(own).second) << join(own, " ");
  }
}

TEST(Routes, OfPartialSumsTakeTheScatterThatAllReduceHides) {
  const Mesh mesh = *Mesh::parse("x=4,y=2");
  const RouteGraph graph = graph_of(mesh, {64, 128}, true);
  const AxisSplit from = parse_axis_split("P(None, None, unreduced={'x'})", mesh, 2)->split;
  const auto best = [&](const char* to) {
    return opcodes(graph.routes(from, parse_axis_split(to, mesh, 2)->split, 1).front().steps);
  };
  // Along y all hold the same: each half is summed by one of two only.
  EXPECT_EQ(best("P('x', None)"),
            (std::vector<std::string>{"dynamic-slice", "reduce-scatter", "all-gather"}));
  EXPECT_EQ(best("P(None, None, unreduced={'x'})"), (std::vector<std::string>{}));
  EXPECT_EQ(best("P('y', None, unreduced={'x'})"), (std::vector<std::string>{"dynamic-slice"}));
}

TEST(Routes, ALargeMeshIsCutInFewerParts) {
  const std::vector<AxisSplit> ends = {{{{{0, 1, 16}}, {{1, 1, 16}}}, {}}};
  const Mesh mesh = *Mesh::parse("x=16,y=16");
  const auto cost = [](const SplitStep&) { return Result<StepCost>(StepCost{1, 1, 0}); };
  const auto graph = RouteGraph::make({mesh, {256, 256}, ends, false}, cost, {});
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->parts().size(), 2U);
  const auto uneven = RouteGraph::make({mesh, {256, 100}, ends, false}, cost, {});
  EXPECT_FALSE(uneven.ok());
}

TEST(AxisSplits, ReadWhatTheyPrint) {
  const Mesh mesh = *Mesh::parse("x=4,y=2");
  for (const char* text : {"P('x', None)", "P(('y', 'x'), None)", "P('x:(1)2', 'x:(2)2')", "P(None, None)",
                           "P('y', None, unreduced={'x'})", "P(None, 'y', unreduced=max{'x:(2)2'})"}) {
    const auto read = parse_axis_split(text, mesh, 2);
    ASSERT_TRUE(read.ok()) << text;
    EXPECT_EQ(split_text(read->split, mesh, read->combining), text);
  }
  for (const char* text : {"P('z')", "P('x', 'x')", "P('x', unreduced={'x:(1)2'})", "P('x:(3)2')", "P('x'",
                           "P('x', 'y', None)", "P('x:(1)8')", "P('x:1')"})
    EXPECT_FALSE(parse_axis_split(text, mesh, 2).ok()) << text;
}

std::vector<std::vector<std::string>> rows_of(const char* file) {
  std::ifstream in(std::string(SHARDSCOPE_SOURCE_DIR "/tests/engine/sharding/golden/") + file);
  EXPECT_TRUE(in.good()) << file;
  std::vector<std::vector<std::string>> out;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with('#')) out.push_back(split(line, ';'));
  return out;
}

// What Shardy's passes made of every pair of splits of f32[64,128] by whole axes.
TEST(ShardySteps, AreShardys) {
  size_t pairs = 0;
  for (const char* file : {"shardy_2x4.txt", "shardy_4x2.txt", "shardy_2x2x2.txt"}) {
    const auto rows = rows_of(file);
    ASSERT_FALSE(rows.empty()) << file;
    const Mesh mesh = *Mesh::parse(rows[0][0]);
    std::vector<int64_t> dims;
    for (const std::string& size : split(rows[0][1], ',')) dims.push_back(*parse_int(size));
    for (size_t r = 1; r < rows.size(); ++r, ++pairs) {
      const AxisSplit from = parse_axis_split(rows[r][0], mesh, dims.size())->split;
      const AxisSplit to = parse_axis_split(rows[r][1], mesh, dims.size())->split;
      const auto steps = shardy_steps(from, to, mesh, dims);
      ASSERT_TRUE(steps.has_value());
      std::vector<std::string> own;
      for (const SplitStep& step : *steps)
        own.emplace_back(step.kind == StepKind::slice ? "all-slice" : opcode_of(step.kind));
      EXPECT_EQ(join(own, " "), rows[r][2]) << rows[r][0] << " to " << rows[r][1] << " of " << file;
      EXPECT_TRUE(steps->empty() || steps->back().to == to) << rows[r][0] << " to " << rows[r][1];
    }
  }
  EXPECT_GT(pairs, 300U);
}

// What PyTorch's redistribute did on a mesh of 2 x 4, of f32[64,128]: the local shapes that steps begin with.
TEST(DTensorSteps, AreDTensors) {
  const Mesh mesh = *Mesh::parse("x=2,y=4");
  const std::vector<int64_t> dims{64, 128};
  size_t pairs = 0;
  const auto split_of = [&](const std::string& x, const std::string& y) {
    AxisSplit out{std::vector<AxisParts>(2), {}};
    const std::string* of[] = {&x, &y};
    for (size_t axis = 0; axis < 2; ++axis) {
      const AxisPart part{axis, 1, mesh.axes()[axis].size};
      if (*of[axis] == "P") out.partial.push_back(part);
      if (of[axis]->starts_with('S')) out.dims[of[axis]->back() == '0' ? 0 : 1].push_back(part);
    }
    return out;
  };
  for (const auto& row : rows_of("dtensor_2x4.txt")) {
    const auto steps = dtensor_steps(split_of(row[0], row[1]), split_of(row[2], row[3]), mesh);
    ASSERT_TRUE(steps.has_value());
    std::vector<std::string> own;
    for (const SplitStep& step : *steps) {
      if (is_local(step.kind)) continue;
      std::vector<int64_t> part = part_dims(step.from, dims);
      // Torch scatters rows: what it cuts along columns it stacks first.
      const int64_t cut = step.kind == StepKind::reduce_scatter ? part[1] / part_dims(step.to, dims)[1] : 1;
      part = {part[0] * cut, part[1] / cut};
      own.push_back(std::string(opcode_of(step.kind)) + " " + axis_texts(step.axes, mesh).front() + " " +
                    join(part, "x"));
    }
    EXPECT_EQ(join(own, ", "), row.size() > 4 ? row[4] : "") << join(row, " ");
    ++pairs;
  }
  EXPECT_EQ(pairs, 135U);
}

}  // namespace
}  // namespace shardscope::routes_test
