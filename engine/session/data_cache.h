// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/session/session.h"

namespace shardscope::inline session {

// X, W and the reference of each problem, and what the reference strategy makes of it; made when first
// needed, shared by the runs of a sweep. Experiment, options and workers outlive it.
class DataCache {
 public:
  DataCache(const Experiment& experiment, const ExecutionOptions& options, const Workers& workers,
            std::stop_token stop)
      : experiment_(experiment), options_(options), workers_(workers), stop_(std::move(stop)) {}

  Result<std::shared_ptr<const ProblemData>> data(const MatmulProblem& problem);
  const std::shared_ptr<ComputedArrays>& arrays();
  bool is_quick() const;
  // Empty when results are compared with the f64 product, or quickly.
  Result<std::shared_ptr<const ReferenceRun>> reference(const Mesh& mesh, const MatmulProblem& problem,
                                                        const Hardware& hardware);

 private:
  struct CachedReference {
    Mesh mesh;
    MatmulProblem problem;
    std::shared_ptr<const ReferenceRun> run;
  };
  Result<std::shared_ptr<const ReferenceRun>> make_reference(const Mesh& mesh, const MatmulProblem& problem,
                                                             const Hardware& hardware);

  const Experiment& experiment_;
  const ExecutionOptions& options_;
  const Workers& workers_;
  std::stop_token stop_;
  std::vector<std::shared_ptr<const ProblemData>> made_;
  std::vector<CachedReference> references_;
  std::shared_ptr<ComputedArrays> arrays_;  // and the memory that runs leave for the next
};

// The reference is "f64" or a known strategy.
Result<void> check_reference(const Experiment& experiment);

}  // namespace shardscope::inline session
