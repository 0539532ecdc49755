// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/tune.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "engine/base/parallel.h"
#include "engine/tune/assumptions.h"
#include "engine/tune/candidates.h"
#include "engine/tune/published.h"
#include "engine/tune/shared_answers.h"
#include "engine/tune/timed_before.h"

namespace shardscope::inline tuner {
namespace {

constexpr int kMostChains = 64;         // of one mesh, tried
constexpr double kWorthKnowing = 1.25;  // times the fastest candidate: slower ones are for what must fit
constexpr int64_t kInstructionsKept = int64_t{1} << 17;  // of programs that wait to be timed
constexpr double kPlanning = 0.5;                        // share of the progress
constexpr double kFastest = 0.4;

// One mesh on its way to its candidates.
struct MeshTuning {
  MeshKnowledge knowledge;
  ChainSearch search;
  std::vector<TuneCandidate> candidates;
  ChainLimits limits;  // of the chain that is looked for
  int tries = 0;
  bool done = false;

  MeshTuning(const TuneModel& model, const ModelStep& step, MeshKnowledge known)
      : knowledge(std::move(known)), search(model, step, knowledge) {}
  MeshTuning(const MeshTuning&) = delete;
};

std::vector<CollectiveQuery> each_once(std::vector<std::vector<CollectiveQuery>> queries) {
  std::vector<CollectiveQuery> out;
  std::map<int64_t, std::vector<size_t>> by_bytes;
  for (std::vector<CollectiveQuery>& some : queries) {
    for (CollectiveQuery& one : some) {
      std::vector<size_t>& alike = by_bytes[one.shape.bytes];
      if (std::ranges::any_of(alike, [&](size_t a) { return out[a] == one; })) continue;
      alike.push_back(out.size());
      out.push_back(std::move(one));
    }
  }
  return out;
}

struct Job {
  MeshTuning* mesh = nullptr;
  TuneQuestion question;
};

class Tuning {
 public:
  Tuning(const TuneRequest& request, const Hardware& hardware, const TuneExecution& execution,
         std::stop_token stop)
      : request_(request),
        hardware_(hardware),
        execution_(execution),
        stop_(std::move(stop)),
        workers_(execution.threads),
        step_(model_step(request.model, request.step.value_or(TuneStep::training), request.chips)) {
    result_.model = request.model;
    result_.chips = request.chips;
    result_.step = step_.step;
    result_.hardware = request.hardware.value_or(kTunedHardware);
    result_.place = request.place;
    result_.hbm_bytes = hardware.memory.hbm_bytes;
    if (const auto peak = peak_for(hardware, ElementType::bf16); peak.ok())
      result_.peak_flops_per_s = peak->flops_per_s;
    result_.assumptions = assumptions_of(step_.step);
  }

  Result<TuneResult> run() {
    const std::vector<Mesh> meshes = mesh_shapes(request_.chips, hardware_);
    for (size_t i = 0; i < meshes.size() && !stop_.stop_requested(); ++i) {
      tell("plans " + meshes[i].text(),
           kPlanning * static_cast<double>(i) / static_cast<double>(meshes.size()));
      plan(meshes[i]);
    }
    if (execution_.exhaustive) time_everything();
    find_fastest();
    find_smaller();
    count();
    if (failed_ && !stop_.stop_requested()) return *failed_;
    if (stopped()) {
      result_.complete = false;
      return result_;
    }
    if (result_.candidates.empty()) {
      return invalid(fmt::format("no strategy plans all layers of {} on any mesh of {} chips",
                                 result_.model.name, result_.chips),
                     hardware_.name,
                     last_error_ ? last_error_->text()
                                 : "use sizes that the mesh axes divide, of arrays of at most 2^50 elements");
    }
    tell("done", 1);
    return result_;
  }

 private:
  void tell(const std::string& what, double fraction) const {
    if (execution_.progress) execution_.progress(what, fraction);
  }

  void plan(const Mesh& shape) {
    Result<PlacedMesh> machine = placed(shape, hardware_, request_.place);
    if (!machine.ok()) {
      last_error_ = machine.error();
      return;
    }
    machines_.push_back(std::make_unique<PlacedMesh>(*std::move(machine)));
    const auto& [mesh, hardware] = *machines_.back();
    std::vector<LayerOptions> products = options_on(mesh, step_.products, hardware, workers_, stop_);
    if (stop_.stop_requested()) return;
    meshes_.push_back(std::make_unique<MeshTuning>(
        request_.model, step_, MeshKnowledge(mesh, hardware, std::move(products), step_.arrays)));
  }

