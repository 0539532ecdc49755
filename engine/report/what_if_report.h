// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/report/table.h"
#include "engine/run/run.h"
#include "engine/study/what_if.h"

namespace shardscope::inline report {

// A run with its question, its answer and, when they were asked for, what each parameter is worth.
struct WhatIfReport {
  RunPtr run;
  WhatIfAnswer answer;
  std::optional<std::vector<Sensitivity>> sensitivities;
};

std::string what_if_text(const WhatIfReport& report);
// {run_id,strategy,asked,base_s,total_s,delta_s,terms:[{term,values_s,delta_s}],parts:[…],memory,fits,
// sensitivity:[{parameter,value,unit,plus10_s,stops_at}],note}: in values_s and delta_s the run, then the
// answer, as in a difference of two runs.
std::string what_if_json(const WhatIfReport& report);
// "shardscope what-if --db FILE --run 3 --link col=x2".
std::string what_if_command(const Run& run, const WhatIf& question, const std::string& file);
nlohmann::ordered_json sensitivity_json(const std::vector<Sensitivity>& rows);
TextTable sensitivity_table(const std::vector<Sensitivity>& rows);

}  // namespace shardscope::inline report
