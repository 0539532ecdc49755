// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "engine/lesson/fact_tables.h"

namespace shardscope::inline lesson {
namespace {

using kernels::ShortestSchedule;

struct KernelFact {
  const char* name;
  const char* meaning;
  Result<FactValue> (*of)(const NamedKernel& kernel);
};

FactValue whole(int64_t count) {
  return count_value(static_cast<double>(count));
}

template <class Read>
Result<FactValue> broken(const NamedKernel& kernel, Read&& read) {
  if (!kernel.shortest)
    return invalid(fmt::format("none of {} schedules breaks '{}'", kernel.run.schedules, kernel.name));
  return FactValue(read(*kernel.shortest));
}

// What most schedules show, harmful or not; null: nothing was found.
const KernelFindingCount* hazard_of(const NamedKernel& kernel) {
  const auto most = std::ranges::max_element(kernel.run.findings, {}, &KernelFindingCount::runs);
  return most == kernel.run.findings.end() ? nullptr : &*most;
}

bool is_broken(const kernels::KernelReplay& replay) {
  return std::ranges::any_of(replay.outcome().findings,
                             [](const KernelFinding& finding) { return kernels::does_harm(finding.kind); });
}

Result<FactValue> missing_of(const NamedKernel& kernel) {
  const KernelFindingCount* hazard = hazard_of(kernel);
  if (hazard == nullptr) return invalid(fmt::format("nothing is missing in '{}'", kernel.name));
  return FactValue(hazard->finding.missing);
}

const std::array kKernelFacts{
    KernelFact{"schedules", "schedules that were tried",
               [](const NamedKernel& k) -> Result<FactValue> { return whole(k.run.schedules); }},
    KernelFact{"right", "of them ended with the right numbers",
               [](const NamedKernel& k) -> Result<FactValue> { return whole(k.run.correct_runs); }},
    KernelFact{"wrong", "of them did not",
               [](const NamedKernel& k) -> Result<FactValue> { return whole(k.run.wrong_runs); }},
    KernelFact{"hazards", "findings, each pair of lines once",
               [](const NamedKernel& k) -> Result<FactValue> { return whole(std::ssize(k.run.findings)); }},
    KernelFact{"warned", "schedules that show the most frequent of them, harmful or not",
               [](const NamedKernel& k) -> Result<FactValue> {
                 const KernelFindingCount* hazard = hazard_of(k);
                 return whole(hazard == nullptr ? 0 : hazard->runs);
               }},
    KernelFact{"in_flight", "copies at most on their way at once",
               [](const NamedKernel& k) -> Result<FactValue> { return whole(k.run.max_dma_in_flight); }},
    KernelFact{
        "devices", "chips that it runs on",
        [](const NamedKernel& k) -> Result<FactValue> { return whole(k.replay->program().device_count()); }},
    KernelFact{"title", "what it does",
               [](const NamedKernel& k) -> Result<FactValue> { return FactValue(k.title); }},
    KernelFact{
        "about", "what its author wrote above it",
        [](const NamedKernel& k) -> Result<FactValue> { return FactValue(k.run.layout.listing.comment); }},
    KernelFact{"first_steps", "steps of the first schedule that breaks it, to its end",
               [](const NamedKernel& k) {
                 return broken(k, [](const ShortestSchedule& s) { return whole(s.first_steps); });
               }},
    KernelFact{"first_failed_at", "after how many of them it broke",
               [](const NamedKernel& k) {
                 return broken(k, [](const ShortestSchedule& s) { return whole(s.first_failed_at); });
               }},
    KernelFact{"steps", "steps of the schedule that is shown: the shortest that breaks it, if any does",
               [](const NamedKernel& k) -> Result<FactValue> { return whole(k.replay->steps()); }},
    KernelFact{"broken", "whether the schedule that is shown breaks it",
               [](const NamedKernel& k) -> Result<FactValue> { return FactValue(is_broken(*k.replay)); }},
    KernelFact{"fault", "what goes wrong in its last step",
               [](const NamedKernel& k) {
                 return broken(k, [](const ShortestSchedule& s) { return s.finding.message; });
               }},
    KernelFact{"missing", "what would mend the most frequent finding", missing_of},
};

}  // namespace

std::vector<FactRow> kernel_facts() {
  std::vector<FactRow> out;
  for (const KernelFact& fact : kKernelFacts) out.push_back({fact.name, fact.meaning});
  out.push_back({"action(k)", "what the k-th step does"});
  return out;
}

Result<FactValue> kernel_fact(const FactStep& step, const NamedKernel& kernel) {
  if (step.name == "action") {
    const FactValue* which = argument(step, "k", 0);
    if (which == nullptr) return invalid("the action of which step?", "", "write action(0)");
    TRY(const int64_t k, whole_number(*which, "a step"));
    if (k < 0 || k >= kernel.replay->steps())
      return invalid(fmt::format("no step {} of '{}': they go from 0 to {}", k, kernel.name,
                                 kernel.replay->steps() - 1));
    return FactValue(kernel.replay->action(k));
  }
  for (const KernelFact& fact : kKernelFacts)
    if (fact.name == step.name) return fact.of(kernel);
  return unknown_fact(step.name, "a kernel", kernel_facts());
}

}  // namespace shardscope::inline lesson