  // Answers side by side, learnt in their order: what is asked next depends on answers alone, never on the
  // number of threads.
  void answer(const std::vector<Job>& jobs) {
    std::vector<TuneAnswer> answers(jobs.size());
    const std::vector<size_t> open = not_known_before(jobs, answers);
    std::vector<std::optional<Result<Program>>> planned = plan(jobs, open);
    workers_.parallel_for(static_cast<int64_t>(open.size()), [&](int64_t i) {
      const size_t j = open[static_cast<size_t>(i)];
      const auto& [mesh, question] = jobs[j];
      std::optional<Result<Program>> program = std::exchange(planned[static_cast<size_t>(i)], std::nullopt);
      if (!program) program = mesh->knowledge.plan(question, stop_);
      answers[j] = mesh->knowledge.answer(question, *std::move(program), fastest_, stop_);
    });
    if (execution_.before) {
      for (const size_t j : open)
        execution_.before->learn(jobs[j].mesh->knowledge.text_of(jobs[j].question), jobs[j].question.limit_s,
                                 answers[j]);
      execution_.before->keep();
    }
    if (execution_.sharing != nullptr)
      if (const Result<void> heard = share_answers(*execution_.sharing, answers); !heard.ok())
        failed_ = heard.error();
    if (stop_.stop_requested() || failed_) return;
    for (size_t j = 0; j < jobs.size(); ++j) jobs[j].mesh->knowledge.learn(jobs[j].question, answers[j]);
  }

  // The programs of these jobs, as many as there is room for, after all that they ask of collectives was
  // found, each once.
  std::vector<std::optional<Result<Program>>> plan(const std::vector<Job>& jobs,
                                                   const std::vector<size_t>& of) {
    std::vector<std::optional<Result<Program>>> planned(of.size());
    std::vector<std::vector<CollectiveQuery>> queries(of.size());
    std::vector<bool> kept;
    int64_t room = kInstructionsKept;
    for (const size_t j : of)
      kept.push_back((room -= jobs[j].mesh->knowledge.instructions(jobs[j].question)) > 0);
    workers_.parallel_for(static_cast<int64_t>(of.size()), [&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      const auto& [mesh, question] = jobs[of[at]];
      Result<Program> program = mesh->knowledge.plan(question, stop_);
      if (program.ok()) queries[at] = asked_by(*program, {mesh->knowledge.hardware(), fastest_});
      if (kept[at]) planned[at] = std::move(program);
    });
    find_fastest_algorithms(each_once(std::move(queries)));
    return planned;
  }

  void find_fastest_algorithms(const std::vector<CollectiveQuery>& queries) {
    std::vector<FastestAlgorithms> found(queries.size(), FastestAlgorithms(&fastest_));
    workers_.parallel_for(static_cast<int64_t>(queries.size()), [&](int64_t i) {
      found[static_cast<size_t>(i)].of(queries[static_cast<size_t>(i)], stop_);
    });
    for (FastestAlgorithms& one : found) fastest_.learn(std::move(one));
  }

  // The jobs without those whose answers are known, which are filled in.
  std::vector<size_t> not_known_before(const std::vector<Job>& jobs, std::vector<TuneAnswer>& answers) const {
    std::vector<size_t> open;
    for (size_t j = 0; j < jobs.size(); ++j) {
      const auto known = execution_.before
                             ? execution_.before->find(jobs[j].mesh->knowledge.text_of(jobs[j].question),
                                                       jobs[j].question.limit_s)
                             : std::nullopt;
      if (known) {
        answers[j] = *known;
      } else if (is_own(execution_.sharing, j)) {
        open.push_back(j);
      }
    }
    return open;
  }

  void time_everything() {
    std::vector<Job> jobs;
    for (const auto& mesh : meshes_) {
      for (const TuneQuestion& question : mesh->knowledge.everything())
        jobs.push_back({mesh.get(), question});
    }
    if (!stop_.stop_requested()) answer(jobs);
  }

