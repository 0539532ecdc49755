// SPDX-License-Identifier: Apache-2.0
// The innermost loop of a product, in one version per instruction set, chosen at run time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shardscope::inline numerics {

// avx512_bf16: avx512, and products of bf16 in its pairs; amx: avx512, and products of bf16 in the matrix
// unit.
enum class Isa { baseline, avx2, avx512, avx512_bf16, amx };
std::vector<Isa> supported_isas();  // of this machine, the best last
Isa best_isa();                     // of those that round alike on every machine: at most avx512
Isa exact_isa();                    // where nothing rounds, so that any order of sums gives the same bits

// An element of a panel of bf16, which is summed in f32.
enum class Bf16 : uint16_t {};
template <class T>
struct SumOf {
  using Type = T;
};
template <>
struct SumOf<Bf16> {
  using Type = float;
};

// A stretch of the contraction: panels of A as [k][rows] and of B as [k][columns], padded with zeros
// (of bf16 as bf16_panels.h lays them out).
template <class T>
struct PanelPair {
  const T* a;
  const T* b;
  int64_t k;
};

// C[rows][cols] (+)= Σ over the stretches. The sum starts at zero in registers, runs over k in order, and is
// added to C at the end; rows <= MicroKernel::rows, cols <= columns. `stride` is of C, in elements.
template <class T>
struct MicroKernel {
  using Run = void (*)(std::span<const PanelPair<T>> stretches, typename SumOf<T>::Type* c, int64_t stride,
                       bool accumulate, int64_t rows, int64_t cols);
  int64_t rows;     // height of a tile
  int64_t columns;  // width of a tile
  int64_t depth;    // stretches are padded to multiples of it
  Run run;
  // A lower tile of the same width, for rows that do not fill one; 0: none.
  int64_t low_rows = 0;
  Run run_low = nullptr;
};

// T: float, double, uint32_t; Bf16 from Isa::avx512_bf16 on.
template <class T>
MicroKernel<T> micro_kernel(Isa isa);

std::string kernel_name(Isa isa);  // "packed-avx512"

}  // namespace shardscope::inline numerics
