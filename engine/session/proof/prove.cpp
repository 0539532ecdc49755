// SPDX-License-Identifier: Apache-2.0
#include "engine/session/proof/prove.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "engine/base/machine/memory_limit.h"
#include "engine/numerics/check/numerics.h"
#include "engine/partition/entry/partition.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/memory/module_memory.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/exact_module.h"
#include "engine/session/proof/source_types.h"
#include "engine/session/proof/verdict.h"

namespace shardscope::inline session {
namespace {

double rms(const Array& array) {
  double sum = 0;
  const int64_t count = array.element_count();
  for (int64_t i = 0; i < count; ++i) {
    const double value = std::norm(array.complex_at(i));
    if (std::isfinite(value)) sum += value;
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

// Runs the module as it is meant, and the partitioned program.
class Prover {
 public:
  Prover(const Partitioned& partitioned, const Workers& workers, RunLimits limits)
      : partitioned_(partitioned), workers_(workers), limits_(std::move(limits)) {}

  Result<PartitionProof> run_exactly(const std::vector<Array>& arguments) {
    std::vector<Array> given;
    for (const Array& a : arguments) given.push_back(in_exact_type(a));
    TRY(KnownResult expected, meant(given, true));
    TRY(KnownResult got, run_parts(partitioned_, given, true, limits_));
    const std::string disagreement = got.disagreement;
    take(std::move(expected), std::move(got));
    compare_leaves();
    proof_.report.reference = name_of_reference() + " in f64";
    if (proof_.report.checked && !proof_.bit_equal) {
      ExactResults exact{expected_};
      TRY(const ExactDifference difference, difference_from(exact, proof_.leaves, given));
      difference.differs ? say_different(difference) : say_noise(difference.noise);
    }
    say_faults(disagreement);
    return std::move(proof_);
  }

  Result<PartitionProof> run(const std::vector<Array>& arguments) {
    TRY(KnownResult expected, meant(arguments, false));
    TRY(KnownResult got, run_parts(partitioned_, arguments, false, limits_));
    const std::string disagreement = got.disagreement;
    take(std::move(expected), std::move(got));
    compare_leaves();
    proof_.report.reference = name_of_reference();
    if (proof_.report.checked && !proof_.bit_equal) TRY_VOID(judge_in_f64(arguments));
    say_faults(disagreement);
    return std::move(proof_);
  }

 private:
  std::string name_of_reference() const {
    return has_manual_regions(module_) ? "the module with whole arrays outside of its manual regions"
                                       : "the module on one device";
  }

  // A leaf is known where it is of both.
  void take(KnownResult expected, KnownResult got) {
    CHECK(got.unknown.size() == expected.unknown.size());
    proof_.wall_s = got.wall_s;
    proof_.unknown = std::move(expected.unknown);
    for (size_t k = 0; k < proof_.unknown.size(); ++k)
      if (proof_.unknown[k].empty()) proof_.unknown[k] = std::move(got.unknown[k]);
    expected_ = known_of(std::move(expected.leaves));
    proof_.leaves = known_of(std::move(got.leaves));
    proof_.stopped = expected.stopped.empty() ? std::move(got.stopped) : std::move(expected.stopped);
    proof_.instructions = expected.instructions;
    if (!got.program) return;
    std::vector<size_t> known;
    for (size_t k = 0; k < proof_.unknown.size(); ++k)
      if (proof_.unknown[k].empty()) known.push_back(k);
    proof_.known = with_leaves(partitioned_, *got.program, known);
  }
  std::vector<Array> known_of(std::vector<Array> leaves) const {
    for (size_t k = 0; k < leaves.size(); ++k)
      if (!proof_.unknown[k].empty()) leaves[k] = Array();
    return leaves;
  }

  // What no comparison of values shows.
  void say_faults(const std::string& disagreement) {
    if (const std::string narrow = narrower_than_asked(partitioned_); !narrow.empty()) wrong(narrow);
    if (disagreement.empty()) return;
    proof_.bit_equal = false;
    wrong(disagreement);
  }

  // In f64: by roundings alone, or by how much the results move with the last places of the arguments, or
  // with those of all that is computed.
  Result<ExactDifference> difference_from(ExactResults& exact, const std::vector<Array>& got,
                                          const std::vector<Array>& given) {
    ExactDifference out = differ(got, exact);
    if (!out.differs) return out;
    TRY(exact.moved.emplace_back(), moved_results(given, ElementType::f64));
    out = differ(got, exact);
    if (!out.differs) return out;
    TRY(exact.moved.emplace_back(), shaken_results(given));
    return differ(got, exact);
  }

  // What the module means, in its own types or `exactly`. Nothing outside of manual regions is split.
  Result<KnownResult> meant(const std::vector<Array>& arguments, bool exactly) {
    return meant(arguments, exactly, limits_);
  }
  Result<KnownResult> meant(const std::vector<Array>& arguments, bool exactly, const RunLimits& limits) {
    if (!has_manual_regions(module_)) {
      TRY(const Program single, unannotated(module_));
      return run_known(
          single, [&](const Program& part, const std::vector<size_t>&) -> Result<PartitionedResult> {
            PartitionedResult out;
            TRY(out.leaves, run_module(exactly ? exact_program(part) : part, arguments, workers_, limits));
            return out;
          });
    }
    PartitionOptions options;
    options.devices = partitioned_.program->mesh.device_count();
    TRY(const Partitioned whole, partition_regions_only(first_stage(partitioned_.before), options));
    return run_parts(whole, arguments, exactly, limits);
  }
  Result<KnownResult> run_parts(const Partitioned& whole, const std::vector<Array>& arguments, bool exactly,
                                const RunLimits& limits) {
    return run_known(whole, [&](const Partitioned& part) {
      return exactly ? run_partitioned(exact_partitioned(part), arguments, workers_, limits)
                     : run_partitioned(part, arguments, workers_, limits);
    });
  }

  void wrong(const std::string& why) {
    proof_.report.allclose = false;
    proof_.report.warnings.push_back(why);
  }

  std::string leaf_name(size_t k) const {
    return expected_.size() == 1 ? "the result" : fmt::format("result {}", k);
  }

  void compare_leaves() {
    NumericsReport& report = proof_.report;
    report.checked = report.allclose = proof_.bit_equal = true;
    const bool none = std::ranges::none_of(proof_.unknown, &std::string::empty);
    if (none && !expected_.empty()) report.checked = proof_.bit_equal = false;
    for (size_t k = 0; k < expected_.size(); ++k) {
      if (!proof_.unknown[k].empty() || proof_.leaves[k] == expected_[k]) continue;
      proof_.bit_equal = false;
      const double rtol = element_type(expected_[k].type()).rtol;
      NumericsReport one =
          compare(proof_.leaves[k], expected_[k], {rtol, rtol * rms(expected_[k])}, workers_);
      one.array = fmt::format("result {}", k);
      if (!report.allclose || (one.allclose && one.max_abs < report.max_abs)) continue;
      report = std::move(one);
      reported_ = k;
    }
  }

  // Nothing that the tolerance found bad is wrong; where both have no number that is said.
  void right_after_all() {
    NumericsReport& report = proof_.report;
    report.allclose = true;
    if (std::exchange(report.percent_bad, 0) == 0) return;
    const Array &a = proof_.leaves[reported_], &b = expected_[reported_];
    if (is_complex(a.type())) return;
    int64_t none = 0;
    for (int64_t at = 0; at < a.element_count(); ++at) none += std::isnan(a.at(at)) && std::isnan(b.at(at));
    if (none > 0)
      report.warnings.push_back(fmt::format("{:.3g} % of {} are no numbers, in both programs",
                                            100.0 * double(none) / double(a.element_count()),
                                            leaf_name(reported_)));
  }

  Result<void> judge_in_f64(const std::vector<Array>& arguments) {
    TRY(const double bytes, bytes_to_prove(module_, *partitioned_.program, limits_.stop));
    if (const auto fits = require_memory(2 * bytes, "running it in f64", ""); !fits.ok())
      return not_judged(fits.error());
    std::vector<Array> given;
    for (const Array& a : arguments) given.push_back(in_exact_type(a));
    auto meant_exactly = meant(given, true);
    if (!meant_exactly.ok()) return not_judged(meant_exactly.error());
    auto got = run_parts(partitioned_, given, true, limits_);
    if (!got.ok()) return not_judged(got.error());
    ExactResults exact{known_of(std::move(meant_exactly->leaves))};
    TRY(const ExactDifference difference, difference_from(exact, known_of(std::move(got->leaves)), given));
    // What jumps with its arguments may have jumped in f64 alone.
    if (difference.differs && !(proof_.leaves[difference.leaf] == expected_[difference.leaf])) {
      say_different(difference);
      return {};
    }
    right_after_all();
    return explain_rounding(given, exact.leaves, difference.noise);
  }

  // What an error in f64 leaves of the verdict: the tolerance of its types.
  Result<void> not_judged(const Error& error) {
    if (error.kind == ErrorKind::cancelled) return error;
    proof_.report.warnings.push_back("judged by the tolerance of its types alone, not in f64: " + error.what);
    return {};
  }

  // Results of arguments that are a unit in the last place off.
  Result<std::vector<Array>> moved_results(const std::vector<Array>& given, ElementType type) {
    std::vector<Array> moved;
    for (size_t k = 0; k < given.size(); ++k) moved.push_back(moved_by_one_unit(given[k], type, 1 + k));
    TRY(KnownResult out, meant(moved, true));
    return known_of(std::move(out.leaves));
  }

  // With every operation rounded to a neighbour.
  Result<std::vector<Array>> shaken_results(const std::vector<Array>& given) {
    RunLimits limits = limits_;
    limits.shaken = true;
    limits.ranks = nullptr;
    TRY(KnownResult out, meant(given, true, limits));
    return known_of(std::move(out.leaves));
  }

  // The leaf that differs most for its size, and why both programs are right.
  Result<void> explain_rounding(const std::vector<Array>& given, const std::vector<Array>& exact,
                                const std::vector<size_t>& noise) {
    size_t worst = 0;
    double most = -1;
    for (size_t k = 0; k < exact.size(); ++k) {
      if (!proof_.unknown[k].empty() || proof_.leaves[k] == expected_[k] || std::ranges::count(noise, k) > 0)
        continue;
      const double error = relative_error(in_exact_type(proof_.leaves[k]), in_exact_type(expected_[k]));
      if (error > most) {
        most = error;
        worst = k;
      }
    }
    say_noise(noise);
    if (most < 0) return {};
    NumericsReport& report = proof_.report;
    const ElementType type = expected_[worst].type();
    const double own = relative_error(in_exact_type(proof_.leaves[worst]), exact[worst]);
    const double whole = relative_error(in_exact_type(expected_[worst]), exact[worst]);
    report.reason = fmt::format(
        "in f64 both programs agree; in {} {} is off by {:.2g} (relatively, by f64), on one "
        "device by {:.2g}",
        name(type), leaf_name(worst), own, whole);
    if (is_floating(type) && std::max(own, whole) > element_type(type).rtol) {
      auto moved = moved_results(given, type);
      if (moved.ok()) {
        const double moves = relative_error((*moved)[worst], exact[worst]);
        report.reason +=
            fmt::format("; it moves by {:.2g} when the arguments move by one unit in the last place of {}",
                        moves, name(type));
        if (moves > 0.1) report.reason += ": it is rounding that the program itself scales up";
      } else if (moved.error().kind == ErrorKind::cancelled) {
        return moved.error();
      }
    }
    return {};
  }

  void say_different(const ExactDifference& difference) {
    const std::string name = leaf_name(difference.leaf);
    const bool finite = std::isfinite(difference.largest);
    proof_.report.array = fmt::format("result {}", difference.leaf);
    if (finite) proof_.report.max_abs = std::max(proof_.report.max_abs, difference.largest);
    wrong(finite
              ? fmt::format("in f64, where roundings hide nothing, {} is off by {:.3g}", name,
                            difference.largest)
              : fmt::format("in f64, {} is not finite where the module's is, or the other way round", name));
  }

  // Both are right as far as can be told.
  void say_noise(const std::vector<size_t>& noise) {
    right_after_all();
    std::vector<std::string> names;
    constexpr size_t kMostNames = 6;
    for (const size_t k : noise)
      names.push_back(names.size() < kMostNames ? leaf_name(k)
                                                : fmt::format("{} more", noise.size() - kMostNames));
    names.resize(std::min(names.size(), kMostNames + 1));
    if (names.empty()) return;
    proof_.report.warnings.push_back(fmt::format(
        "{} {} with roundings in f64 as much as {}: the program scales them up", fmt::join(names, ", "),
        noise.size() == 1 ? "moves" : "move", noise.size() == 1 ? "it differs" : "they differ"));
  }

  const Partitioned& partitioned_;
  const Program& module_ = *first_stage(partitioned_).program;
  const Workers& workers_;
  RunLimits limits_;
  std::vector<Array> expected_;
  size_t reported_ = 0;  // the leaf whose differences the report has
  PartitionProof proof_;
};

}  // namespace

Result<double> bytes_to_prove(const Program& module, const Program& partitioned,
                              const std::stop_token& stop) {
  // The module's own, and on each device the largest array that is computed; gathered and moved ones are
  // views.
  int64_t largest = 0;
  for (const Computation& c : partitioned.computations) {
    for (const Instruction& i : c.instructions) {
      const bool is_view =
          is_free(i) || is_collective(i.opcode) || operation(i.opcode).cost == CostClass::copy;
      if (!is_view && !i.shape.is_tuple) largest = std::max(largest, i.shape.bytes());
    }
  }
  TRY(const ModuleMemory memory, module_memory(module, LaidOutFor::cpu, stop));
  return static_cast<double>(memory.bytes()) +
         static_cast<double>(partitioned.mesh.device_count()) * static_cast<double>(largest);
}

Result<PartitionProof> prove(const Partitioned& partitioned, const std::vector<Array>& arguments,
                             const Workers& workers, RunLimits limits, ProofTypes types) {
  const Program& module = *first_stage(partitioned).program;
  TRY(const Program whole, unannotated(module));
  TRY(const double bytes, bytes_to_prove(whole, *partitioned.program, limits.stop));
  TRY_VOID(require_memory(bytes, "running " + module.name + " twice",
                          "say --check shrunk or off, or use a smaller module"));
  Prover prover(partitioned, workers, std::move(limits));
  return types == ProofTypes::exact ? prover.run_exactly(arguments) : prover.run(arguments);
}

}  // namespace shardscope::inline session
