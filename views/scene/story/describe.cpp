// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "views/scene/story/blocks.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/step_transfers.h"

namespace shardscope {
namespace {

std::vector<std::string> describe_event(const ViewInput& input, int32_t number) {
  const auto e = find_event(input, number);
  if (!e) return {};
  std::vector<std::string> lines{event_name(input, *e)};
  lines.push_back(fmt::format("{} to {}", format_picoseconds(e->start), format_picoseconds(e->end)));
  const double seconds = to_seconds(e->end - e->start);
  if (is_transfer(*e)) {
    if (seconds > 0)
      lines.push_back(fmt::format("{} = {} / {}", format_rate(static_cast<double>(e->bytes) / seconds, "B/s"),
                                  format_bytes(static_cast<double>(e->bytes)), format_seconds(seconds)));
    if (e->relayed) lines.push_back("a further hop of this transfer");
  } else {
    lines.push_back(fmt::format("reads and writes {}", format_bytes(static_cast<double>(e->bytes))));
    if (e->flops > 0 && seconds > 0) {
      lines.push_back(fmt::format("{} = {} / {}", format_rate(e->flops / seconds, "FLOP/s"),
                                  format_rate(e->flops, "FLOP"), format_seconds(seconds)));
    }
  }
  const Instruction* found = find_instruction(input.run.program, e->instruction);
  if (found && !found->provenance.op_name.empty()) lines.push_back(found->provenance.op_name);
  if (const auto cause = find_event(input, e->cause))
    lines.push_back("waited for " + event_name(input, *cause));
  return lines;
}

std::vector<std::string> describe_device(const ViewInput& input, int32_t device) {
  std::vector<std::string> lines{"device " + device_name(input.run.mesh, device)};
  const auto& totals = input.run.timeline.totals;
  if (device < 0 || static_cast<size_t>(device) >= totals.size()) return lines;
  const DeviceTotals& t = totals[static_cast<size_t>(device)];
  lines.push_back(fmt::format("compute {}, communication {}, exposed {}, idle {}",
                              format_picoseconds(t.compute), format_picoseconds(t.comm),
                              format_picoseconds(t.exposed), format_picoseconds(t.idle)));
  lines.push_back(fmt::format(
      "sent {}, received {}, peak memory {}", format_bytes(static_cast<double>(t.bytes_sent)),
      format_bytes(static_cast<double>(t.bytes_received)), format_bytes(static_cast<double>(t.peak_bytes))));
  return lines;
}

std::vector<std::string> describe_block(const ViewInput& input, const ItemId& item) {
  const std::vector<BlockedArray> arrays = blocked_arrays(input.run.program);
  if (item.lane < 0 || static_cast<size_t>(item.lane) >= arrays.size()) return {};
  const BlockedArray& a = arrays[static_cast<size_t>(item.lane)];
  if (item.index < 0 || item.index >= a.block_count()) return {};
  std::string ranges;
  for (const IndexRange& r : a.box(item.index))
    ranges += (ranges.empty() ? "" : ", ") + fmt::format("{}:{}", r.start, r.stop);
  const std::vector<int32_t>& owners = a.owners[static_cast<size_t>(item.index)];
  std::string names;
  for (size_t i = 0; i < owners.size() && i < 8; ++i)
    names += (i ? ", " : "") + device_name(input.run.mesh, owners[i]);
  if (owners.size() > 8) names += fmt::format(" and {} more", owners.size() - 8);
  return {fmt::format("block {} of {}", a.block_name(item.index), a.letter), a.letter + "[" + ranges + "]",
          fmt::format("{} by its sharding: {}", owners.size() > 1 ? "owners" : "owner", names)};
}

}  // namespace

std::vector<std::string> describe(const ViewInput& input, const ItemId& item) {
  switch (item.kind) {
    case ItemId::Kind::none:
    case ItemId::Kind::handle:
    case ItemId::Kind::candidate:
      return {};
    case ItemId::Kind::event:
      return describe_event(input, item.event);
    case ItemId::Kind::event_group:
      return {fmt::format("device {}, {}: {} events merged, too short to draw apart; zoom in to see them",
                          device_name(input.run.mesh, item.device), lane_name(input, item.lane),
                          group_digits(std::max(item.index, 0)))};
    case ItemId::Kind::device:
      return describe_device(input, item.device);
    case ItemId::Kind::block:
      return describe_block(input, item);
    case ItemId::Kind::link:
      return {fmt::format("link {} → {}, {}", device_name(input.run.mesh, item.device),
                          device_name(input.run.mesh, item.index), lane_name(input, item.lane))};
    case ItemId::Kind::step: {
      const auto steps = input.trace.steps();
      if (!steps.ok() || item.index < 0 || static_cast<size_t>(item.index) >= steps->size()) return {};
      const TraceSource::Step& step = (*steps)[static_cast<size_t>(item.index)];
      return {
          clock_name(input, item.index) +
              (step.step >= 0 ? fmt::format(", the algorithm's step {}", step.step) : ""),
          fmt::format("{} to {}", format_picoseconds(step.range.start), format_picoseconds(step.range.end)),
          narrate(input, item.index)};
    }
    case ItemId::Kind::instruction: {
      const Instruction* found = find_instruction(input.run.program, item.instruction);
      if (!found) return {};
      std::vector<std::string> lines{found->name + " = " + found->shape.text() + " " +
                                     std::string(opcode_text(found->opcode))};
      if (!found->provenance.op_name.empty()) lines.push_back(found->provenance.op_name);
      return lines;
    }
    case ItemId::Kind::buffer: {
      std::vector<std::string> lines = describe_device(input, item.device);
      if (item.instruction >= 0)
        lines.insert(lines.begin(), "buffer of " + instruction_name(input, item.instruction));
      return lines;
    }
    case ItemId::Kind::chunk:
      return {fmt::format(
          "{} from {}, {}", item.index >= 0 ? fmt::format("block {}", item.index) : std::string("block"),
          device_name(input.run.mesh, item.device), instruction_name(input, item.instruction))};
  }
  return {};
}

}  // namespace shardscope
