// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/facts.h"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "engine/base/text.h"
#include "engine/lesson/fact_tables.h"

namespace shardscope::inline lesson {
namespace {

struct PlainFact {
  const char* name;
  const char* meaning;
  Result<FactValue> (*of)(const Run& run);
};

Result<FactValue> known(const std::optional<double>& number, FactUnit unit, std::string_view what) {
  if (!number) return invalid(fmt::format("this chip's {} is not published", what));
  return FactValue(Quantity{*number, unit});
}

Result<FactValue> chip_peak(const Run& run) {
  TRY(const Peak peak, peak_of(run));
  return FactValue(Quantity{peak.flops_per_s / peak.passes, {0, -1, 1}});
}

const std::array kPlainFacts{
    PlainFact{
        "problem.m", "rows of Y",
        [](const Run& r) -> Result<FactValue> { return count_value(static_cast<double>(r.problem.m)); }},
    PlainFact{
        "problem.k", "columns of X, rows of W",
        [](const Run& r) -> Result<FactValue> { return count_value(static_cast<double>(r.problem.k)); }},
    PlainFact{
        "problem.n", "columns of Y",
        [](const Run& r) -> Result<FactValue> { return count_value(static_cast<double>(r.problem.n)); }},
    PlainFact{
        "problem.dtype", "of the elements",
        [](const Run& r) -> Result<FactValue> { return FactValue(std::string(name(r.problem.dtype))); }},
    PlainFact{"problem.flops", "of the whole product",
              [](const Run& r) -> Result<FactValue> {
                return FactValue(Quantity{r.problem.flops(), kFlops});
              }},
    PlainFact{"mesh.devices", "of all axes together",
              [](const Run& r) -> Result<FactValue> {
                return count_value(static_cast<double>(r.mesh.device_count()));
              }},
    PlainFact{"chip.name", "as in its file",
              [](const Run& r) -> Result<FactValue> { return FactValue(r.hardware.name); }},
    PlainFact{"chip.peak", "products of the problem's dtype", chip_peak},
    PlainFact{"chip.hbm", "bytes a second from its memory",
              [](const Run& r) {
                return known(r.hardware.memory.hbm_bytes_per_s, {1, -1, 0}, "memory rate");
              }},
    PlainFact{"chip.hbm_bytes", "its memory",
              [](const Run& r) { return known(r.hardware.memory.hbm_bytes, kBytes, "memory"); }},
    PlainFact{"chip.link", "bytes a second over one link, one way",
              [](const Run& r) {
                return known(r.hardware.link.bytes_per_s, {1, -1, 0}, "link rate");
              }},
    PlainFact{"chip.latency", "of one hop",
              [](const Run& r) { return known(r.hardware.link.latency_s, kSeconds, "latency"); }},
};

std::vector<FactRow> roots() {
  return {{"runs", ""},    {"story", ""},  {"sentence", ""},  {"mesh", ""},
          {"problem", ""}, {"chip", ""},   {"kernels", ""},   {"winner", ""},
          {"beat", ""},    {"source", ""}, {"shardings", ""}, {"listing", ""}};
}

class Facts {
 public:
  Facts(FactRuns& runs, ShownMoment moment) : runs_(&runs), moment_(std::move(moment)) {}

  Result<FactValue> of(const FactPath& path) const {
    const std::string& root = path[0].name;
    if (root == "winner") return winner();
    if (root == "source") return source();
    if (root == "shardings" || root == "listing") return of_module(path);
    if (root == "beat") return count_value(moment_.beat);
    if (root == "runs") return of_run(path);
    if (root == "kernels") return of_kernel(path);
    if (root == "story" || root == "sentence") {
      TRY(const NamedRun* run, shown());
      return of_story(*run, path);
    }
    if (root == "mesh" || root == "problem" || root == "chip") return plain(path);
    return unknown_fact(root, "a lesson", roots());
  }

 private:
  Result<FactValue> source() const {
    TRY(std::string text, runs_->source());
    return FactValue(std::move(text));
  }

  Result<FactValue> of_module(const FactPath& path) const {
    if (path.size() != 2)
      return invalid(fmt::format("'{}' of what?", path_text(path)), "",
                     "write shardings.w or listing.propagated");
    TRY(std::string text,
        path[0].name == "listing" ? runs_->listing(path[1].name) : runs_->sharding_of(path[1].name));
    return FactValue(std::move(text));
  }

