// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/collective_passes.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "engine/backend/combined_collectives.h"

namespace shardscope {
namespace {

struct Pass {
  const char* name;
  std::function<PassLinks(const Program&, Computation&)> run;
  const char* what;  // "{} {}": how many, of what
};

std::vector<Pass> gpu_passes(int64_t most) {
  const auto combining = [most](Opcode opcode) {
    return
        [opcode, most](const Program& p, Computation& c) { return combine_collectives(p, c, opcode, most); };
  };
  return {{"reduce-scatter-creator", [](const Program& p, Computation& c) { return scatter_sums(p, c); },
           "an all-reduce of which each device keeps its part is a reduce-scatter"},
          {"all-gather-combiner", combining(Opcode::all_gather), "become one all-gather"},
          {"all-reduce-combiner", combining(Opcode::all_reduce), "become one all-reduce"},
          {"reduce-scatter-combiner", combining(Opcode::reduce_scatter), "become one reduce-scatter"},
          {"collective-permute-combiner", combining(Opcode::collective_permute),
           "become one collective-permute"}};
}

// "all-reduce.1, all-reduce.2 become one all-reduce".
std::vector<std::string> sentences(const PassLinks& links, const char* what) {
  std::map<std::string, std::string> by_made;
  for (const auto& [made, source] : links) by_made[made] += (by_made[made].empty() ? "" : ", ") + source;
  std::vector<std::string> out;
  for (const auto& [made, sources] : by_made) out.push_back(fmt::format("{}: {}", sources, what));
  return out;
}

// Sums that nobody reads are gone: what a pass made stands for them.
void drop_unread_sums(Computation& c) {
  std::vector<bool> used(c.instructions.size());
  used[static_cast<size_t>(c.root.value)] = true;
  for (size_t k = c.instructions.size(); k-- > 0;) {
    const bool kept = used[k] || c.instructions[k].opcode != Opcode::all_reduce;
    used[k] = kept;
    if (kept)
      for (const InstructionId operand : c.instructions[k].operands)
        used[static_cast<size_t>(operand.value)] = true;
  }
  std::vector<InstructionId> to(c.instructions.size());
  std::vector<Instruction> out;
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    if (!used[k]) continue;
    to[k] = InstructionId(static_cast<int64_t>(out.size()));
    out.push_back(std::move(c.instructions[k]));
    for (InstructionId& operand : out.back().operands) operand = to[static_cast<size_t>(operand.value)];
  }
  c.root = to[static_cast<size_t>(c.root.value)];
  c.instructions = std::move(out);
}

StageLinks links_of(const SharedProgram& made, const SharedProgram& before, const PassLinks& own) {
  std::vector<StageLink> links;
  for (const auto& [name, source] : own) {
    const auto from = made.number_of(name), to = before.number_of(source);
    if (from && to) links.push_back({*from, *to});
  }
  int32_t number = 0;
  for (const Computation& c : made->computations)
    for (const Instruction& i : c.instructions) {
      if (const auto source = before.number_of(i.name)) links.push_back({number, *source});
      ++number;
    }
  return StageLinks(std::move(links));
}

}  // namespace

Result<std::shared_ptr<const BackendPass>> collective_passes(const StagePtr& partitioned, int64_t most,
                                                             const std::stop_token& stop) {
  StagePtr last = partitioned;
  std::shared_ptr<const BackendPass> out;
  for (const Pass& pass : gpu_passes(most)) {
    if (stop.stop_requested()) return cancelled();
    BackendPass made;
    made.kind = StageKind::backend;
    made.before = last;
    made.pass = pass.name;
    Program program = *last->program;
    PassLinks links;
    for (Computation& c : program.computations) {
      if (std::ranges::any_of(c.instructions,
                              [](const Instruction& i) { return !i.control_predecessors.empty(); }))
        continue;  // their order is said
      const PassLinks own = pass.run(*last->program, c);
      if (!own.empty()) drop_unread_sums(c);
      links.insert(links.end(), own.begin(), own.end());
    }
    TRY_VOID(verify(program));
    made.said = sentences(links, pass.what);
    made.program = SharedProgram(std::move(program));
    made.links = links_of(made.program, last->program, links);
    out = std::make_shared<const BackendPass>(std::move(made));
    last = out;
  }
  return out;
}

std::vector<std::shared_ptr<const BackendPass>> passes_of(std::shared_ptr<const BackendPass> last) {
  std::vector<std::shared_ptr<const BackendPass>> out;
  while (last != nullptr) {
    out.push_back(last);
    const StagePtr before = last->before;
    last = before->kind == StageKind::backend ? std::static_pointer_cast<const BackendPass>(before) : nullptr;
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace shardscope
