// SPDX-License-Identifier: Apache-2.0
// Asks a run what it would take on other hardware, without numbers. Any number of questions go to one
// WhatIfBase, from any thread.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/run/run.h"
#include "engine/schedule/retiming.h"
#include "engine/study/what_if.h"

namespace shardscope::inline session {

class WhatIfBase {
 public:
  // Times the run once. Errors: it has no simulated time; its time is not the recorded one (another version
  // of the program made it).
  static Result<WhatIfBase> make(RunPtr run, std::stop_token stop);

  const Run& run() const { return *run_; }
  // The names that a link's factor may be asked for: none where kernels stand for the collectives.
  std::vector<std::string> links() const;

  enum class Keep : uint8_t { totals, events };
  // Errors: an axis, chip, event or operation that is not there, a factor that makes no sense, a link without
  // which chips cannot reach each other.
  Result<WhatIfAnswer> ask(const WhatIf& question, Keep keep, std::stop_token stop) const;
  // What 10 % more of each parameter would give beside what was asked, the most helpful first.
  Result<std::vector<Sensitivity>> sensitivities(const WhatIf& question, std::stop_token stop) const;
  // The experiment whose run is the answer. Errors: what no request can say: events and operations that take
  // no time, and modules, which are no experiment's.
  Result<Experiment> as_experiment(const WhatIf& question) const;

 private:
  struct Machine {
    Hardware hardware;
    ScheduleOptions options;
  };
  bool links_can_change() const;
  Result<Machine> machine(const WhatIf& question) const;
  Result<Untimed> untimed(const WhatIf& question) const;
  Result<Picoseconds> total(const WhatIf& question, std::stop_token stop) const;

  RunPtr run_;
  std::shared_ptr<const Retiming> retiming_;
};

// A question as it is typed: fields by key ("link": "col=x2"), events ("17=0") and operations
// ("all-gather.1=0").
struct TypedWhatIf {
  std::map<std::string, std::string, std::less<>> fields;
  std::vector<std::string> events, operations;
};
Result<WhatIf> parse_what_if(const TypedWhatIf& typed);

}  // namespace shardscope::inline session
