// SPDX-License-Identifier: Apache-2.0
// Mutations that know how these languages are built: lines, brackets, items between commas, names and
// numbers. Most texts that bytes alone would give end at their first bracket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shardscope {

// For LLVMFuzzerCustomMutator: changes the text in place and gives its new size. `words` are what else a text
// may hold: names, and whole pieces such as ", sharding={replicated}".
size_t mutate_text(uint8_t* data, size_t size, size_t max_size, unsigned seed,
                   std::span<const std::string_view> words);

// For LLVMFuzzerCustomCrossOver: one text with a line or a bracket of the other.
size_t cross_texts(std::string_view text, std::string_view other, uint8_t* out, size_t max_size,
                   unsigned seed);

}  // namespace shardscope

extern "C" {
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);  // libFuzzer's own, of bytes
}

// The two entry points of a fuzzer whose texts are made of `words`.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define SHARDSCOPE_TEXT_FUZZER(words)                                                                        \
  extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {    \
    return shardscope::mutate_text(data, size, max_size, seed, words);                                       \
  }                                                                                                          \
  extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b,             \
                                              size_t b_size, uint8_t* out, size_t max_size, unsigned seed) { \
    return shardscope::cross_texts({reinterpret_cast<const char*>(a), a_size},                               \
                                   {reinterpret_cast<const char*>(b), b_size}, out, max_size, seed);         \
  }
