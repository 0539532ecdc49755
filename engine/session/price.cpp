// SPDX-License-Identifier: Apache-2.0
#include "engine/session/price.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/base/text.h"
#include "engine/partition/entry/reshard_program.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/build/builder.h"
#include "engine/schedule/schedule.h"
#include "engine/sharding/axis_moves.h"

namespace shardscope::inline session {
namespace {

constexpr size_t kMatrix = 2;  // dimensions of X, W and Y

using SpecOf = std::optional<PartitionSpec> StrategyOptions::*;

// What all runs that say one say; none: nobody, not all alike, or not on this mesh.
std::optional<PartitionSpec> agreed(const Experiment& experiment, const Mesh& mesh, SpecOf member) {
  std::optional<PartitionSpec> out;
  for (const RunRequest& run : experiment.runs) {
    const std::optional<PartitionSpec>& said = run.options.*member;
    if (said && out && *said != *out) return std::nullopt;
    if (said) out = said;
  }
  if (!out || out->dims.size() > kMatrix || !NamedSharding::make(mesh, *out).ok()) return std::nullopt;
  out->dims.resize(kMatrix);
  return out;
}

// The spec of an array as X[m,k], W[k,n] or Y[m,n], however it is stored.
PartitionSpec upright(const ArrayInfo& array) {
  PartitionSpec spec = array.spec;
  spec.dims.resize(kMatrix);
  if (array.transposed) std::swap(spec.dims[0], spec.dims[1]);
  return spec;
}

const ArrayInfo* find_input(const Program& program, ArrayRole role) {
  const auto found = std::ranges::find(program.inputs, role, &ArrayInfo::role);
  return found == program.inputs.end() ? nullptr : &*found;
}

bool is_product(const Program& program) {
  if (program.inputs.size() != 2 || !program.output || program.output->role != ArrayRole::product)
    return false;
  for (const ArrayRole role : {ArrayRole::lhs, ArrayRole::rhs}) {
    const ArrayInfo* input = find_input(program, role);
    if (input == nullptr || input->dims.size() != kMatrix) return false;
  }
  return program.output->dims.size() == kMatrix;
}

ElementType result_type_of(const Program& program) {
  const Shape& root = program.entry_computation().root_instruction().shape;
  return root.is_tuple ? root.elements.front().type : root.type;
}

// Sums that were left apart are added up, and what lies in one place is copied to the others.
Result<Program> completed(const ArrayMove& move) {
  SpmdBuilder b("price", move.mesh, move.problem);
  Value v = b.operand(move.array, move.shape.dims, move.from, "rows,columns");
  for (const std::string& axis : move.unreduced) v = b.all_reduce(v, axis);
  for (const HomeCoordinate& at : move.home) v = b.broadcast(v, at.axis, at.coordinate);
  return b.finish(v, ArrayRole::result, move.shape.dims, move.from);
}

// By whole mesh axes, one after the other, as papers write it: no permutes, and nothing is whole in between
// that need not be.
Result<Program> by_axes(const ArrayMove& move) {
  SpmdBuilder b("price", move.mesh, move.problem);
  Value v = b.operand(move.array, move.shape.dims, move.from, "rows,columns");
  for (const AxisMove& step : plan_axis_moves(move.from, move.to)) {
    if (!b.ok()) break;
    const int64_t n = b.size(step.axis);
    if (step.kind == AxisMove::Kind::gather) {
      v = b.all_gather(v, step.axis, step.dim);
      continue;
    }
    b.require_divisible("a block", v.dim(step.dim), {step.axis});
    const int64_t part = v.dim(step.dim) / n;
    if (step.kind == AxisMove::Kind::cut) {
      v = b.dynamic_slice(v, step.dim, b.axis_index(step.axis) * part, part);
      continue;
    }
    v = b.all_to_all(v, step.axis, step.dim);
    std::vector<Value> parts;  // part i came from device i
    for (int64_t i = 0; i < n; ++i) parts.push_back(b.slice(v, step.dim, i * part, part));
    v = b.concatenate(parts, step.from_dim);
  }
  return b.finish(v, ArrayRole::result, move.shape.dims, move.to);
}

// `chip`: its hardware in words.
std::string key_of(const ArrayMove& move, const std::string& chip) {
  std::string out = fmt::format("{} {} {} {} {} {}", move.mesh.text(), move.shape.text(), move.from.text(),
                                move.to.text(), join(move.unreduced, ","), move.overlap);
  for (const MeshAxis& axis : move.mesh.axes()) out += axis.wrap ? 'r' : 'l';
  for (const int32_t at : move.mesh.device_order()) out += fmt::format(" {}", at);
  for (const HomeCoordinate& at : move.home) out += fmt::format(" {}={}", at.axis, at.coordinate);
  for (const DeviceOverride& it : move.overrides.devices) out += " " + text(it);
  for (const LinkOverride& it : move.overrides.links) out += " " + text(it);
  return out + " " + name(move.collective) + " " + chip;
}

Result<Picoseconds> time_by(CollectiveAlgorithm asked, const Program& program, const ArrayMove& move,
                            FastestAlgorithms& fastest, std::stop_token stop) {
  ScheduleOptions options;
  options.overlap = move.overlap;
  options.overrides = move.overrides;
  options.keep_events = false;
  options.fastest = &fastest;
  TRY(const Program ready, resolve_collectives(program, move.hardware, asked, fastest, stop));
  TRY(const Timeline timeline, schedule(ready, move.hardware, options, std::move(stop)));
  return timeline.total;
}

// An algorithm that was asked for need not be legal for what moves here, which the groups of the collectives
// decide: it is found out when they are timed.
Result<Picoseconds> time_of(const Program& program, const ArrayMove& move, FastestAlgorithms& fastest,
                            std::stop_token stop) {
  Result<Picoseconds> time = time_by(move.collective, program, move, fastest, stop);
  if (time.ok() || time.error().kind == ErrorKind::cancelled) return time;
  if (move.collective == CollectiveAlgorithm::automatic) return time;
  return time_by(CollectiveAlgorithm::automatic, program, move, fastest, std::move(stop));
}

std::string verb_of(const Program& program) {
  const auto has = [&](Opcode opcode) {
    return std::ranges::any_of(program.computations, [&](const Computation& c) {
      return std::ranges::any_of(c.instructions, [&](const Instruction& i) { return i.opcode == opcode; });
    });
  };
  if (has(Opcode::all_gather)) return "gather";
  if (has(Opcode::all_to_all)) return "exchange";
  return "move";
}

}  // namespace

OwnShardings own_shardings(const Experiment& experiment, const Mesh& mesh) {
  PartitionSpec over_mesh;
  over_mesh.dims.resize(kMatrix);
  for (size_t d = 0; d < std::min(mesh.axes().size(), kMatrix); ++d)
    over_mesh.dims[d] = {mesh.axes()[d].name};
  return {agreed(experiment, mesh, &StrategyOptions::in_lhs).value_or(over_mesh),
          agreed(experiment, mesh, &StrategyOptions::in_rhs).value_or(over_mesh),
          agreed(experiment, mesh, &StrategyOptions::out).value_or(over_mesh)};
}

std::optional<std::vector<ArrayMove>> moves_of(const Program& program, const Request& request,
                                               const Hardware& hardware) {
  if (!is_product(program)) return std::nullopt;
  const OwnShardings own = own_shardings(request.experiment, program.mesh);
  const MatmulProblem& p = request.problem;
  const std::string chip = hardware_toml(hardware);
  std::vector<ArrayMove> out;
  const auto add = [&](const ArrayInfo& array, const Shape& shape, const PartitionSpec& at_home) {
    ArrayMove move;
    move.array = symbol_of(array);
    move.is_result = array.role == ArrayRole::product;
    move.mesh = program.mesh;
    move.problem = p;
    move.shape = shape;
    move.from = move.is_result ? upright(array) : at_home;
    move.to = move.is_result ? at_home : upright(array);
    if (move.is_result) move.unreduced = array.unreduced;
    if (move.is_result) move.home = array.home;
    move.hardware = hardware;
    move.overrides = request.experiment.overrides;
    move.collective = request.collective;
    move.overlap = request.experiment.overlap;
    if (move.from == move.to && move.unreduced.empty() && move.home.empty()) return;
    move.key = key_of(move, chip);
    out.push_back(std::move(move));
  };
  add(*find_input(program, ArrayRole::lhs), Shape::array(p.dtype, {p.m, p.k}), own.lhs);
  add(*find_input(program, ArrayRole::rhs), Shape::array(p.dtype, {p.k, p.n}), own.rhs);
  add(*program.output, Shape::array(result_type_of(program), {p.m, p.n}), own.out);
  return out;
}

Result<MoveTime> time_of(const ArrayMove& move, FastestAlgorithms& fastest, std::stop_token stop) {
  MoveTime out;
  if (!move.unreduced.empty() || !move.home.empty()) {
    TRY(const Program program, completed(move));
    TRY(out.time, time_of(program, move, fastest, stop));
    out.verb = move.unreduced.empty() ? "copy" : "add up";
  }
  if (move.from == move.to) return out;
  TRY(const Program program, reshard_program(move.mesh, move.shape, {move.from, false}, {move.to, false}));
  std::string verb = verb_of(program);
  TRY(Picoseconds time, time_of(program, move, fastest, stop));
  // Blocks must be even for it.
  if (Result<Program> other = by_axes(move); other.ok()) {
    const std::string other_verb = verb_of(*other);
    TRY(const Picoseconds other_time, time_of(*other, move, fastest, std::move(stop)));
    if (other_time < time) verb = other_verb;
    time = std::min(time, other_time);
  }
  if (out.verb.empty()) out.verb = verb;
  out.time += time;
  return out;
}

Result<std::optional<Price>> PriceBook::price(const Program& program, const Request& request,
                                              const Hardware& hardware, std::stop_token stop) {
  const auto moves = moves_of(program, request, hardware);
  if (!moves) return std::optional<Price>();
  for (const ArrayMove& move : *moves) {
    if (knows(move)) continue;
    Result<MoveTime> time = time_of(move, fastest_, stop);
    if (!time.ok() && time.error().kind == ErrorKind::cancelled) return time.error();
    learn(move, std::move(time));
  }
  return sum(*moves);
}

std::optional<Price> PriceBook::sum(const std::vector<ArrayMove>& moves) const {
  Price out;
  for (const ArrayMove& move : moves) {
    const Result<MoveTime>& time = times_.at(move.key);
    if (!time.ok()) return std::nullopt;
    if (time->time > 0) out.legs.push_back({move.array, move.is_result, time->verb, time->time});
  }
  return out;
}

Result<RunPtr> with_price(const RunPtr& run, std::stop_token stop) {
  if (run->price || run->module) return run;
  PriceBook book;
  TRY(const std::optional<Price> price, book.price(run->program, *run, run->hardware, std::move(stop)));
  if (!price) return run;
  auto priced = std::make_shared<Run>(*run);
  priced->price = price;
  return RunPtr(priced);
}

}  // namespace shardscope::inline session
