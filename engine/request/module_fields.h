// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/request/fields.h"

namespace shardscope::inline request {

// Rows of the one table (fields.h): what the text of a program leaves open and its time depends on.
void add_module_fields(std::vector<Field>& out);

}  // namespace shardscope::inline request