  // One round for all meshes that still look for a chain; those that know theirs are given to `found`.
  // `shortest_first`: who asks for long programs waits as long as others do not.
  template <class Found>
  bool round(const Found& found, bool shortest_first = false) {
    std::vector<std::vector<TuneQuestion>> open_on(meshes_.size());
    workers_.parallel_for(static_cast<int64_t>(meshes_.size()), [&](int64_t m) {
      MeshTuning& mesh = *meshes_[static_cast<size_t>(m)];
      if (!mesh.done) open_on[static_cast<size_t>(m)] = mesh.search.open(mesh.limits);
    });
    for (const auto& mesh : meshes_) mesh->done = mesh->done || mesh->search.least_s() > mesh->limits.seconds;
    std::vector<Job> jobs, later;
    std::vector<MeshTuning*> known;
    for (size_t m = 0; m < meshes_.size(); ++m) {
      MeshTuning* mesh = meshes_[m].get();
      if (mesh->done) continue;
      const std::vector<TuneQuestion>& open = open_on[m];
      if (open.empty()) known.push_back(mesh);
      const bool waits = shortest_first && asks_for_long_programs(*mesh, open);
      for (const TuneQuestion& question : open) (waits ? later : jobs).push_back({mesh, question});
    }
    if (jobs.empty() && known.empty()) jobs = std::move(later);
    for (MeshTuning* mesh : known) found(*mesh, mesh->search.chain());
    answer(jobs);
    return std::any_of(meshes_.begin(), meshes_.end(), [](const auto& mesh) { return !mesh->done; });
  }

  static bool asks_for_long_programs(const MeshTuning& mesh, const std::vector<TuneQuestion>& open) {
    return std::ranges::any_of(open, [&](const TuneQuestion& question) {
      return mesh.knowledge.instructions(question) > kShortProgram;
    });
  }

  void find_fastest() {
    size_t done = 0;
    const auto found = [&](MeshTuning& mesh, std::optional<ChainSearch::Chain> chain) {
      mesh.done = true;
      ++done;
      if (!chain) return;
      mesh.limits.product_bytes = chain->product_bytes - 1;
      mesh.candidates.push_back(std::move(chain->candidate));
      gather();
      if (execution_.partial) execution_.partial(result_);
      tell("times " + mesh.knowledge.mesh().text(), fraction_of(done));
    };
    while (!stopped() && round(found)) {
    }
  }
  double fraction_of(size_t done) const {
    return kPlanning + kFastest * static_cast<double>(done) / static_cast<double>(meshes_.size());
  }

  // Of each mesh slower chains that need less memory, as long as they are worth knowing.
  void find_smaller() {
    if (stopped()) return;
    tell("looks for less memory", kPlanning + kFastest);
    for (const auto& mesh : meshes_) mesh->done = mesh->candidates.empty();
    const auto found = [&](MeshTuning& mesh, std::optional<ChainSearch::Chain> chain) {
      mesh.done = !chain || ++mesh.tries == kMostChains;
      if (!chain) return;
      mesh.limits.product_bytes = chain->product_bytes - 1;
      const int64_t bytes = chain->candidate.peak_bytes;
      if (bytes < mesh.candidates.back().peak_bytes && bytes <= mesh.limits.candidate_bytes)
        mesh.candidates.push_back(std::move(chain->candidate));
    };
    bool is_settled = false;  // what is found changes nothing of what is worth knowing
    do {
      const double slowest = slowest_worth_knowing();
      is_settled = slowest == kWorthKnowing * fastest_candidate_s();
      for (const auto& mesh : meshes_) {
        mesh->limits.seconds = slowest;
        narrow(*mesh);
      }
      const std::vector<const TuneCandidate*> all = candidates();
      workers_.parallel_for(static_cast<int64_t>(meshes_.size()), [&](int64_t m) {
        MeshTuning& mesh = *meshes_[static_cast<size_t>(m)];
        mesh.done = mesh.done || all_are_beaten(mesh.search, mesh.limits, all);
      });
    } while (!stopped() && round(found, is_settled));
    if (stopped()) return;
    const size_t before = result_.candidates.size();
    gather();
    if (execution_.partial && result_.candidates.size() > before) execution_.partial(result_);
  }

