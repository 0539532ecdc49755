// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope::inline measure {

// A program that measures the devices of another machine and writes points, by the library that it needs:
// "torch" (one NVIDIA GPU) or "jax" (what JAX finds). Errors: another word.
Result<std::string_view> measuring_program(const std::string& with);

}  // namespace shardscope::inline measure
