// SPDX-License-Identifier: Apache-2.0
// What a module was given and what came out, as text, JSON and NPY files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/session/hlo_run.h"

namespace shardscope::inline cli {

// Where each argument comes from, a line each.
std::string module_arguments_text(const ModuleRun& run);
// Each result's shape and sharding, and its numbers as numpy prints them.
std::string module_results_text(const ModuleRun& run);
// {arrays:[{name,role,shape,sharding,spec}], arguments:[{name,shape,from}],
// results:[{name,shape,dtype,dims,sharding,by_device,text,values,unknown}], part}: `values` of up to 1,000
// elements, nested; of what differs between devices a list by device. What is not known has null there, and
// why in `unknown`.
nlohmann::ordered_json module_values_json(const ModuleRun& run);
// A line for each result that is not known, so that it has no file.
std::string left_out_text(const ModuleRun& run);
// Of what is known: RESULT.npy, or RESULT.device3.npy where devices differ, into a folder that is made; their
// paths.
Result<std::vector<std::string>> write_module_results(const ModuleRun& run, const std::string& folder);

}  // namespace shardscope::inline cli
