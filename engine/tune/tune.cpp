// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/tune.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/parallel.h"
#include "engine/schedule/schedule.h"
#include "engine/tune/chains.h"
#include "engine/tune/published.h"

namespace shardscope {
namespace {

constexpr const char* kDefaultHardware = "tpu-v5e";
constexpr size_t kRound = 8;           // options of each layer that are timed side by side
constexpr double kWorthTiming = 1.25;  // a bound this many times the fastest timed option is not timed

// The options of one product on one mesh, on their way to being timed. Equal layers share one.
struct LayerSearch {
  LayerOptions options;
  std::vector<TimedOption> timed;
  size_t next = 0;  // the options before it are timed or refused
  double fastest_s = 0;

  bool done() const {
    return next >= options.options.size() ||
           (!timed.empty() && options.options[next].bound_s > kWorthTiming * fastest_s);
  }
};

struct Outcome {
  std::optional<TimedOption> timed;
  std::optional<Error> error;
};

Outcome time_option(const Mesh& mesh, const Hardware& hardware, const MatmulProblem& problem,
                    const LayerOption& option, std::stop_token stop) {
  const auto timeline = [&]() -> Result<Timeline> {
    TRY(Program program, option.strategy->plan(mesh, problem, option.options));
    TRY(program, resolve_collectives(std::move(program), hardware, CollectiveAlgorithm::automatic));
    ScheduleOptions totals;
    totals.keep_events = false;
    return schedule(program, hardware, totals, std::move(stop));
  }();
  Outcome out;
  if (!timeline.ok()) {
    out.error = timeline.error();
    return out;
  }
  const CriticalPath& path = timeline->critical_path;
  TimedOption timed;
  timed.option = &option;
  timed.total_s = to_seconds(timeline->total);
  timed.peak_bytes = static_cast<int64_t>(max_per_device(*timeline).peak_bytes);
  timed.bandwidth_s = to_seconds(path.bandwidth);
  timed.latency_s = to_seconds(path.latency);
  timed.rest_s = timed.total_s - timed.bandwidth_s - timed.latency_s;
  out.timed = timed;
  return out;
}

class Tuning {
 public:
  Tuning(const TuneRequest& request, const Hardware& hardware, const TuneExecution& execution,
         std::stop_token stop)
      : request_(request),
        hardware_(hardware),
        execution_(execution),
        stop_(std::move(stop)),
        workers_(execution.threads) {
    result_.model = request.model;
    result_.chips = request.chips;
    result_.hardware = request.hardware.value_or(kDefaultHardware);
    result_.hbm_bytes = hardware.memory.hbm_bytes;
    result_.assumptions = {
        "forward products only (no gradients), in bf16; blocks are stacked, so the last layer feeds the "
        "first",
        "resharding between layers is the program that the partitioner writes for it, timed by itself",
        fmt::format(
            "options whose lower bound is over {} times the fastest timed one of their layer are not timed",
            kWorthTiming)};
  }

  Result<TuneResult> run() {
    const std::vector<Mesh> meshes = mesh_shapes(request_.chips, hardware_);
    for (size_t i = 0; i < meshes.size() && !stop_.stop_requested(); ++i) {
      first_ = static_cast<double>(i) / static_cast<double>(meshes.size());
      width_ = 1.0 / static_cast<double>(meshes.size());
      tune_mesh(meshes[i]);
    }
    if (stop_.stop_requested()) {
      result_.complete = false;
      return result_;
    }
    if (result_.candidates.empty()) {
      return invalid(fmt::format("no strategy plans all layers of {} on any mesh of {} chips",
                                 result_.model.name, result_.chips),
                     hardware_.name,
                     last_error_ ? last_error_->text() : "use sizes that the mesh axes divide");
    }
    tell("done", 1);
    return result_;
  }

 private:
  void tell(const std::string& what, double part) const {
    if (execution_.progress) execution_.progress(what, first_ + width_ * part);
  }

