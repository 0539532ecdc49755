// SPDX-License-Identifier: Apache-2.0
// Requests as JSON, written from the table of fields and read by it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "engine/request/experiment.h"

namespace shardscope::inline request {

// One run, resolved: a field a key, in the table's order; what nobody said is left out.
nlohmann::ordered_json request_json(const Request& request);

// What a record keeps: {"experiment": {…, "runs": […]}, "run": {…}}, read back equal. Fields that a newer
// program wrote are passed over. Errors: no such JSON, values that do not parse.
struct RequestParts {
  Experiment experiment;
  RunRequest run;
};
std::string request_parts_text(const Experiment& experiment, const RunRequest& run);
Result<RequestParts> parse_request_parts(std::string_view text);

}  // namespace shardscope::inline request
