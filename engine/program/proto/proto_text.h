// SPDX-License-Identifier: Apache-2.0
// Parts of XLA's messages as HLO text, as XLA prints them; engine/program/text reads that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file/wire.h"
#include "engine/base/result.h"

namespace shardscope::inline program::proto {

// "f32[16,4]{1,0}", "(f32[2], s32[])". A type that is none of XLA's prints as its number.
std::string shape_text(const wire::Message& shape, bool layouts = true);
// A name as HLO has it: what is no letter, digit, '_', '.' or '-' becomes '_'.
std::string name_text(std::string_view name);
std::string numbers_text(const std::vector<int64_t>& numbers, std::string_view separator = ",");
std::string braced(const std::vector<int64_t>& numbers);  // "{1,0}"

// What stands in the parentheses of a constant: "{ { 1, 2 }, { 3, 4 } }". Errors: more or fewer numbers than
// the shape has.
Result<std::string> literal_text(const wire::Message& literal);

std::string sharding_text(const wire::Message& sharding);
// Of an instruction, "" where it has none: {({"x" {0}}, {"y"})}, {visualizing_index=0,name=1.5}.
std::string origin_text(const wire::Message& instruction);
std::string statistics_text(const wire::Message& instruction);
// "{{0,1},{2,3}}", "[2,4]<=[8]", "mesh['x'=2,'y'=4] {'y'}" of a collective.
std::string groups_text(const wire::Message& collective);

// "{a="b",c={"d":1}}": what reads as a dictionary stands as it is, everything else in quotes.
std::string frontend_text(const wire::Message& attributes);
std::string value_text(std::string_view value);
// Of a backend_config: a dictionary's keys stand in order.
std::string config_text(std::string_view value);

}  // namespace shardscope::inline program::proto
