// SPDX-License-Identifier: Apache-2.0
// What each device computes about its own place: partition-id and integer arithmetic on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/mesh/mesh.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// Per instruction of the computation its value on `device`, for integers and predicates of one element (also
// entries of a constant table picked by dynamic-slice); none for everything that depends on data. Wraps as
// HLO's types do.
// `arguments`: what is known of its parameters, by number; empty: nothing.
std::vector<std::optional<int64_t>> evaluate_scalars(
    const Computation& computation, DeviceId device,
    const std::vector<std::optional<int64_t>>& arguments = {});

// The numbers of an integer or predicate literal ("7", "{0, 1, 2}", "true"), row-major; none for other
// literals.
std::optional<std::vector<int64_t>> integer_literal(std::string_view literal);

}  // namespace shardscope::inline program
