// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/bound.h"

#include <algorithm>
#include <map>

#include "engine/collectives/opcode_kind.h"
#include "engine/hardware/fabric.h"
#include "engine/program/analysis/analysis.h"

namespace shardscope {
namespace {

int64_t operand_bytes(const Computation& entry, const Instruction& i) {
  int64_t bytes = 0;
  for (const InstructionId operand : i.operands) bytes += entry.at(operand).shape.bytes();
  return bytes;
}

// A dot reads its operands and writes its result at least.
double dots_s(const Program& program, const Hardware& hardware) {
  Picoseconds sum = 0;
  const Computation& entry = program.entry_computation();
  for (const Instruction& i : entry.instructions) {
    if (i.opcode != Opcode::dot) continue;
    const DotSize size = dot_size(entry, i);
    const Result<Peak> peak = peak_for(hardware, entry.at(i.operands[0]).shape.type);
    if (!peak.ok()) return 0;
    const Result<Cost> cost = product_cost(hardware, *peak, {size.batch, size.m, size.k, size.n},
                                           i.shape.bytes() + operand_bytes(entry, i));
    if (!cost.ok()) return 0;
    sum += cost->total();
  }
  return to_seconds(sum);
}

// What devices send in the mean, by any algorithm: bytes and messages. A group of n gathers or scatters G
// bytes by (n − 1)/n · G each; a broadcast or a reduction moves every byte n − 1 times over n devices.
struct Sent {
  double bytes = 0, messages = 0;
};
Sent least_sent(const Program& program, const Instruction& i) {
  const CollectiveKind kind = *collective_kind(i.opcode);
  const auto devices = static_cast<double>(program.mesh.device_count());
  if (kind == CollectiveKind::permute) {
    double moved = 0;
    for (const SourceTarget& pair : i.permutation->pairs()) moved += pair.source == pair.target ? 0 : 1;
    return {moved / devices * static_cast<double>(i.shape.bytes()), moved / devices};
  }
  const auto groups = device_groups(program, i);
  if (groups.empty()) return {};
  const auto n = static_cast<double>(groups[0].size());
  const double part = (n - 1) / n * (n * static_cast<double>(groups.size()) / devices);
  const auto whole = static_cast<double>(
      kind == CollectiveKind::all_gather ? i.shape.bytes() : operand_bytes(program.entry_computation(), i));
  const bool twice = kind == CollectiveKind::all_reduce && !i.rooted;
  return {part * whole * (twice ? 2 : 1), part};
}

// The fastest at which a message of such a collective may go: by the links, or by any row of the chip for its
// kind, whatever its group. A switch that adds may send less, too.
LinkPace fastest_pace(const Hardware& hardware, const Fabric& fabric, CollectiveKind kind, Sent& sent) {
  LinkPace out = fabric.link_costs().own;
  double least = 1;
  for (const LinkOp& op : hardware.link.ops) {
    if (op.kind != name(kind)) continue;
    if (op.step_s) out.latency = std::min(out.latency, to_picoseconds(*op.step_s));
    if (op.bytes_per_s) out.bytes_per_s = std::max(out.bytes_per_s, *op.bytes_per_s);
    if (op.in_switch) least = 0.5;  // (n + 1) / 2(n − 1) falls to a half
  }
  sent.bytes *= least;
  return out;
}

}  // namespace

double lower_bound_s(const Program& program, const Hardware& hardware) {
  const double dots = dots_s(program, hardware);
  const Result<Fabric> fabric = Fabric::make(program.mesh, hardware);
  if (!fabric.ok() || fabric->all_pairs() || !fabric->link_error().ok()) return dots;
  std::map<std::string, double> busy;  // by axis: seconds on one lane, both directions sharing the work
  for (const Instruction& i : program.entry_computation().instructions) {
    if (!collective_kind(i.opcode)) continue;
    const std::vector<std::string> axes = collective_axes(program, i);
    if (axes.size() != 1) continue;
    Sent sent = least_sent(program, i);
    const LinkPace pace = fastest_pace(hardware, *fabric, *collective_kind(i.opcode), sent);
    const int directions = std::max(1, fabric->directions(*program.mesh.axis_index(axes[0])));
    busy[axes[0]] += (sent.bytes / pace.bytes_per_s + sent.messages * to_seconds(pace.latency)) / directions;
  }
  double longest = dots;
  for (const auto& [axis, seconds] : busy) longest = std::max(longest, seconds);
  return longest;
}

}  // namespace shardscope
