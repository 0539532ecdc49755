// SPDX-License-Identifier: Apache-2.0
// Modules as XLA serialises them (xla/service/hlo.proto).
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope::inline program::proto {

// The HloModuleProto in the bytes: they are one, or an HloProto that holds one, or a snapshot of one. None:
// they are nothing of that.
std::optional<std::string_view> module_in_proto(std::string_view bytes);

// A serialised HloModuleProto as HLO text, as XLA prints it, constants in full. What a module is compiled
// with is not in it: how far shardings may spread, and the number of devices where none are assigned.
// Names are spelt as the text spells names. Errors: bytes that end in the middle, ids of nothing, constants
// that do not fit their shapes.
Result<std::string> module_proto_text(std::string_view module, const std::stop_token& stop = {});

}  // namespace shardscope::inline program::proto
