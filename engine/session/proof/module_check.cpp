// SPDX-License-Identifier: Apache-2.0
#include "engine/session/proof/module_check.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/machine/memory_limit.h"
#include "engine/numerics/plan/work_estimate.h"
#include "engine/partition/propagate/propagation.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/session/proof/prove.h"
#include "engine/session/proof/shrink.h"

namespace shardscope::inline session {
namespace {

constexpr double kMostSeconds = 2;        // that a whole module may take without being asked for
constexpr double kMostShrunkSeconds = 3;  // and a smaller form of it

// In its own types, and once more in f64 where bits differ; a smaller form in f64 alone.
constexpr double kRuns = 3, kShrunkRuns = 1.3;

// What would have to be run, and whether it can be.
struct Expected {
  double seconds = 0;
  Result<void> memory;
};
Result<Expected> expected_of(const Program& module, const Partitioned& partitioned, double runs,
                             ComputedIn types, const std::stop_token& stop) {
  TRY(const double bytes, bytes_to_prove(module, *partitioned.program, stop));
  return Expected{
      runs * (seconds_on_one_device(module, types) + seconds_to_compute(*partitioned.program, types)),
      require_memory(bytes, "running it twice", "")};
}

std::string seconds_words(double seconds) {
  return seconds < 90 ? fmt::format("about {:.0f} s", std::max(1.0, seconds))
                      : fmt::format("about {:.0f} minutes", seconds / 60);
}

// "1/64", "1/3.2".
std::string scale_words(double scale) {
  const double times = 1 / scale;
  return times < 10 ? fmt::format("1/{:.1f}", times) : fmt::format("1/{:.0f}", times);
}

ModuleNumbers unproved(std::string reason) {
  ModuleNumbers out;
  out.report.check = ProofSize::off;
  out.report.reason = std::move(reason);
  return out;
}

// Collectives and why they are there, whatever the sizes.
std::vector<std::string> decisions_of(const Partitioned& p) {
  std::vector<std::string> out;
  for (const CollectiveOrigin& c : p.collectives)
    out.push_back(c.name.substr(0, c.name.find('.')) + " " + c.rule + " " + c.from_spec + c.to_spec);
  std::ranges::sort(out);
  return out;
}

class ModuleCheck {
 public:
  ModuleCheck(StagePtr module, NumbersRequest request, const Workers& workers, std::stop_token stop)
      : module_(std::move(module)), request_(std::move(request)), workers_(workers), stop_(std::move(stop)) {}

  Result<ModuleNumbers> run(CheckMode mode, bool values) {
    if (mode == CheckMode::full || request_.came_partitioned) return whole_or_nothing(mode, values);
    if (request_.made == nullptr) {
      TRY(Partitioned made, partition(module_, request_.partition));
      request_.made = shared_stage(std::move(made));
    }
    const Partitioned& made = *request_.made;
    TRY(const Expected all, expected_of(*module_->program, made, kRuns, ComputedIn::own_types, stop_));
    const bool small = all.seconds <= kMostSeconds && all.memory.ok();
    if (mode == CheckMode::automatic && small) return as_expected(module_, request_);
    const std::string why =
        all.memory.ok() ? "the whole takes " + seconds_words(all.seconds) : all.memory.error().what;
    TRY(ModuleNumbers out, shrunk(made, mode == CheckMode::shrunk ? "" : why));
    if (!values) return out;
    TRY(ModuleNumbers computed, values_alone());
    computed.report = std::move(out.report);
    computed.bit_equal = out.bit_equal;
    return computed;
  }

 private:
  RunLimits limits() const {
    RunLimits out(stop_);
    out.ranks = request_.ranks;
    return out;
  }

  Result<ModuleNumbers> whole_or_nothing(CheckMode mode, bool values) {
    if (mode == CheckMode::automatic && !values) {
      const double seconds = seconds_to_compute(*module_->program);
      if (seconds > kMostSeconds)
        return unproved("computing it takes " + seconds_words(seconds) + ": say --check full");
      return as_expected(module_, request_);
    }
    return compute_module(module_, request_, workers_, limits());
  }

  Result<ModuleNumbers> values_alone() {
    NumbersRequest request = request_;
    request.compare = false;
    return compute_module(module_, request, workers_, limits());
  }

  // Loops may turn out longer than they look.
  Result<ModuleNumbers> as_expected(const StagePtr& module, const NumbersRequest& request) {
    RunLimits bounded = limits();
    bounded.loop_seconds = kMostSeconds;
    return compute_module(module, request, workers_, bounded);
  }

  // As it is partitioned: shardings on all that is split, calls written out.
  Result<std::shared_ptr<const Program>> prepared(const Partitioned& made) {
    const SpmdDialect dialect = request_.partition.dialect;
    RenamedInstructions renamed;
    if (const auto spread = propagated_stage(made.before)) return prepared_spread(*spread, dialect, renamed);
    TRY(Program source, prepare_for_spmd(*module_->program, dialect));
    return std::make_shared<const Program>(std::move(source));
  }

  // A smaller form of the module, as it is partitioned.
  struct Small {
    StagePtr module;
    double scale = 1;
    std::shared_ptr<const Partitioned> parts;
    bool alike = false;  // the partitioner decides as for the whole
    Expected expected;
  };
  Result<Small> small_form(const Program& source, const Partitioned& made, const SizeWishes& wishes) {
    TRY(ShrunkModule shrunk, shrink_module(source, wishes));
    PartitionOptions options = request_.partition;
    options.propagate = false;
    options.devices = made.program->mesh.device_count();
    Small out;
    out.module = read_stage(std::move(shrunk.module));
    out.scale = shrunk.scale;
    TRY(Partitioned parts, partition(out.module, options));
    out.alike = decisions_of(parts) == decisions_of(made);
    out.parts = shared_stage(std::move(parts));
    TRY(out.expected, expected_of(*out.module->program, *out.parts, kShrunkRuns, ComputedIn::f64, stop_));
    return out;
  }

