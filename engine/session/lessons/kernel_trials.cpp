// SPDX-License-Identifier: Apache-2.0
#include "engine/session/lessons/kernel_trials.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/kernels/catalogue/catalogue.h"
#include "engine/kernels/catalogue/sizes.h"
#include "engine/kernels/machine/explore.h"
#include "engine/run/kernel/compare_listings.h"

namespace shardscope::inline session {
namespace {

// What mends it or what it mends; none: it has no twin.
Result<std::vector<int32_t>> unlike_its_twin(const kernels::KernelEntry& entry, const KernelListing& listing,
                                             const kernels::KernelOptions& options) {
  for (const kernels::KernelEntry& other : kernels::catalogue()) {
    if (other.id != entry.mended && other.mended != entry.id) continue;
    TRY(const kernels::KernelProgram twin, build_kernel(other, options));
    return lines_unlike(listing, twin.layout.listing);
  }
  return std::vector<int32_t>();
}

Result<NamedKernelPtr> try_kernel(const std::string& name, const std::string& id, int64_t ring,
                                  const std::stop_token& stop) {
  TRY(const kernels::KernelEntry entry, kernels::find_kernel(id));
  kernels::KernelOptions options;
  options.mesh = kernels::default_mesh(entry);
  if (ring > 0) {
    TRY(options.mesh, Mesh::make({{"x", ring, true}}));
  }
  TRY(kernels::KernelProgram program, build_kernel(entry, options));
  auto out = std::make_shared<NamedKernel>();
  out->name = name;
  out->title = entry.title;
  TRY(out->unlike, unlike_its_twin(entry, program.layout.listing, options));
  TRY(out->run, explore(entry, program, {}, Workers(), stop));
  TRY(out->shortest, kernels::find_shortest(program, {}, stop));
  TRY_VOID(kernels::KernelReplay::fits(program));
  out->replay = out->shortest ? std::make_shared<const kernels::KernelReplay>(std::move(program),
                                                                              out->shortest->choices, 0)
                              : std::make_shared<const kernels::KernelReplay>(entry, std::move(program),
                                                                              kernels::schedule_of(0), 0);
  return NamedKernelPtr(std::move(out));
}

}  // namespace

Result<std::unique_ptr<KernelTrials>> KernelTrials::of(const LessonExperiment& experiment,
                                                       std::stop_token stop) {
  auto out = std::make_unique<KernelTrials>();
  out->ring_ = experiment.ring;
  out->stop_ = std::move(stop);
  for (const std::string& written : experiment.kernels) {
    const WrittenName kernel = written_name(written);
    TRY_VOID(kernels::find_kernel(kernel.of));
    if (std::ranges::find(out->trials_, kernel.name, &Trial::name) != out->trials_.end())
      return invalid(fmt::format("two kernels called '{}'", kernel.name));
    out->trials_.push_back({kernel.name, kernel.of});
  }
  return out;
}

Result<const NamedRun*> KernelTrials::find(std::string_view name, bool /*numbers*/) {
  return invalid(fmt::format("no run '{}': this experiment has kernels", name), "",
                 "write kernels." + join(kernel_names(), ", kernels."));
}

Result<std::string> KernelTrials::winner() {
  return invalid("kernels are not ranked");
}

FactNames KernelTrials::kernel_names() const {
  FactNames out;
  for (const Trial& trial : trials_) out.push_back(trial.name);
  return out;
}

void KernelTrials::watch(std::stop_token stop, const Started& started) {
  stop_ = std::move(stop);
  started_ = started;
}

Result<NamedKernelPtr> KernelTrials::find_kernel(std::string_view name) {
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  const auto trial = std::ranges::find(trials_, name, &Trial::name);
  if (trial == trials_.end())
    return invalid(fmt::format("no kernel '{}' in this experiment", name), "",
                   "use " + join(kernel_names(), ", "));
  if (started_) started_(trial->name);
  TRY(auto made, try_kernel(trial->name, trial->id, ring_, stop_));
  known_.emplace(trial->name, made);
  return made;
}

}  // namespace shardscope::inline session
