// SPDX-License-Identifier: Apache-2.0
// Numbers for what nobody gave: small whole ones, a function of (seed, element) alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/parallel.h"
#include "engine/numerics/array/array.h"

namespace shardscope::inline numerics {

// −2 to 2, of complex numbers in both parts; 0 to 3 without a sign; of pred 0 or 1; of powers alone 1 to 4.
Array drawn_array(ElementType type, const std::vector<int64_t>& dims, uint64_t seed, const Workers& workers);

// A constant whose text was left out, "{...}", is drawn; "{...#42}" from seed 42. None: it is a text.
std::optional<uint64_t> elided_seed(std::string_view literal);
std::string elided_literal(uint64_t seed);

}  // namespace shardscope::inline numerics
