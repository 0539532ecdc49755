// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/collective_volume.h"

#include <algorithm>
#include <cmath>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/collectives/group_place.h"
#include "engine/numerics/plan/plain_program.h"
#include "engine/partition/entry/partitioned_cost.h"
#include "engine/program/analysis/async_pairs.h"
#include "engine/program/text/hlo_text.h"
#include "engine/schedule/schedule.h"

namespace shardscope::inline session {
namespace {

double mean_over_devices(const TimedCollective& c, int64_t devices) {
  const auto ranks = static_cast<double>(c.groups->members.size()) * c.schedule->ranks();
  return mean_bytes_sent(*c.schedule, c.bytes) * ranks / static_cast<double>(devices);
}

void write_traffic(const Program& program, const Hardware& hardware,
                   std::vector<CollectiveOrigin>& collectives) {
  const auto traffic = traffic_of(program, hardware, CollectiveAlgorithm::automatic);
  for (CollectiveOrigin& c : collectives) {
    const auto known = traffic.find(c.name);
    if (known == traffic.end()) continue;
    c.bytes_sent = known->second.bytes_sent;
    c.algorithm = known->second.algorithm;
  }
}

}  // namespace

std::string CollectiveVolume::text() const {
  const std::string by = algorithm.empty() ? "" : " (" + algorithm + ")";
  return say("data {}, sent by a device {}{}, moved by all {}", format_bytes(data), format_bytes(sent), by,
             format_bytes(moved));
}

CollectiveVolume volume_of(const CollectiveOrigin& c, int64_t devices) {
  return {static_cast<double>(c.bytes), c.bytes_sent, c.bytes_sent * static_cast<double>(devices),
          c.algorithm};
}

std::map<std::string, CollectiveTraffic> traffic_of(const Program& program, const Hardware& hardware,
                                                    CollectiveAlgorithm asked) {
  Program plain = plain_program(program, PlainFor::time).value_or(program);
  plain.mesh = with_chip_wraps(program.mesh, hardware);
  std::map<std::string, CollectiveTraffic> out;
  for (size_t k = 0; k < plain.computations.size(); ++k) {
    const auto& instructions = plain.computations[k].instructions;
    if (std::ranges::none_of(instructions, [](const Instruction& i) { return is_collective(i.opcode); }))
      continue;
    plain.entry = ComputationId(static_cast<int64_t>(k));
    const auto planned = plan_collectives(plain, hardware, {}, asked);
    if (!planned.ok()) continue;
    for (const TimedCollective& c : *planned) {
      const Instruction& i = plain.by_global_index(c.instruction);
      CollectiveTraffic& traffic = out[source_name(i)];
      traffic.algorithm = c.algorithm;
      traffic.bytes_sent += mean_over_devices(c, plain.mesh.device_count());
    }
  }
  return out;
}

std::vector<CollectiveOrigin> own_collectives(const Program& program, const Hardware& hardware) {
  std::vector<CollectiveOrigin> out;
  for (const Computation& c : program.computations) {
    for (const Instruction& i : c.instructions) {
      if (!is_known(collective_opcode(i))) continue;
      CollectiveOrigin& row = out.emplace_back();
      row.name = i.name;
      row.op_name = i.provenance->op_name;
      row.source_line = source_line(program, i);
      row.line = i.line;
      row.bytes = collective_data(c, plain_collective(i));
    }
  }
  write_traffic(program, hardware, out);
  return out;
}

void choose_algorithms(Partitioned& made, const Hardware& hardware) {
  write_traffic(*made.program, hardware, made.collectives);
}

}  // namespace shardscope::inline session
