// SPDX-License-Identifier: Apache-2.0
#include "engine/session/compiled/after_passes.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/base/say.h"
#include "engine/program/analysis/async_pairs.h"
#include "engine/session/compiled/stage_clock.h"
#include "engine/session/modules/collective_volume.h"
#include "engine/sharding/axis_split.h"
#include "engine/sharding/named_sharding.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope::inline session {
namespace {

// Through all passes, to what the module was partitioned from.
StageLinks links_through(const Partitioned& made, const BackendPass& last) {
  std::vector<StageLink> links;
  int32_t number = 0;
  for (const Computation& c : last.program->computations)
    for (size_t k = 0; k < c.instructions.size(); ++k, ++number)
      for (const int32_t source : sources_in(made, last, number))
        for (const int32_t before : made.links.sources(source)) links.push_back({number, before});
  return StageLinks(std::move(links));
}

// The same split, by the axes along which a sum's groups stand, of the dimension that it is scattered over;
// their order is that in which members keep parts.
std::optional<AxisSplit> scattered_split(const Program& program, const Instruction& scatter,
                                         AxisSplit split) {
  std::vector<AxisPart> parts;
  for (int axis = 0; axis < program.mesh.rank(); ++axis)
    for (const std::string& name : collective_axes(program, scatter))
      if (program.mesh.axes()[static_cast<size_t>(axis)].name == name)
        parts.push_back({static_cast<size_t>(axis), 1, program.mesh.axis_size(axis)});
  const auto is_in_order = [&] {
    for (const std::vector<DeviceId>& group : device_groups(program, scatter))
      for (size_t m = 0; m < group.size(); ++m)
        if (place_along(parts, program.mesh, group[m]) != static_cast<int64_t>(m)) return false;
    return !parts.empty();
  };
  std::ranges::sort(parts);
  do {
    if (!is_in_order()) continue;
    AxisParts& dim = split.dims[static_cast<size_t>(scatter.dimensions->front())];
    dim.insert(dim.end(), parts.begin(), parts.end());
    return split;
  } while (std::next_permutation(parts.begin(), parts.end()));
  return std::nullopt;
}

// A sum that was whole behind it is a part of it now.
void take_scattered_target(const Program& program, const Instruction& scatter, CollectiveOrigin& row) {
  const size_t rank = scatter.shape.rank();
  const auto whole = parse_axis_split(row.to_spec, program.mesh, rank);
  const auto split =
      whole.ok() ? scattered_split(program, scatter, whole->split) : std::optional<AxisSplit>();
  row.to_spec = split ? split_text(*split, program.mesh) : "";
  const auto spec = PartitionSpec::parse(row.to_spec);
  const auto named = spec.ok() ? NamedSharding::make(program.mesh, *spec) : spec.error();
  if (!split || !named.ok()) {
    row.to = row.to_text = say("parts along dimension {}", scatter.dimensions->front());
    return;
  }
  const HloSharding sharding = HloSharding::from(*named, rank);
  row.to = sharding.text();
  row.to_text = sharding_text(sharding, program.mesh, rank);
}

// What the collective was made of says why it is there.
void take_reason(const Partitioned& made, const BackendPass& last, CollectiveOrigin& row) {
  std::vector<const CollectiveOrigin*> of;
  for (const std::string& source : sources_in(made, last, row.name))
    for (const CollectiveOrigin& each : made.collectives)
      if (each.name == source) of.push_back(&each);
  if (of.empty()) return;
  const CollectiveOrigin own = std::exchange(row, *of.front());
  row.name = own.name;
  row.bytes = own.bytes;
  const Instruction *made_of = made.program.find(of.front()->name), *self = last.program.find(own.name);
  if (made_of->opcode == Opcode::all_reduce && collective_opcode(*self) == Opcode::reduce_scatter &&
      self->operands.size() == 1)
    take_scattered_target(*last.program, plain_collective(*self), row);
  if (of.size() > 1) row.rule += fmt::format("; {} in one", of.size());
}

}  // namespace

Partitioned after_passes(const std::shared_ptr<const Partitioned>& made,
                         const std::shared_ptr<const BackendPass>& last, const Hardware& hardware) {
  Partitioned out = *made;
  out.program = last->program;
  out.links = links_through(*made, *last);
  out.collectives = own_collectives(*out.program, hardware);
  for (CollectiveOrigin& row : out.collectives) take_reason(*made, *last, row);
  for (const auto& pass : passes_of(last))
    for (const std::string& said : pass->said) out.notes.push_back(pass->pass + ": " + said);
  choose_algorithms(out, hardware);
  return out;
}

Partitioned with_plain_collectives(const Partitioned& made) {
  Partitioned out = made;
  Program program = *made.program;
  for (Computation& c : program.computations)
    for (Instruction& i : c.instructions)
      if (is_known(collective_opcode(i))) i = plain_collective(i);
  out.program = SharedProgram(std::move(program));
  return out;
}

Result<BackendModule> through_backend(const std::shared_ptr<const Partitioned>& made, CompileAs compiler,
                                      const XlaFlags& flags, const Hardware& hardware,
                                      const std::stop_token& stop) {
  BackendModule out{made, made, {}};
  if (!has_passes(compiler)) return out;
  TRY(const auto last, backend_passes(made, {compiler, flags, hardware, stage_clock(hardware, stop), stop}));
  Partitioned compiled = after_passes(made, last, hardware);
  for (const std::string& note : backend_notes(compiler, flags)) compiled.notes.push_back(note);
  for (const CollectiveOverlap& overlap : last->overlaps) out.overlaps.emplace(overlap.name, overlap);
  out.made = shared_stage(std::move(compiled));
  out.last = last;
  return out;
}

}  // namespace shardscope::inline session
