// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/product/lines.h"

#include <cstring>

#include "engine/numerics/product/micro_kernel.h"

namespace shardscope::inline numerics {
namespace {

constexpr int64_t kCacheLine = 64;
// Lines far from each other are on their way while earlier ones are copied: the CPU does not foresee a line
// in another page.
constexpr int64_t kAhead = 12;
constexpr int64_t kPanelLine = 3 * kCacheLine;  // of a right panel for AVX-512

constexpr int64_t kLineSize = 4;  // of an element that is turned

void turn_4x4(const std::byte* in, const Turned& t, std::byte* out) {
  typedef int32_t Four __attribute__((vector_size(16)));
  Four row[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&row[i], in + kLineSize * i * t.in_stride, sizeof(Four));
  const Four low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
  const Four low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
  const Four high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
  const Four high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  const Four column[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                          __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                          __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                          __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
  for (int i = 0; i < 4; ++i) std::memcpy(out + kLineSize * i * t.out_stride, &column[i], sizeof(Four));
}

// Lines of a size that the compiler knows.
template <int64_t kBytes>
[[gnu::always_inline]] inline void copy_known_lines(const std::byte* in, const Lines& lines, std::byte* out) {
  for (int64_t l = 0; l < lines.count; ++l) {
    const std::byte* line = in + l * lines.in_stride;
    if (l + kAhead < lines.count) {
      __builtin_prefetch(line + kAhead * lines.in_stride);
      __builtin_prefetch(line + kAhead * lines.in_stride + kBytes - 1);
    }
    std::memcpy(out + l * lines.out_stride, line, kBytes);
  }
}

#if defined(__x86_64__)
bool is_avx2() {
  static const bool kAvx2 = best_isa() >= Isa::avx2;
  return kAvx2;
}

[[gnu::target("avx2")]] void copy_cache_lines(const std::byte* in, const Lines& lines, std::byte* out) {
  copy_known_lines<kCacheLine>(in, lines, out);
}

[[gnu::target("avx2")]] void copy_four_cache_lines(const std::byte* in, const Lines& lines, int64_t stride,
                                                   std::byte* out) {
  for (int64_t l = 0; l < lines.count; ++l) {
    const std::byte* line = in + l * lines.in_stride;
    std::byte* to = out + l * lines.out_stride;
    if (l + kAhead < lines.count) {
#pragma GCC unroll 4
      for (int p = 0; p < 4; ++p) __builtin_prefetch(line + kAhead * lines.in_stride + p * kCacheLine);
    }
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) std::memcpy(to + p * stride, line + p * kCacheLine, kCacheLine);
  }
}

typedef int32_t Eight __attribute__((vector_size(32)));
typedef int32_t EightMemory __attribute__((vector_size(32), aligned(4), may_alias));

[[gnu::target("avx2")]] void turn_8x8(const std::byte* in, const Turned& t, std::byte* out) {
  Eight row[8], pair[8], four[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i)
    row[i] = *reinterpret_cast<const EightMemory*>(in + kLineSize * i * t.in_stride);
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    pair[i] = __builtin_shufflevector(row[i], row[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pair[i + 1] = __builtin_shufflevector(row[i], row[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  // Columns 0, 4 of four rows, then 1, 5, then 2, 6, then 3, 7; of the upper rows, then of the lower.
#pragma GCC unroll 2
  for (int h = 0; h < 8; h += 4) {
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      four[h + 2 * i] = __builtin_shufflevector(pair[h + i], pair[h + 2 + i], 0, 1, 8, 9, 4, 5, 12, 13);
      four[h + 2 * i + 1] = __builtin_shufflevector(pair[h + i], pair[h + 2 + i], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    *reinterpret_cast<EightMemory*>(out + kLineSize * c * t.out_stride) =
        __builtin_shufflevector(four[c], four[4 + c], 0, 1, 2, 3, 8, 9, 10, 11);
    *reinterpret_cast<EightMemory*>(out + kLineSize * (4 + c) * t.out_stride) =
        __builtin_shufflevector(four[c], four[4 + c], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

int64_t turn_eights(const std::byte* in, const Turned& t, std::byte* out) {
  int64_t r = 0;
  for (; r + 8 <= t.rows; r += 8) {
    // What the next panel turns: its lines are too short for the CPU to foresee.
    const std::byte* next = in + kLineSize * (r + t.rows) * t.in_stride;
    for (int64_t i = 0; i < 8; ++i) __builtin_prefetch(next + kLineSize * i * t.in_stride);
    for (int64_t c = 0; c < t.columns; c += 8)
      turn_8x8(in + kLineSize * (r * t.in_stride + c), t, out + kLineSize * (c * t.out_stride + r));
  }
  return r;
}

bool is_wide() {
  static const bool kWide = best_isa() >= Isa::avx512;
  return kWide;
}

typedef int32_t Wide __attribute__((vector_size(64)));
typedef int32_t WideMemory __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t HalfMemory __attribute__((vector_size(32), aligned(4), may_alias));

// A quarter is 16 bytes. Of each, the first (0) or the second (2) pair of x and of y, interleaved.
template <int kFirst>
[[gnu::always_inline, gnu::target("avx512f")]] inline Wide interleaved(Wide x, Wide y) {
  constexpr int f = kFirst;
  return __builtin_shufflevector(x, y, f, f + 16, f + 1, f + 17, f + 4, f + 20, f + 5, f + 21, f + 8, f + 24,
                                 f + 9, f + 25, f + 12, f + 28, f + 13, f + 29);
}
// In each quarter: the first (0) or the second (2) pair of x, then that of y.
template <int kFirst>
[[gnu::always_inline, gnu::target("avx512f")]] inline Wide paired(Wide x, Wide y) {
  constexpr int f = kFirst;
  return __builtin_shufflevector(x, y, f, f + 1, f + 16, f + 17, f + 4, f + 5, f + 20, f + 21, f + 8, f + 9,
                                 f + 24, f + 25, f + 12, f + 13, f + 28, f + 29);
}
// Every other quarter of x, then of y, from the first (0) or the second (4) on.
template <int kFirst>
[[gnu::always_inline, gnu::target("avx512f")]] inline Wide quarters(Wide x, Wide y) {
  constexpr int f = kFirst;
  return __builtin_shufflevector(x, y, f, f + 1, f + 2, f + 3, f + 8, f + 9, f + 10, f + 11, f + 16, f + 17,
                                 f + 18, f + 19, f + 24, f + 25, f + 26, f + 27);
}

// Turns each quarter of the columns of four rows: out[c] holds column c of every quarter, of all four.
[[gnu::always_inline, gnu::target("avx512f")]] inline void turn_quarters(const Wide* row, Wide* out) {
  const Wide low01 = interleaved<0>(row[0], row[1]), high01 = interleaved<2>(row[0], row[1]);
  const Wide low23 = interleaved<0>(row[2], row[3]), high23 = interleaved<2>(row[2], row[3]);
  out[0] = paired<0>(low01, low23);
  out[1] = paired<2>(low01, low23);
  out[2] = paired<0>(high01, high23);
  out[3] = paired<2>(high01, high23);
}

[[gnu::target("avx512f")]] void turn_16x16(const std::byte* in, const Turned& t, std::byte* out) {
  Wide row[16], part[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i)
    row[i] = *reinterpret_cast<const WideMemory*>(in + kLineSize * i * t.in_stride);
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) turn_quarters(row + 4 * q, part + 4 * q);
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    // Of the upper and the lower eight rows, the columns c and 8+c, then 4+c and 12+c.
    const Wide upper[2] = {quarters<0>(part[c], part[4 + c]), quarters<4>(part[c], part[4 + c])};
    const Wide lower[2] = {quarters<0>(part[8 + c], part[12 + c]), quarters<4>(part[8 + c], part[12 + c])};
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      std::byte* to = out + kLineSize * (4 * h + c) * t.out_stride;
      *reinterpret_cast<WideMemory*>(to) = quarters<0>(upper[h], lower[h]);
      *reinterpret_cast<WideMemory*>(to + kLineSize * 8 * t.out_stride) = quarters<4>(upper[h], lower[h]);
    }
  }
}

// Stores columns 4·quarter + c of eight rows.
template <int kQuarter>
[[gnu::always_inline, gnu::target("avx512f")]] inline void store_eight(Wide upper, Wide lower, int64_t stride,
                                                                       std::byte* out) {
  constexpr int q = 4 * kQuarter;
  *reinterpret_cast<HalfMemory*>(out + kLineSize * q * stride) =
      __builtin_shufflevector(upper, lower, q, q + 1, q + 2, q + 3, q + 16, q + 17, q + 18, q + 19);
}

[[gnu::target("avx512f")]] void turn_8x16(const std::byte* in, const Turned& t, std::byte* out) {
  Wide row[8], part[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) row[i] = *reinterpret_cast<const WideMemory*>(in + kLineSize * i * t.in_stride);
  turn_quarters(row, part);
  turn_quarters(row + 4, part + 4);
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    std::byte* to = out + kLineSize * c * t.out_stride;
    store_eight<0>(part[c], part[4 + c], t.out_stride, to);
    store_eight<1>(part[c], part[4 + c], t.out_stride, to);
    store_eight<2>(part[c], part[4 + c], t.out_stride, to);
    store_eight<3>(part[c], part[4 + c], t.out_stride, to);
  }
}

[[gnu::target("avx512f")]] int64_t turn_wide(const std::byte* in, const Turned& t, std::byte* out) {
  int64_t r = 0;
  for (; r + 16 <= t.rows; r += 16)
    for (int64_t c = 0; c < t.columns; c += 16)
      turn_16x16(in + kLineSize * (r * t.in_stride + c), t, out + kLineSize * (c * t.out_stride + r));
  for (; r + 8 <= t.rows; r += 8)
    for (int64_t c = 0; c < t.columns; c += 16)
      turn_8x16(in + kLineSize * (r * t.in_stride + c), t, out + kLineSize * (c * t.out_stride + r));
  return r;
}

// A panel's whole lines.
[[gnu::target("avx512f")]] void copy_panel_lines(const std::byte* in, const Lines& lines, std::byte* out) {
  for (int64_t l = 0; l < lines.count; ++l) {
    const std::byte* line = in + l * lines.in_stride;
    std::byte* to = out + l * lines.out_stride;
    if (l + kAhead < lines.count) {
      const std::byte* ahead = line + kAhead * lines.in_stride;
      __builtin_prefetch(ahead);
      __builtin_prefetch(ahead + kCacheLine);
      __builtin_prefetch(ahead + 2 * kCacheLine);
      __builtin_prefetch(ahead + 3 * kCacheLine - 1);
    }
    const Wide a = *reinterpret_cast<const WideMemory*>(line);
    const Wide b = *reinterpret_cast<const WideMemory*>(line + kCacheLine);
    const Wide c = *reinterpret_cast<const WideMemory*>(line + 2 * kCacheLine);
    *reinterpret_cast<WideMemory*>(to) = a;
    *reinterpret_cast<WideMemory*>(to + kCacheLine) = b;
    *reinterpret_cast<WideMemory*>(to + 2 * kCacheLine) = c;
  }
}
#endif

}  // namespace

void copy_lines(const std::byte* in, const Lines& lines, std::byte* out) {
#if defined(__x86_64__)
  if (lines.bytes == kPanelLine && is_wide()) return copy_panel_lines(in, lines, out);
  if (lines.bytes == kCacheLine && is_avx2()) return copy_cache_lines(in, lines, out);
#endif
  // Short lines are what left panels have, and the ends of right ones.
  if (lines.bytes == 16) return copy_known_lines<16>(in, lines, out);
  if (lines.bytes == 24) return copy_known_lines<24>(in, lines, out);
  if (lines.bytes == 32) return copy_known_lines<32>(in, lines, out);
  if (lines.bytes == 48) return copy_known_lines<48>(in, lines, out);
  for (int64_t l = 0; l < lines.count; ++l)
    std::memcpy(out + l * lines.out_stride, in + l * lines.in_stride, static_cast<size_t>(lines.bytes));
}

void copy_long_lines(const std::byte* in, const Lines& lines, const LineParts& parts, std::byte* out) {
#if defined(__x86_64__)
  if (lines.bytes == kCacheLine && parts.count == 4 && is_avx2())
    return copy_four_cache_lines(in, lines, parts.stride, out);
#endif
  for (int64_t p = 0; p < parts.count; ++p) copy_lines(in + p * lines.bytes, lines, out + p * parts.stride);
}

int64_t turn_blocks(const std::byte* in, const Turned& t, std::byte* out) {
  int64_t r = 0;
#if defined(__x86_64__)
  if (t.columns % 16 == 0 && is_wide())
    r = turn_wide(in, t, out);
  else if (t.columns % 8 == 0 && is_avx2())
    r = turn_eights(in, t, out);
#endif
  for (; t.columns % 4 == 0 && r + 4 <= t.rows; r += 4) {
    for (int64_t c = 0; c < t.columns; c += 4)
      turn_4x4(in + kLineSize * (r * t.in_stride + c), t, out + kLineSize * (c * t.out_stride + r));
  }
  return r;
}

}  // namespace shardscope::inline numerics