  Result<FactValue> winner() const {
    TRY(std::string name, runs_->winner());
    return FactValue(std::move(name));
  }

  Result<const NamedRun*> shown() const {
    if (!moment_.run.empty()) return runs_->find(moment_.run, false);
    const FactNames names = runs_->names();
    if (names.empty()) return invalid("no run is shown");
    return runs_->find(names.front(), false);
  }

  Result<FactValue> of_story(const NamedRun& run, std::span<const FactStep> path) const {
    if (run.story == nullptr)
      return invalid(fmt::format("the story of '{}' is not told{}{}", run.name,
                                 run.untold.empty() ? "" : ": ", run.untold));
    const int32_t beat = run.name == moment_.run || moment_.run.empty() ? moment_.beat : 0;
    if (path[0].name != "sentence") return story_fact(path.subspan(1), *run.story, beat);
    if (path.size() < 2) return invalid("which sentence?", "", "write sentence.idea");
    return sentence_fact(path[1].name, *run.story, beat);
  }

  // "runs.wang.os#2.total": names of runs have dots of their own.
  Result<FactValue> of_run(const FactPath& path) const {
    size_t story = 2;
    while (story < path.size() && path[story].name != "story") ++story;
    const size_t end = story < path.size() ? story : path.size() - 1;
    if (end < 2)
      return invalid(fmt::format("'{}' names no run's value", path_text(path)), "",
                     "write runs.wang.os.total");
    const std::string name = path_text(FactPath(path.begin() + 1, path.begin() + static_cast<int64_t>(end)));
    const bool asks_story = story < path.size();
    if (!asks_story && !is_run_fact(path.back().name))
      return unknown_fact(path.back().name, "a run", run_facts());
    TRY(const NamedRun* run, runs_->find(name, !asks_story && needs_numbers(path.back().name)));
    if (asks_story) return of_story(*run, std::span(path).subspan(end));
    return run_fact(path.back().name, *run->run);
  }

  // "kernels.ag.ring.wrong": names of kernels have dots of their own.
  Result<FactValue> of_kernel(const FactPath& path) const {
    if (path.size() < 3)
      return invalid(fmt::format("'{}' names no kernel's value", path_text(path)), "",
                     "write kernels.race.wrong");
    TRY(const NamedKernelPtr kernel,
        runs_->find_kernel(path_text(FactPath(path.begin() + 1, path.end() - 1))));
    return kernel_fact(path.back(), *kernel);
  }

  Result<FactValue> plain(const FactPath& path) const {
    TRY(const NamedRun* run, shown());
    const std::string written = path_text(path);
    for (const PlainFact& fact : kPlainFacts)
      if (fact.name == written) return fact.of(*run->run);
    const Mesh& mesh = run->run->mesh;
    std::vector<FactRow> known;
    for (const FactRow& row : plain_facts())
      if (row.name.starts_with(path[0].name + ".")) known.push_back(row);
    if (path[0].name == "mesh" && path.size() == 2) {
      if (const auto axis = mesh.axis_index(path[1].name))
        return count_value(static_cast<double>(mesh.axis_size(*axis)));
      for (const MeshAxis& axis : mesh.axes()) known.push_back({"mesh." + axis.name, ""});
    }
    return unknown_fact(written, "a lesson", known);
  }

  FactRuns* runs_;
  ShownMoment moment_;
};

}  // namespace

Result<NamedKernelPtr> FactRuns::find_kernel(std::string_view name) {
  return invalid(fmt::format("no kernel '{}': this experiment has runs", name), "",
                 "write try_kernels = [\"…\"] in an experiment of the lesson");
}

Result<std::string> FactRuns::source() const {
  return invalid("these runs are of no module");
}

Result<std::string> FactRuns::sharding_of(std::string_view /*parameter*/) const {
  return invalid("these runs are of no module");
}

Result<std::string> FactRuns::listing(std::string_view /*stage*/) {
  return invalid("these runs are of no module");
}

FactScope fact_scope(FactRuns& runs, ShownMoment moment) {
  return [facts = Facts(runs, std::move(moment))](const FactPath& path) { return facts.of(path); };
}

std::vector<FactRow> plain_facts() {
  std::vector<FactRow> out;
  for (const PlainFact& fact : kPlainFacts) out.push_back({fact.name, fact.meaning});
  return out;
}

}  // namespace shardscope::inline lesson
