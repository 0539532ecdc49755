// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/pass_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/backend/combined_collectives.h"
#include "engine/backend/fuse.h"
#include "engine/backend/loop_passes.h"
#include "engine/backend/loop_rewrite.h"
#include "engine/backend/permute_cycles.h"
#include "engine/backend/scattered_sums.h"
#include "engine/backend/schedule_passes.h"
#include "engine/base/say.h"

namespace shardscope::inline backend {
namespace {

// "all-reduce.1, all-reduce.2: become one all-reduce".
std::vector<std::string> sentences(const PassLinks& links, const std::string& what) {
  std::map<std::string, std::string> by_made;
  for (const auto& [made, source] : links) by_made[made] += (by_made[made].empty() ? "" : ", ") + source;
  std::vector<std::string> out;
  for (const auto& [made, sources] : by_made) out.push_back(fmt::format("{}: {}", sources, what));
  return out;
}

bool is_ordered(const Computation& c) {
  return std::ranges::any_of(c.instructions,
                             [](const Instruction& i) { return !i.control_predecessors.empty(); });
}

// A pass over each computation whose order nobody said.
using InComputation = std::function<PassLinks(const Program&, Computation&)>;
Pass in_each(std::string name, std::string what, InComputation run) {
  return {std::move(name),
          [run = std::move(run), what = std::move(what)](Program& program) -> Result<PassEffect> {
            const Program before = program;
            PassEffect out;
            for (Computation& c : program.computations) {
              if (is_ordered(c)) continue;
              const PassLinks own = run(before, c);
              if (!own.empty()) drop_unread(c);
              out.links.insert(out.links.end(), own.begin(), own.end());
            }
            out.said = sentences(out.links, what);
            return out;
          }};
}

Pass scatterer() {
  return in_each("reduce-scatter-creator",
                 said("an all-reduce of which each device keeps its part is a reduce-scatter"),
                 [](const Program& program, Computation& c) { return scatter_sums(program, c); });
}

Pass combiner(Opcode opcode, int64_t most, const std::stop_token& stop) {
  const std::string kind(opcode_text(opcode));
  return in_each(kind + "-combiner", say("become one {}", kind),
                 [how = CombineOptions{opcode, most, stop}](const Program& program, Computation& c) {
                   return combine_collectives(program, c, how);
                 });
}

Pass fusion(const BackendRequest& request) {
  return {"fusion", [&request](Program& program) -> Result<PassEffect> {
            Result<Program> fused = fuse(program, request.compiler, request.hardware, request.stop);
            if (fused.ok()) {
              program = *std::move(fused);
              return PassEffect();
            }
            if (fused.error().kind == ErrorKind::cancelled) return fused.error();
            return PassEffect{{}, {say("nothing is fused: {}", fused.error().text())}};
          }};
}

Pass whole(std::string name, const std::stop_token& stop,
           std::function<PassEffect(Program&, const std::stop_token&)> run) {
  return {std::move(name), [run = std::move(run), stop](Program& program) -> Result<PassEffect> {
            PassEffect out = run(program, stop);
            if (stop.stop_requested()) return cancelled();
            return out;
          }};
}

// Collectives of loops, in front of reduce-scatter-creator as XLA has them.
std::vector<Pass> loop_passes(const XlaFlags& flags, const std::stop_token& stop) {
  std::vector<Pass> out{whole("while-loop-all-reduce-code-motion", stop, sum_behind_loops)};
  if (flags.pipelined_all_reduce || flags.pipelined_collectives)
    out.push_back(
        whole("collective-pipeliner-all-reduce", stop, [](Program& program, const std::stop_token& asked) {
          return sum_later(program, Opcode::all_reduce, asked);
        }));
  if (flags.pipelined_all_gather || flags.pipelined_collectives)
    out.push_back(whole("collective-pipeliner-all-gather", stop, gather_ahead));
  if (flags.pipelined_reduce_scatter || flags.pipelined_collectives)
    out.push_back(whole("collective-pipeliner-reduce-scatter", stop,
                        [](Program& program, const std::stop_token& asked) {
                          return sum_later(program, Opcode::reduce_scatter, asked);
                        }));
  return out;
}

std::vector<Pass> combiners(const XlaFlags& flags, const std::stop_token& stop) {
  return {combiner(Opcode::all_gather, flags.all_gather_combine_bytes, stop),
          combiner(Opcode::all_reduce, flags.all_reduce_combine_bytes, stop),
          combiner(Opcode::reduce_scatter, flags.reduce_scatter_combine_bytes, stop),
          combiner(Opcode::collective_permute, flags.collective_permute_combine_bytes, stop)};
}

}  // namespace

std::vector<Pass> passes_for(const BackendRequest& request) {
  std::vector<Pass> out;
  if (request.compiler == CompileAs::none) return out;
  const auto add = [&out](std::vector<Pass> more) {
    for (Pass& pass : more) out.push_back(std::move(pass));
  };
  const XlaFlags& flags = request.flags;
  if (request.compiler == CompileAs::xla_gpu)
    add(loop_passes(flags, request.stop));
  else
    out.push_back(whole("while-loop-invariant-code-motion", request.stop, hoist_unchanging));
  out.push_back(scatterer());
  if (flags.permute_decomposer_bytes != XlaFlags().permute_decomposer_bytes)
    out.push_back(whole("collective-permute-cycle-decomposer", request.stop,
                        [least = flags.permute_decomposer_bytes](Program& program, const std::stop_token&) {
                          return open_permute_rings(program, least);
                        }));
  out.push_back(fusion(request));
  add(combiners(flags, request.stop));
  if (flags.while_loop_double_buffering)
    out.push_back(whole("double-buffer-loop-unrolling", request.stop, two_rounds_at_once));
  add(schedule_passes(request));
  return out;
}

}  // namespace shardscope::inline backend
