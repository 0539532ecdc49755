// SPDX-License-Identifier: Apache-2.0
// The tables behind facts.h.
#pragma once

#include <optional>
#include <string_view>

#include "engine/lesson/facts.h"

namespace shardscope::inline lesson {

// "no 'totl' of a run; did you mean total?"
Error unknown_fact(std::string_view name, std::string_view owner, const std::vector<FactRow>& known);

Result<FactValue> run_fact(std::string_view name, const Run& run);
bool is_run_fact(std::string_view name);
bool needs_numbers(std::string_view run_fact);

// `steps` behind "story": "beats", "beat[1].arrives(device=2)".
Result<FactValue> story_fact(std::span<const FactStep> steps, const Story& story, int32_t beat);
Result<FactValue> beat_fact(const FactStep& step, const Story& story, int32_t beat);
Result<FactValue> sentence_fact(std::string_view level, const Story& story, int32_t beat);

Result<FactValue> kernel_fact(const FactStep& step, const NamedKernel& kernel);

// The argument called `name`, else the one without a name at `place`; nothing when there is none.
const FactValue* argument(const FactStep& step, std::string_view name, size_t place);
// A device by its number or its place: 2, "(0,1)". Error: none was said, no such one.
Result<int32_t> device_argument(const FactStep& step, const Mesh& mesh);
Result<int64_t> whole_number(const FactValue& value, std::string_view what);

}  // namespace shardscope::inline lesson
