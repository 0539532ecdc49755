// SPDX-License-Identifier: Apache-2.0
// What the names in lessons and notes mean: runs, the story of the run that is shown, mesh, problem, chip.
// Every name stands once, in a table with its meaning; help and errors list them from there.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/lesson/expression.h"
#include "engine/lesson/named_kernel.h"
#include "engine/run/run.h"
#include "engine/story/story.h"

namespace shardscope::inline lesson {

// A run under the name that a lesson or a note gives it.
struct NamedRun {
  std::string name;
  RunPtr run;
  std::shared_ptr<const Story> story{};  // of `run`; none: it was not told
  std::string untold{};                  // why
};

// Who has the runs. Errors: no such run, it cannot be planned, stopped.
class FactRuns {
 public:
  FactRuns() = default;
  FactRuns(const FactRuns&) = delete;
  FactRuns& operator=(const FactRuns&) = delete;
  virtual ~FactRuns() = default;

  virtual FactNames names() const = 0;
  // Runs are timed when they are first asked for. `numbers`: with its arrays computed and compared.
  virtual Result<const NamedRun*> find(std::string_view name, bool numbers) = 0;
  // Kernels have no runs and no story; each is tried when it is first asked for.
  virtual FactNames kernel_names() const { return {}; }
  virtual Result<NamedKernelPtr> find_kernel(std::string_view name);
  // The text of the module as it came, before anything was made of it.
  virtual Result<std::string> source() const;
  // Of the module: a parameter's sharding; its instructions one a line, as "read", "propagated",
  // "partitioned".
  virtual Result<std::string> sharding_of(std::string_view parameter) const;
  virtual Result<std::string> listing(std::string_view stage);
  // The first by the one ranking of runs.
  virtual Result<std::string> winner() = 0;

  // Who may stop what is computed from now on, and is told the name of each run or kernel that begins.
  using Started = std::function<void(const std::string& name)>;
  virtual void watch(std::stop_token /*stop*/, const Started& /*started*/) {}
};

// What is shown: `story` and `sentence` are of it.
struct ShownMoment {
  std::string run;  // empty: the first one
  int32_t beat = 0;
};
// Refers to `runs`, which outlives it.
FactScope fact_scope(FactRuns& runs, ShownMoment moment);

struct FactRow {
  std::string name, meaning;
};
std::vector<FactRow> run_facts();     // of "runs.NAME."
std::vector<FactRow> story_facts();   // of "story."
std::vector<FactRow> beat_facts();    // of "story.beat[k]."
std::vector<FactRow> kernel_facts();  // of "kernels.NAME."
std::vector<FactRow> plain_facts();   // "winner", "mesh.AXIS", "problem.m", "chip.latency", …

}  // namespace shardscope::inline lesson
