// SPDX-License-Identifier: Apache-2.0
// Runs a program for real: arrays on every device, in lockstep, and compares the result with a reference.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/numerics/array/array.h"
#include "engine/program/ir/program.h"
#include "engine/request/experiment.h"
#include "engine/run/numerics_report.h"
#include "engine/run/timed_collective.h"

namespace shardscope::inline numerics {

// X[m,k] and W[k,n] of a problem, and Y[m,n] in f64 rounded once to its result_type (integers wrap). Made
// once per problem, shared by all runs of a sweep. Immutable.
struct ProblemData {
  MatmulProblem problem;
  Fill fill = Fill::integers;
  uint64_t seed = 0;
  Array lhs, rhs;   // in X[m,k], W[k,n] orientation, of problem.dtype
  Array reference;  // Y[m,n]; empty when it was not asked for
  Array product;  // Y[m,n] in f64 before rounding; empty when the reference itself is exact, or not asked for
  // Every partial sum of the data is exact in every type used: results must equal the reference bit for bit.
  bool exact = false;
  std::vector<std::string> warnings;  // the data is too smooth to prove anything; integers wrap
};

// The user's arrays arrive in X[m,k], W[k,n] orientation; those that are not given are filled.
struct DataRequest {
  MatmulProblem problem;
  Fill fill = Fill::integers;
  uint64_t seed = 0;
  std::optional<Array> lhs{}, rhs{};
  bool with_reference = true;
  std::optional<double> rtol{}, atol{};  // asked for; what a warning of smooth data is about
};
// Says before allocating when it does not fit this machine.
Result<std::shared_ptr<const ProblemData>> make_problem_data(const DataRequest& request,
                                                             const Workers& workers, std::stop_token stop);

// Another program's result on the same data, for a run to be compared with instead of the f64 product.
struct ReferenceRun {
  std::string strategy;
  Program program;
  Array result;  // Y[m,n]
  Array
      rounding{};  // in f32, by how much its roundings can move each element; empty: not known, or not at all
};

class Ranks;

// What runs of the same data leave for the next, memory and arrays: see program_arrays.h.
struct ComputedArrays;

struct NumericsOptions {
  std::optional<double> rtol, atol;  // neither: default_tolerance and what the program's roundings can do
  RegionGrid regions{};
  int64_t repeat = 0;  // timed executions; 0: measure none; 1 without warmup: time the checked one
  int64_t warmup = 0;
  bool trap_slices = false;  // a dynamic-slice out of range is an error instead of HLO's clamp
  // How its collectives are carried out, as they were timed: sums are added in that order.
  std::vector<TimedCollective> schedules{};
  std::shared_ptr<const ReferenceRun> reference;  // none: the f64 product, rounded once
  Ranks* ranks = nullptr;                         // who executes it; null: this process
  bool quick = false;  // products that have a quick_check get it, instead of any reference
  std::shared_ptr<ComputedArrays>
      made{};  // where arrays are kept for the next run of the same data; may be empty
  std::function<void(double fraction)> progress;  // may be empty; called from the calling thread
};

struct NumericsOutcome {
  NumericsReport report;
  std::optional<Measured> measured;
  std::vector<double> walls{};  // of each timed execution in seconds, those before them too
  Array result;      // Y[m,n] (or what the program's output role says), gathered from the shards by its spec
  Array rounding{};  // as ReferenceRun's, of the same array
};

// Executes the entry of `program` on every device of its mesh: shards `data` by the program's inputs,
// interprets, gathers the output. Same bits on any number of threads.
Result<NumericsOutcome> run_numerics(const Program& program, const ProblemData& data,
                                     const NumericsOptions& options, const Workers& workers,
                                     std::stop_token stop);

// |result − reference| may be atol + rtol·|reference| and, where it is not empty, `rounding` of the element.
struct Tolerance {
  double rtol = 0, atol = 0;
  Array rounding{};  // f32
};
// numpy's allclose and its report; shapes must be equal.
NumericsReport compare(const Array& result, const Array& reference, const Tolerance& tolerance,
                       const Workers& workers, const RegionGrid& regions = {});
NumericsReport compare(const Array& result, const Array& reference, double rtol, double atol);
// How far results may be off, relatively, that are summed as the problem says and stored in `stored`.
double default_rtol(const MatmulProblem& problem, ElementType stored);
// By default, without roundings: integer fill 0; else rtol by dtype and atol = rtol·√k·rms(X)·rms(W).
std::pair<double, double> default_tolerance(const ProblemData& data);

}  // namespace shardscope::inline numerics
