// SPDX-License-Identifier: Apache-2.0
// How sentences name runs, and what they say before any number of runs that are not alike.
#pragma once

#include <string>
#include <vector>

#include "engine/run/run.h"

namespace shardscope::inline report {

std::string listed(const std::vector<std::string>& parts);  // "a, b and c"

std::string named(const Run& run);  // "wang.os (wide panels)"; a module by its name and number
// Runs of one name by their numbers too, those without one by their meshes.
std::string named_among(const Run& run, const std::vector<RunPtr>& runs);

// "The runs differ in more than their strategy: meshes row=2,col=4 (wang.os) and row=4,col=2 (psum). ": their
// problems, meshes, chips and overlap; empty where all have one.
std::string differ_in(const std::vector<RunPtr>& runs);

}  // namespace shardscope::inline report
