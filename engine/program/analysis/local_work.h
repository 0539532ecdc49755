// SPDX-License-Identifier: Apache-2.0
// What a device does in one go where an instruction stands for several operations (a fusion) or for a
// library's (a custom-call): as far as the text says it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/program/analysis/analysis.h"

namespace shardscope::inline program {

struct LocalProduct {
  DotSize size;
  Multiplied how{};
};

struct LocalWork {
  std::vector<LocalProduct> products;
  bool attention = false;  // a library's kernel does those products in one go
  bool scratch = false;    // a library's product with scratch memory, which it zeroes first
  // It holds so much of its rows, softmax's, that one block of threads fills a unit: it loads, computes and
  // stores one after the other.
  bool keeps_rows = false;
  double flops = 0;       // beside those products
  double operations = 0;  // of elements, by the vector units
  int64_t bytes = 0;      // read from memory and written to it
  std::vector<std::string> assumptions;
};

// Operands are read once, those that are only sliced or looked up as far as they are; results are written,
// those that update a part of an operand in place as far as they do. What is made in between stays on the
// chip.
LocalWork fused_work(const Program& program, const Computation& caller, const Instruction& fusion);
// Of a fusion of this, all of whose parameters are arrays of their own.
LocalWork fused_work(const Program& program, const Computation& fused);

// Whether a product's config says that a library does it with scratch memory, as XLA's backend writes it
// here.
bool has_scratch(const Instruction& product);

// Of libraries' products and of attention by their shapes, of kernels that say their cost by that. Of what is
// not known the bytes of its operands and its result, which an assumption says.
LocalWork called_work(const Computation& caller, const Instruction& custom_call);
// As its config says, else as XLA's default precision is.
Multiplied multiplied_by_library(const Computation& caller, const Instruction& custom_call);
inline constexpr const char* kConvolutionAsProduct =
    "a convolution takes as long as the product of its places with the elements of its window";
// The assumption under the time of what nobody knows.
std::string time_not_known(std::string_view what);

// n of backend_config's "known_trip_count":{"n":"126"}; none: it does not say.
std::optional<int64_t> known_trip_count(const Instruction& loop);

}  // namespace shardscope::inline program
