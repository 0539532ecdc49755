// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/backend_passes.h"

#include <algorithm>

#include "engine/backend/overlap.h"
#include "engine/backend/pass_list.h"
#include "engine/backend/schedule_passes.h"
#include "engine/base/say.h"
#include "engine/program/analysis/async_pairs.h"

namespace shardscope::inline backend {
namespace {

StageLinks links_of(const SharedProgram& made, const SharedProgram& before, const PassLinks& own) {
  std::vector<StageLink> links;
  for (const auto& [name, source] : own) {
    const auto from = made.number_of(name), to = before.number_of(source);
    if (from && to) links.push_back({*from, *to});
  }
  int32_t number = 0;
  for (const Computation& c : made->computations)
    for (const Instruction& i : c.instructions) {
      auto source = before.number_of(i.name);
      if (!source) source = before.number_of(source_name(i));
      if (source) links.push_back({number, *source});
      ++number;
    }
  return StageLinks(std::move(links));
}

}  // namespace

Result<std::shared_ptr<const BackendPass>> backend_passes(const StagePtr& partitioned,
                                                          const BackendRequest& request) {
  StagePtr last = partitioned;
  std::shared_ptr<const BackendPass> out;
  const std::vector<Pass> passes = passes_for(request);
  for (size_t n = 0; n < passes.size(); ++n) {
    if (request.stop.stop_requested()) return cancelled();
    BackendPass made;
    made.kind = StageKind::backend;
    made.before = last;
    made.pass = passes[n].name;
    Program program = *last->program;
    TRY(PassEffect effect, passes[n].run(program));
    TRY_VOID(verify(program));
    made.said = std::move(effect.said);
    if (n + 1 == passes.size()) {
      const auto times = request.clock ? request.clock(program) : std::vector<Picoseconds>();
      const ScheduledBy by{hides_latency(request), request.compiler == CompileAs::xla_gpu,
                           request.flags.collectives_in_flight};
      TRY(made.overlaps, collective_overlaps(program, request.hardware, times, by, request.stop));
    }
    made.program = SharedProgram(std::move(program));
    made.links = links_of(made.program, last->program, effect.links);
    out = std::make_shared<const BackendPass>(std::move(made));
    last = out;
  }
  return out;
}

std::shared_ptr<const BackendPass> backend_pass(const StagePtr& stage) {
  if (stage == nullptr || stage->kind != StageKind::backend) return nullptr;
  return std::static_pointer_cast<const BackendPass>(stage);
}

std::vector<std::shared_ptr<const BackendPass>> passes_of(std::shared_ptr<const BackendPass> last) {
  std::vector<std::shared_ptr<const BackendPass>> out;
  while (last != nullptr) {
    out.push_back(last);
    last = backend_pass(last->before);
  }
  std::ranges::reverse(out);
  return out;
}

std::vector<std::string> backend_notes(CompileAs compiler, const XlaFlags& flags) {
  std::vector<std::string> out;
  if (compiler == CompileAs::xla_tpu)
    out.push_back(
        said("the TPU's compiler is not open: its passes are those that its public flags name (combiners, "
             "asynchronous all-gathers and permutes, the latency-hiding scheduler); how many bytes it "
             "combines is not known and taken as on a GPU; collectives inside of fusions are not shown"));
  if (compiler == CompileAs::xla_gpu && !flags.highest_priority_async_stream)
    out.push_back(
        said("xla_gpu_enable_highest_priority_async_stream changes when the program runs, not the module"));
  return out;
}

bool has_passes(CompileAs compiler) {
  return compiler == CompileAs::xla_gpu || compiler == CompileAs::xla_tpu;
}

}  // namespace shardscope::inline backend
