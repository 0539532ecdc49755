// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/request/fields.h"

namespace shardscope::inline request {

// Rows of the one table (fields.h): a program that is run again and again.
void add_loop_fields(std::vector<Field>& out);

}  // namespace shardscope::inline request
