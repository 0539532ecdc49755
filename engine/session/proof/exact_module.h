// SPDX-License-Identifier: Apache-2.0
// What a module computes but for rounding: the same with every float in f64, every complex number in c128.
#pragma once

#include "engine/numerics/array/array.h"
#include "engine/partition/types/partitioned.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline session {

// f64 for a float, c128 for a complex number, else the type itself.
ElementType exact_type(ElementType type);
Shape exact_shape(Shape shape);
Array in_exact_type(const Array& array);

// Conversions between floats, and roundings to fewer bits, change nothing. What has a meaning only in its own
// bits (constants, bitcast-convert, next-after) is done in its own type and converted. Keeps the places of
// parameters and results.
Program exact_program(const Program& program);
Partitioned exact_partitioned(const Partitioned& partitioned);

}  // namespace shardscope::inline session
