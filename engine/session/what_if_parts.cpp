// SPDX-License-Identifier: Apache-2.0
#include "engine/session/what_if_parts.h"

namespace shardscope::inline session {
namespace {

void append(TypedWhatIf& to, const TypedWhatIf& more) {
  for (const auto& [key, text] : more.fields) {
    std::string& there = to.fields[key];
    there += (there.empty() ? "" : ",") + text;
  }
  to.events.insert(to.events.end(), more.events.begin(), more.events.end());
  to.operations.insert(to.operations.end(), more.operations.begin(), more.operations.end());
}

Result<void> can_ask(const WhatIfBase& base, const TypedWhatIf& part, const std::stop_token& stop) {
  TRY(const WhatIf asked, parse_what_if(part));
  TRY(const WhatIfAnswer answer, base.ask(asked, WhatIfBase::Keep::totals, stop));
  return {};
}

}  // namespace

Result<AskedParts> asked_by(const WhatIfBase& base, std::span<const TypedWhatIf> parts,
                            std::stop_token stop) {
  AskedParts out;
  TypedWhatIf all;
  for (const TypedWhatIf& part : parts) append(all, part);
  const bool fine = can_ask(base, all, stop).ok();
  TypedWhatIf good;
  for (const TypedWhatIf& part : parts) {
    const Result<void> alone = fine ? Result<void>() : can_ask(base, part, stop);
    if (!alone.ok() && alone.error().kind == ErrorKind::cancelled) return alone.error();
    out.refused.push_back(alone.ok() ? std::nullopt : std::optional(alone.error()));
    if (alone.ok()) append(good, part);
  }
  TRY(out.asked, parse_what_if(good));
  return out;
}

}  // namespace shardscope::inline session
