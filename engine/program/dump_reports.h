// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope::inline program {

// A dump folder of XLA (--xla_dump_to) has reports beside its modules: where a file is one of them, what it
// is and which file of the folder to give instead.
std::optional<Error> refused_dump_report(std::string_view bytes, std::string_view file_name);

}  // namespace shardscope::inline program
