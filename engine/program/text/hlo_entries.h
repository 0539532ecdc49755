// SPDX-License-Identifier: Apache-2.0
// frontend_attributes={k="v",...} and metadata={k="v" ...}: the entries that are Shardscope's own, and the
// others, which are kept as they were written.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/program/ir/instruction.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {

using HloEntry = std::pair<std::string, std::string>;  // key and value, unquoted

// Reads "{...}" at the cursor. `take` says whether an entry is ours; the text of the others, "{}" without
// any, is the result, or "" when every entry was ours. Entries are separated by `separator`, ',' or ' '.
Result<std::string> read_entries(
    HloLexer& lexer, char separator,
    const std::function<Result<bool>(std::string_view key, const std::string& value)>& take);

struct OwnEntries {
  std::string key;  // "frontend_attributes" or "metadata"
  char separator = ',';
  std::vector<HloEntry> entries;
};
// Key and value of every verbatim attribute, our own entries merged into the one of their key; those that
// found none come last.
void for_verbatim(const std::vector<VerbatimAttribute>& verbatim, const std::vector<OwnEntries>& own,
                  const std::function<void(std::string_view key, std::string_view value)>& put);

}  // namespace shardscope::inline program