  // With what is larger left larger, where else the partitioner would decide otherwise.
  Result<Small> alike_form(const Program& source, const Partitioned& made, int64_t least) {
    Result<Small> small = small_form(source, made, {.least = least, .ordered = false});
    if (small.ok() && !small->alike)
      if (Result<Small> ordered = small_form(source, made, {.least = least, .ordered = true}); ordered.ok())
        return ordered;
    return small;
  }

  // With sizes of a few elements; where that takes long still, of as few as the splits allow.
  Result<Small> quick_form(const Program& source, const Partitioned& made) {
    Result<Small> small = alike_form(source, made, kFewElements);
    if (!small.ok() || small->expected.seconds <= kMostShrunkSeconds) return small;
    Result<Small> smallest = alike_form(source, made, 1);
    return smallest.ok() && smallest->expected.seconds < small->expected.seconds ? std::move(smallest)
                                                                                 : std::move(small);
  }

  // `why`: not the whole; "": a smaller form is what was asked for, however long it takes.
  Result<ModuleNumbers> shrunk(const Partitioned& made, const std::string& why) {
    const bool asked_for = why.empty();
    const std::string not_all = asked_for ? "" : why + ", and ";
    // However small its arrays are, it has as many instructions: that needs no smaller form to be seen.
    const double least = kShrunkRuns * seconds_of_instructions(*made.program, kShrunkRounds);
    if (!asked_for && least > kMostShrunkSeconds)
      return unproved(fmt::format("{}the smallest form of it takes {}", not_all, seconds_words(least)));
    TRY(const auto source, prepared(made));
    const Result<Small> small = quick_form(*source, made);
    if (!small.ok()) {
      if (small.error().kind == ErrorKind::cancelled) return small.error();
      return unproved(fmt::format("{}no smaller form of it is known: {} ({})", not_all, small.error().what,
                                  small.error().where));
    }
    const Expected& expected = small->expected;
    if (!expected.memory.ok()) return unproved(not_all + expected.memory.error().what);
    if (!asked_for && expected.seconds > kMostShrunkSeconds)
      return unproved(fmt::format("{}its smaller form takes {}", not_all, seconds_words(expected.seconds)));
    NumbersRequest request = request_;
    request.partition.propagate = false;
    request.partition.devices = made.program->mesh.device_count();
    request.arguments.typed.clear();
    request.types = ProofTypes::exact;
    request.arguments.fractions = true;
    request.made = small->parts;
    TRY(ModuleNumbers numbers, asked_for ? compute_module(small->module, request, workers_, limits())
                                         : as_expected(small->module, request));
    say(small->scale, why, small->alike, numbers);
    return numbers;
  }

  void say(double scale, const std::string& why, bool alike, ModuleNumbers& numbers) const {
    NumericsReport& report = numbers.report;
    report.check = ProofSize::shrunk;
    report.scale = scale;
    report.reference += fmt::format(", both at {} of their size", scale_words(scale));
    std::string reason = fmt::format("proved at {} of its size", scale_words(scale));
    if (!why.empty()) reason += ": " + why;
    if (!alike) reason += "; the smaller module is partitioned otherwise in places, which are not proved";
    report.reason = report.reason.empty() ? reason : reason + "; " + report.reason;
    numbers.results.clear();
    numbers.arguments.clear();
    numbers.part.reset();
  }

  StagePtr module_;
  NumbersRequest request_;
  const Workers& workers_;
  std::stop_token stop_;
};

}  // namespace

Result<CheckMode> parse_check_mode(std::string_view text, const char* option) {
  if (text == "auto") return CheckMode::automatic;
  if (text == "full" || text == "on") return CheckMode::full;
  if (text == "shrunk") return CheckMode::shrunk;
  if (text == "off") return CheckMode::off;
  return invalid("got '" + std::string(text) + "', expected auto, full, shrunk or off", option);
}

Result<ModuleNumbers> check_module(const StagePtr& module, const NumbersRequest& request, CheckMode mode,
                                   bool values, const Workers& workers, std::stop_token stop) {
  return ModuleCheck(module, request, workers, std::move(stop)).run(mode, values);
}

Result<ModuleNumbers> check_read_module(const ReadModule& read, const CheckSettings& settings,
                                        std::stop_token stop) {
  StagePtr module = first_stage(read.made);
  Program whole = *module->program;
  const auto drawn = draw_elided_constants(whole, settings.seed);
  if (!drawn.empty()) module = read_stage(std::move(whole));
  NumbersRequest request;
  request.partition = read.how;
  request.partition.devices = read.made->program->mesh.device_count();
  request.arguments.seed = settings.seed;
  if (read.cut) request.cut = read.cut->what;
  if (drawn.empty() && !read.cut) request.made = read.made;
  TRY(ModuleNumbers out,
      check_module(module, request, settings.mode, false, Workers(settings.threads), std::move(stop)));
  if (!drawn.empty()) out.report.warnings.push_back(drawn_words(drawn, settings.seed));
  return out;
}

}  // namespace shardscope::inline session
