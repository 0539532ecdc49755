// SPDX-License-Identifier: Apache-2.0
// The kernels of a lesson, each tried when it is first asked for.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/lesson/facts.h"
#include "engine/lesson/lesson.h"

namespace shardscope::inline session {

class KernelTrials : public FactRuns {
 public:
  // Errors: the catalogue has no such kernel, two of one name.
  static Result<std::unique_ptr<KernelTrials>> of(const LessonExperiment& experiment, std::stop_token stop);

  FactNames names() const override { return {}; }
  Result<const NamedRun*> find(std::string_view name, bool numbers) override;
  Result<std::string> winner() override;
  FactNames kernel_names() const override;
  Result<NamedKernelPtr> find_kernel(std::string_view name) override;
  void watch(std::stop_token stop, const Started& started) override;

 private:
  struct Trial {
    std::string name, id;
  };
  std::vector<Trial> trials_;
  int64_t ring_ = 0;
  std::stop_token stop_;
  Started started_;
  std::map<std::string, NamedKernelPtr, std::less<>> known_;
};

}  // namespace shardscope::inline session
