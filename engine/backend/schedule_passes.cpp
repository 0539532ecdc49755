// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/schedule_passes.h"

#include <algorithm>

#include "engine/backend/async_collectives.h"
#include "engine/backend/collective_schedule.h"
#include "engine/base/say.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/async_pairs.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

bool has_collective(const Computation& c) {
  return std::ranges::any_of(c.instructions,
                             [](const Instruction& i) { return is_known(collective_opcode(i)); });
}

// What runs and has collectives.
std::vector<size_t> with_collectives(const Program& program) {
  const std::vector<bool> runs = executed_computations(program);
  std::vector<size_t> out;
  for (size_t c = 0; c < runs.size(); ++c)
    if (runs[c] && has_collective(program.computations[c])) out.push_back(c);
  return out;
}

void append(PassLinks own, PassEffect& to) {
  to.links.insert(to.links.end(), own.begin(), own.end());
}

Pass async_creator(const BackendRequest& request) {
  const bool all = request.compiler == CompileAs::xla_gpu;
  return {"async-collective-creator", [all](Program& program) -> Result<PassEffect> {
            FreshNames fresh(program);
            PassEffect out;
            for (const size_t c : with_collectives(program))
              append(start_collectives(program.computations[c], fresh,
                                       [all](const Instruction& i) {
                                         static const OpTable<bool> kAlways(
                                             {}, {{Opcode::all_gather, true},
                                                  {Opcode::collective_permute, true}});
                                         return all || kAlways[i.opcode];
                                       }),
                     out);
            return out;
          }};
}

// By computation which links its collectives go over, bit by bit, also those of what it calls.
std::vector<uint8_t> links_inside(const Program& program, const Hardware& hardware) {
  std::vector<uint8_t> out(program.computations.size());
  for (size_t c = 0; c < out.size(); ++c)
    for (const Instruction& i : program.computations[c].instructions) {
      if (is_known(collective_opcode(i)))
        out[c] |= static_cast<uint8_t>(1U << static_cast<unsigned>(link_of(program, i, hardware)));
      if (has(i.opcode, Trait::part))
        for (const CalledComputation& called : i.called)
          out[c] |= out[static_cast<size_t>(called.computation.value)];
    }
  return out;
}

LatencyCase latency_case(const Program& program, size_t c, const BackendRequest& request,
                         const std::vector<Picoseconds>& times, const std::vector<uint8_t>& by_computation) {
  const Computation& computation = program.computations[c];
  const size_t count = computation.instructions.size();
  const auto first =
      static_cast<size_t>(program.global_index(ComputationId(static_cast<int64_t>(c)), InstructionId(0)));
  LatencyCase out{program, computation, {}, {}, {}, request.flags.collectives_in_flight};
  for (size_t k = 0; k < count; ++k) {
    const Instruction& i = computation.instructions[k];
    const bool starts = is_start(i) && is_known(collective_opcode(i));
    out.times.push_back(times.empty() ? (is_free(i) ? 0 : 1) : times[first + k]);
    out.links.push_back(starts ? link_of(program, i, request.hardware) : CollectiveLink::node);
    uint8_t inside = 0;
    if (has(i.opcode, Trait::part))
      for (const CalledComputation& called : i.called)
        inside |= by_computation[static_cast<size_t>(called.computation.value)];
    out.inside.push_back(inside);
  }
  for (size_t k = 0; k < count; ++k) {
    const Instruction& i = computation.instructions[k];
    if (ends_start(i) && !i.operands.empty())
      out.links[k] = out.links[static_cast<size_t>(i.operands.front().value)];
  }
  return out;
}

Pass latency_hiding_scheduler(const BackendRequest& request) {
  return {"latency-hiding-scheduler", [&request](Program& program) -> Result<PassEffect> {
            const auto times = request.clock ? request.clock(program) : std::vector<Picoseconds>();
            const std::vector<uint8_t> inside = links_inside(program, request.hardware);
            const Program before = program;
            for (const size_t c : with_collectives(before)) {
              const LatencyCase given = latency_case(before, c, request, times, inside);
              TRY(const std::vector<size_t> order, latency_hiding_order(given, request.stop));
              reorder(program.computations[c], order);
            }
            return PassEffect();
          }};
}

Pass early_late_scheduler() {
  return {"gpu-scheduler", [](Program& program) -> Result<PassEffect> {
            for (const size_t c : with_collectives(program)) {
              const std::vector<size_t> order = early_and_late_order(program.computations[c]);
              reorder(program.computations[c], order);
            }
            return PassEffect();
          }};
}

Pass sync_converter() {
  return {"convert-async-collectives-to-sync", [](Program& program) -> Result<PassEffect> {
            FreshNames fresh(program);
            PassEffect out;
            for (const size_t c : with_collectives(program)) {
              const PassLinks own = join_idle_pairs(program.computations[c], fresh);
              for (size_t k = 0; k < own.size(); k += 2)
                out.said.push_back(
                    say("{}: nothing runs beside it, so it is one instruction again", own[k].first));
              append(own, out);
            }
            return out;
          }};
}

}  // namespace

bool hides_latency(const BackendRequest& request) {
  return request.compiler == CompileAs::xla_tpu || request.flags.latency_hiding_scheduler;
}

std::vector<Pass> schedule_passes(const BackendRequest& request) {
  return {async_creator(request),
          hides_latency(request) ? latency_hiding_scheduler(request) : early_late_scheduler(),
          sync_converter()};
}

}  // namespace shardscope::inline backend
