// SPDX-License-Identifier: Apache-2.0
#include "engine/session/routes/instead.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/partition/entry/route_program.h"

namespace shardscope::inline session {
namespace {

constexpr size_t kMostArrays = 16;  // kinds of arrays whose ways are searched
constexpr size_t kMostInstead = 3;  // ways that are said of one collective
constexpr int64_t kMostDevicesAsked = 256;

// One device's part of the array that a collective is about, before it: an all-to-all has its parts along a
// dimension of their own.
std::vector<int64_t> part_before(const Computation& c, const Instruction& i) {
  std::vector<int64_t> dims = c.at(i.operands.front()).shape.dims;
  if (i.opcode != Opcode::all_to_all || i.dimensions->empty()) return dims;
  const auto at = static_cast<size_t>(i.dimensions->front());
  if (at + 1 >= dims.size()) return {};
  dims[at + 1] *= dims[at];
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(at));
  return dims;
}

// The array, and how it lies before and behind.
struct ArrayWay {
  Shape shape;
  SplitText from, to;
};
std::optional<ArrayWay> way_of(const Partitioned& made, const CollectiveOrigin& row, const Computation& c,
                               const Instruction& i) {
  if (row.from_spec.empty() || row.to_spec.empty() || row.from_spec == row.to_spec) return std::nullopt;
  const std::vector<int64_t> part = part_before(c, i);
  const Mesh& mesh = made.program->mesh;
  const auto from = parse_axis_split(row.from_spec, mesh, part.size());
  const auto to = parse_axis_split(row.to_spec, mesh, part.size());
  if (part.empty() || !from.ok() || !to.ok()) return std::nullopt;
  ArrayWay out{Shape::array(c.at(i.operands.front()).shape.type, part), *from, *to};
  for (size_t d = 0; d < part.size(); ++d) out.shape.dims[d] *= size_of(from->split.dims[d]);
  for (size_t d = 0; d < part.size(); ++d)
    if (out.shape.dims[d] % size_of(to->split.dims[d]) != 0) return std::nullopt;
  return out;
}

class InsteadFinder {
 public:
  InsteadFinder(const Partitioned& made, const Hardware& hardware, std::stop_token stop)
      : made_(made), times_(made.program->mesh, hardware), stop_(std::move(stop)) {}

  Result<std::map<std::string, Instead>> find() {
    std::map<std::string, Instead> out;
    TRY(own_times_, times_of_all());
    const Computation& entry = made_.program->entry_computation();
    for (const CollectiveOrigin& row : made_.collectives) {
      const auto found = std::ranges::find(entry.instructions, row.name, &Instruction::name);
      if (found == entry.instructions.end()) continue;
      const auto way = way_of(made_, row, entry, *found);
      if (!way) continue;
      Result<Instead> one = instead(*way, row, *found);
      if (one.ok())
        out.emplace(row.name, *std::move(one));
      else if (one.error().kind == ErrorKind::cancelled)
        return one.error();
    }
    return out;
  }

 private:
  Result<Instead> instead(const ArrayWay& way, const CollectiveOrigin& row, const Instruction& own) {
    const RouteArray array{made_.program->mesh, way.shape, Combining::sum};
    const auto key = way.shape.text_without_layout() + row.from_spec + row.to_spec;
    if (graphs_ >= kMostArrays && !known_.contains(key)) return invalid("more arrays than are searched");
    if (!known_.contains(key)) {
      ++graphs_;
      const bool partial = !way.from.split.partial.empty() || !way.to.split.partial.empty();
      const auto cost = [&](const SplitStep& step) {
        return times_.sum_of(step_program(array, step), stop_);
      };
      TRY(const RouteGraph graph,
          RouteGraph::make({array.mesh, way.shape.dims, {way.from.split, way.to.split}, partial}, cost,
                           stop_));
      known_[key] = graph.routes(way.from.split, way.to.split, kMostInstead + 1);
    }
    Instead out;
    out.time = own_times_.at(own.name);
    std::vector<std::string> others;
    for (const SplitRoute& route : known_.at(key)) {
      const bool is_own =
          std::ranges::count_if(route.steps, [](const SplitStep& s) { return !is_local(s.kind); }) == 1 &&
          opcode_text(own.opcode) == opcode_of(collective_step(route).kind);
      if (is_own || out.routes.size() == kMostInstead) continue;
      TRY(PricedRoute priced, priced_route(array, route));
      others.push_back(words_of(priced));
      out.routes.push_back(std::move(priced));
    }
    out.words = say("{} {}, {}", std::string(opcode_text(own.opcode)), format_bytes(row.bytes_sent),
                    format_picoseconds(out.time));
    if (!others.empty()) out.words += say("; instead: {}", join(others, "; or "));
    return out;
  }

  static const SplitStep& collective_step(const SplitRoute& route) {
    return *std::ranges::find_if(route.steps, [](const SplitStep& s) { return !is_local(s.kind); });
  }

  // By the collective's name.
  Result<std::map<std::string, Picoseconds>> times_of_all() {
    TRY(const std::vector<TimedStep> steps, times_.of(*made_.program, false, stop_));
    std::map<std::string, Picoseconds> out;
    size_t place = 0;
    for (const Instruction& i : made_.program->entry_computation().instructions)
      if (is_collective(i.opcode)) out[i.name] = steps[place++].cost.time;
    return out;
  }

  Result<PricedRoute> priced_route(const RouteArray& array, const SplitRoute& route) {
    PricedRoute out;
    out.bytes = route.cost.bytes;
    out.time = route.cost.time;
    for (const SplitStep& step : route.steps) {
      RouteStep priced{opcode_of(step.kind), axis_texts(step.axes, array.mesh), 0, 0,
                       split_text(step.to, array.mesh)};
      if (!is_local(step.kind)) {
        TRY(const StepCost cost, times_.sum_of(step_program(array, step), stop_));
        priced.bytes = cost.bytes;
        priced.time = cost.time;
      }
      out.steps.push_back(std::move(priced));
    }
    return out;
  }

  static std::string words_of(const PricedRoute& route) {
    std::vector<std::string> steps;
    for (const RouteStep& step : route.steps)
      if (step.time > 0)
        steps.push_back(step.opcode + (step.axes.empty() ? "" : " over " + join(step.axes, ", ")));
    return say("{} {} {}", join(steps, " + "), format_bytes(route.bytes), format_picoseconds(route.time));
  }

  const Partitioned& made_;
  CollectiveTimes times_;
  std::stop_token stop_;
  std::map<std::string, Picoseconds> own_times_;
  std::map<std::string, std::vector<SplitRoute>> known_;
  size_t graphs_ = 0;
};

}  // namespace

Result<std::map<std::string, Instead>> instead_of(const Partitioned& made, const Hardware& hardware,
                                                  std::stop_token stop) {
  if (made.program->mesh.device_count() > kMostDevicesAsked || !hardware.link.bytes_per_s)
    return std::map<std::string, Instead>();
  return InsteadFinder(made, hardware, std::move(stop)).find();
}

}  // namespace shardscope::inline session