  void tune_mesh(const Mesh& mesh) {
    std::vector<LayerSearch> searches;
    std::vector<size_t> search_of;  // by layer
    for (const ModelLayer& layer : request_.model.layers) {
      const MatmulProblem problem{request_.model.tokens(request_.chips), layer.inputs, layer.outputs,
                                  ElementType::bf16, ElementType::f32};
      auto found = std::find_if(searches.begin(), searches.end(),
                                [&](const LayerSearch& s) { return s.options.problem == problem; });
      if (found == searches.end()) {
        found = searches.insert(searches.end(), LayerSearch{});
        found->options.problem = problem;
      }
      search_of.push_back(static_cast<size_t>(found - searches.begin()));
    }
    tell("plans " + mesh.text(), 0);
    workers_.parallel_for(static_cast<int64_t>(searches.size()), [&](int64_t s) {
      LayerOptions& options = searches[static_cast<size_t>(s)].options;
      options = layer_options(mesh, options.problem, hardware_, stop_);
    });
    while (!stop_.stop_requested() && time_round(mesh, searches))
      tell("times " + mesh.text(), part_of(searches));
    for (const LayerSearch& search : searches) {
      result_.refused += search.options.refused;
      result_.pruned += static_cast<int64_t>(search.options.options.size() - search.next);
    }
    if (stop_.stop_requested()) return;
    std::vector<TimedLayer> layers;
    for (const size_t s : search_of) {
      if (searches[s].timed.empty()) return;
      layers.push_back({searches[s].options.problem, searches[s].timed});
    }
    for (TuneCandidate& candidate : chains_of(mesh, hardware_, request_.model, layers))
      result_.candidates.push_back(std::move(candidate));
    result_.best = mark_front(result_.candidates);
    if (execution_.partial) execution_.partial(result_);
  }

  // Times the next options of every layer; false when there was nothing left to time. Which ones are timed
  // depends on earlier rounds alone, never on the number of threads.
  bool time_round(const Mesh& mesh, std::vector<LayerSearch>& searches) {
    struct Job {
      size_t search = 0;
      size_t option = 0;
    };
    std::vector<Job> jobs;
    for (size_t s = 0; s < searches.size(); ++s) {
      for (size_t i = 0; i < kRound && !searches[s].done(); ++i) jobs.push_back({s, searches[s].next++});
    }
    if (jobs.empty()) return false;
    std::vector<Outcome> outcomes(jobs.size());
    workers_.parallel_for(static_cast<int64_t>(jobs.size()), [&](int64_t j) {
      const Job& job = jobs[static_cast<size_t>(j)];
      const LayerOptions& options = searches[job.search].options;
      outcomes[static_cast<size_t>(j)] =
          time_option(mesh, hardware_, options.problem, options.options[job.option], stop_);
    });
    for (size_t j = 0; j < jobs.size(); ++j) {
      LayerSearch& search = searches[jobs[j].search];
      if (outcomes[j].timed) {
        const double seconds = outcomes[j].timed->total_s;
        search.fastest_s = search.timed.empty() ? seconds : std::min(search.fastest_s, seconds);
        search.timed.push_back(*outcomes[j].timed);
        ++result_.timed;
      } else if (outcomes[j].error->kind != ErrorKind::cancelled) {
        last_error_ = outcomes[j].error;
        ++result_.refused;
      }
    }
    return true;
  }

  static double part_of(const std::vector<LayerSearch>& searches) {
    size_t done = 0;
    size_t all = 0;
    for (const LayerSearch& search : searches) {
      all += search.options.options.size();
      done += search.done() ? search.options.options.size() : search.next;
    }
    return all == 0 ? 1 : static_cast<double>(done) / static_cast<double>(all);
  }

  const TuneRequest& request_;
  const Hardware& hardware_;
  const TuneExecution& execution_;
  std::stop_token stop_;
  Workers workers_;
  TuneResult result_;
  double first_ = 0, width_ = 1;  // the mesh's share of the progress
  std::optional<Error> last_error_;
};

}  // namespace

Result<TuneResult> tune(const TuneRequest& request, const TuneExecution& execution, std::stop_token stop) {
  if (request.chips < 1 || request.chips > Mesh::kMaxDevices) {
    return invalid(fmt::format("expected 1 to {} chips, got {}", Mesh::kMaxDevices, request.chips),
                   "--chips");
  }
  if (request.cost == TuneCost::meshslice) {
    TRY(TuneResult result, tune_published(request.model, request.chips));
    if (request.hardware) result.ignored_options = {"hardware"};
    return result;
  }
  TRY(const Hardware hardware, find_hardware(request.hardware.value_or(kDefaultHardware)));
  for (const ModelLayer& layer : request.model.layers) {
    TRY_VOID(validate(MatmulProblem{request.model.tokens(request.chips), layer.inputs, layer.outputs,
                                    ElementType::bf16, ElementType::f32}));
  }
  return Tuning(request, hardware, execution, std::move(stop)).run();
}

}  // namespace shardscope
