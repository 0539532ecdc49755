// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/hardware/chip_numbers.h"

namespace shardscope::inline hardware {

// Those of the rows [[product]] and [[work]] that the chip has. A row's share of the peak, or of the memory's
// bandwidth, has the key of the row: "product.bf16", "work.softmax".
void add_row_numbers(const Hardware& hardware, std::vector<ChipNumber>& out);
// Those of [program].
void add_program_numbers(std::vector<ChipNumber>& out);

}  // namespace shardscope::inline hardware
