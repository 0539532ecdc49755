// SPDX-License-Identifier: Apache-2.0
#include "engine/story/sums/operation_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/story/beat_facts.h"

namespace shardscope::inline story {
int32_t link_end(const Run& run, const Event& e) {
  const Lane& lane = run.timeline.lanes[static_cast<size_t>(e.lane)];
  if (lane.kind != LaneKind::link || lane.axis < 0 || lane.axis >= run.mesh.rank()) return e.peer;
  if (!run.mesh.device_order().empty()) return e.peer;
  const int64_t size = run.mesh.axis_size(lane.axis);
  const int64_t at = run.mesh.coordinate(DeviceId(e.device), lane.axis);
  const int64_t next = (at + lane.direction + size) % size;
  return static_cast<int32_t>(e.device + (next - at) * run.mesh.stride(lane.axis));
}

bool arrives(const Run& run, const Event& transfer) {
  return link_end(run, transfer) == transfer.peer;
}

bool leaves_or_arrives(const Run& run, const Event& transfer, int32_t device) {
  if (transfer.device == device && !transfer.relayed) return true;
  return transfer.peer == device && arrives(run, transfer);
}

std::map<int32_t, std::string> travelling_arrays(const Story& story) {
  std::map<int32_t, std::vector<int32_t>> found;  // places in Story::arrays, the same ones again and again
  for (const Beat& beat : story.beats()) {
    if (beat.transfer_step < 0) continue;
    std::vector<int32_t>& arrays = found[beat.instruction];
    for (const int32_t event : beat.events) {
      for (const Carried& c : story.carried(event)) {
        if (c.piece < 0) continue;
        const int32_t array = story.piece(c.piece).array;
        if (arrays.empty() || arrays.back() != array) arrays.push_back(array);
      }
    }
  }
  std::map<int32_t, std::string> out;
  for (auto& [instruction, arrays] : found) {
    std::ranges::sort(arrays);
    arrays.erase(std::unique(arrays.begin(), arrays.end()), arrays.end());
    std::vector<std::string> names;
    for (const int32_t array : arrays)
      names.push_back(common_name(story.arrays()[static_cast<size_t>(array)]));
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (!names.empty()) out[instruction] = join(names, " and ");
  }
  return out;
}

std::string product_name(const DotSize& size) {
  const std::string batch = size.batch > 1 ? fmt::format("{} × ", size.batch) : "";
  return say("product {}{}×{}×{}", batch, size.m, size.k, size.n);
}

OperationName operation_name(const Program& program, int32_t index) {
  for (const Computation& c : program.computations) {
    const auto size = static_cast<int32_t>(c.instructions.size());
    if (index >= size) {
      index -= size;
      continue;
    }
    const Instruction& i = c.instructions[static_cast<size_t>(index)];
    if (i.opcode == Opcode::dot) {
      const DotSize dot = dot_size(c, i);
      return {product_name(dot), "", dot};
    }
    OperationName out;
    out.verb = std::string(opcode_text(i));
    if (is_collective(i.opcode)) out.place = join(collective_axes(program, i), ",");
    return out;
  }
  return {"?", "", {}};
}

std::string verb_of(const OperationName& name) {
  const std::string_view start = "-start";
  return name.verb.ends_with(start) ? name.verb.substr(0, name.verb.size() - start.size()) : name.verb;
}

std::string operation_key(const Program& program, int32_t index, const std::string& array) {
  const OperationName name = operation_name(program, index);
  if (name.size.m > 0) return name.verb;
  const Instruction& i = program.by_global_index(index);
  if (!is_collective(i.opcode))
    return verb_of(name) + " " + i.shape.text().substr(0, i.shape.text().find('{'));
  std::string out = verb_of(name);
  if (!array.empty()) out = say("{} of {}", out, array);
  if (!name.place.empty()) out = say("{} over {}", out, join(split(name.place, ','), said(" and ")));
  return out;
}

}  // namespace shardscope::inline story