  // Slower ones than that are for what must fit, if anything may.
  double slowest_worth_knowing() const {
    double fits = std::numeric_limits<double>::infinity();
    for (const TuneCandidate* candidate : candidates())
      if (candidate->fits) fits = std::min(fits, candidate->total_s);
    if (std::isinf(fits) && !may_fit()) fits = 0;
    return std::max(kWorthKnowing * fastest_candidate_s(), fits);
  }
  double fastest_candidate_s() const {
    double fastest = std::numeric_limits<double>::infinity();
    for (const TuneCandidate* candidate : candidates()) fastest = std::min(fastest, candidate->total_s);
    return fastest;
  }
  std::vector<const TuneCandidate*> candidates() const {
    std::vector<const TuneCandidate*> out;
    for (const auto& mesh : meshes_)
      for (const TuneCandidate& candidate : mesh->candidates) out.push_back(&candidate);
    return out;
  }
  bool may_fit() const {
    const double room = hardware_.memory.hbm_bytes.value_or(std::numeric_limits<double>::infinity());
    constexpr double kMostBytes = 9e18;  // that an int64_t holds
    const auto bytes = static_cast<int64_t>(std::min(room, kMostBytes));
    return std::any_of(meshes_.begin(), meshes_.end(),
                       [&](const auto& mesh) { return mesh->search.may_fit(bytes); });
  }

  // What no chain of the mesh beats in time is of use when it needs less memory than any mesh's fastest that
  // is no slower.
  void narrow(MeshTuning& mesh) const {
    if (mesh.candidates.empty()) return;
    const double seconds = std::max(mesh.search.least_s(), mesh.candidates[0].total_s);
    for (const TuneCandidate& other : result_.candidates) {
      if (other.total_s <= seconds)
        mesh.limits.candidate_bytes = std::min(mesh.limits.candidate_bytes, other.peak_bytes - 1);
    }
  }

  // The fastest of every mesh, and what no other candidate beats.
  void gather() {
    std::vector<TuneCandidate> all;
    std::vector<bool> is_fastest;
    for (const auto& mesh : meshes_) {
      for (size_t c = 0; c < mesh->candidates.size(); ++c) {
        all.push_back(mesh->candidates[c]);
        is_fastest.push_back(c == 0);
      }
    }
    mark_front(all);
    result_.candidates.clear();
    for (size_t i = 0; i < all.size(); ++i) {
      if (is_fastest[i] || all[i].front) result_.candidates.push_back(std::move(all[i]));
    }
    result_.best = mark_front(result_.candidates);
  }

  void count() {
    for (const auto& mesh : meshes_) {
      result_.timed += mesh->knowledge.timed();
      result_.refused += mesh->knowledge.refused();
      result_.pruned += mesh->knowledge.untimed();
      if (mesh->knowledge.last_error()) last_error_ = mesh->knowledge.last_error();
    }
  }

  bool stopped() const { return stop_.stop_requested() || failed_.has_value(); }

  const TuneRequest& request_;
  const Hardware& hardware_;
  const TuneExecution& execution_;
  std::stop_token stop_;
  Workers workers_;
  ModelStep step_;
  std::vector<std::unique_ptr<PlacedMesh>> machines_;  // of meshes_
  std::vector<std::unique_ptr<MeshTuning>> meshes_;
  // Nobody adds to it while questions are answered.
  FastestAlgorithms fastest_{FastestAlgorithms::Reasons::left_out};
  TuneResult result_;
  std::optional<Error> last_error_;
  std::optional<Error> failed_;  // the other processes are gone
};

}  // namespace

Result<TuneResult> tune(const TuneRequest& request, const TuneExecution& execution, std::stop_token stop) {
  if (request.chips < 1 || request.chips > Mesh::kMaxDevices) {
    return invalid(fmt::format("expected 1 to {} chips, got {}", Mesh::kMaxDevices, request.chips),
                   "--chips");
  }
  if (request.cost == TuneCost::meshslice) {
    TRY(TuneResult result, tune_published(request.model, request.chips));
    if (request.hardware) result.ignored_options.emplace_back("hardware");
    if (request.step == TuneStep::inference) result.ignored_options.emplace_back("step");
    if (!request.place.empty()) result.ignored_options.emplace_back("place");
    return result;
  }
  TRY(const Hardware hardware, find_hardware(request.hardware.value_or(kTunedHardware)));
  for (const ModelLayer& layer : request.model.layers) {
    TRY_VOID(validate(MatmulProblem{request.model.tokens(request.chips), layer.inputs, layer.outputs,
                                    ElementType::bf16, ElementType::f32}));
  }
  return Tuning(request, hardware, execution, std::move(stop)).run();
}

}  // namespace shardscope::inline tuner
