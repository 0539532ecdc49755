// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/program/ir/opcode.h"

namespace shardscope {

// One elementwise operation on `count` elements of `type`, one operand (b null) or two; 16-bit floats are
// computed in f32 and rounded, integers in int64 and wrapped. False for an operation that the type does not
// have.
bool apply_elementwise(Opcode opcode, ElementType type, const std::byte* a, const std::byte* b,
                       std::byte* out, int64_t count);
bool has_elementwise(Opcode opcode, ElementType type);

// out is pred: a `direction` b.
bool apply_compare(const std::string& direction, ElementType type, const std::byte* a, const std::byte* b,
                   std::byte* out, int64_t count);

// Rounds to nearest even, or cuts off towards zero for integers.
void convert_elements(ElementType from, const std::byte* in, ElementType to, std::byte* out, int64_t count);

// Elements [first, first + count) of an array.
std::vector<double> as_f64(const Array& array, int64_t first, int64_t count);

// Replaces the views of `values` by their converted copies.
void convert_values(std::vector<DeviceValue>& values, ElementType to, BufferPool& pool,
                    const Workers& workers, const std::stop_token& stop);

// Calls body(array, first, count) for stretches of arrays of `elements` elements each, on all workers.
void for_stretches(size_t arrays, int64_t elements, const Workers& workers, const std::stop_token& stop,
                   const std::function<void(size_t array, int64_t first, int64_t count)>& body);

}  // namespace shardscope
