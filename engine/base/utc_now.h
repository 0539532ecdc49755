// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace shardscope {

std::string utc_now();  // ISO 8601, for Run::created

}  // namespace shardscope
