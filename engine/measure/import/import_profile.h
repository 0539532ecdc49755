// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/measure/import/import.h"
#include "engine/measure/import/profile.h"

namespace shardscope::inline measure {

// As import_measured, with what a workspace does not keep.
Result<Profile> import_profile(const std::vector<std::string>& files, const ImportOptions& options);

}  // namespace shardscope::inline measure
