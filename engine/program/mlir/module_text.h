// SPDX-License-Identifier: Apache-2.0
// A module as users have it, in whichever language it is written.
#pragma once

#include <string_view>

#include "engine/program/text/hlo_text.h"

namespace shardscope::inline program {

// StableHLO with Shardy (or mhlo, chlo), pretty or generic: what lowered.as_text() prints. Calls stay calls,
// regions become computations, shardings XLA's; the text of Shardy's stays in frontend attributes. Errors say
// line and column.
Result<Program> read_stablehlo(std::string_view text, std::string_view file_name = "<mlir>",
                               const std::stop_token& stop = {});

// Whether a text is MLIR rather than HLO, by its first words.
bool is_mlir(std::string_view text);
// Either of the two; `module` as read_hlo says.
Result<HloText> read_hlo_or_mlir(std::string_view text, std::string_view file_name,
                                 std::string_view module = {}, const std::stop_token& stop = {});

}  // namespace shardscope::inline program
