// SPDX-License-Identifier: Apache-2.0
// The parts of a run that are lists, as JSON in a column.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/run/run.h"

namespace shardscope::inline trace {

nlohmann::json mesh_json(const Mesh& mesh);
// With the chips and links of the mesh that are slow or broken.
nlohmann::json mesh_json(const Mesh& mesh, const HardwareOverrides& overrides);
Result<Mesh> mesh_of(const nlohmann::json& json);
nlohmann::json options_json(const StrategyOptions& options);
nlohmann::json lanes_json(const std::vector<Lane>& lanes);
std::vector<Lane> lanes_of(const nlohmann::json& json);
nlohmann::json collectives_json(const std::vector<CollectiveSummary>& collectives);
std::vector<CollectiveSummary> collectives_of(const nlohmann::json& json);
nlohmann::json exact_json(const ExactComparison& exact);
ExactComparison exact_of(const nlohmann::json& json);
nlohmann::json price_json(const Price& price);
Price price_of(const nlohmann::json& json);
nlohmann::json module_json(const ModuleFace& module);
ModuleFace module_of(const nlohmann::json& json);

}  // namespace shardscope::inline trace
