// SPDX-License-Identifier: Apache-2.0
// The numbers that a kernel works on. Elements are held as f32 whatever the buffer's type and rounded to that
// type when they are written.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/kernels/program/program.h"

namespace shardscope::kernels {

using Numbers = std::vector<float>;  // row-major

// By device, by buffer of the layout; empty where nothing is given (or expected).
struct KernelData {
  std::vector<std::vector<Numbers>> devices;
  const Numbers& at(int64_t device, int32_t buffer) const {
    return devices[static_cast<size_t>(device)][static_cast<size_t>(buffer)];
  }
};

// Small integers, so that every sum a kernel makes is exact in its type: 0, 1 or -1, by seed, device and
// buffer.
KernelData fill_inputs(const KernelProgram& program, uint64_t seed);

float rounded(float value, ElementType type);

// acc += a · b on parts of row-major arrays, summed in f32; strides are whole rows.
struct MatrixPart {
  const float* data = nullptr;
  int64_t rows = 0, cols = 0, stride = 0;
};
void add_product(const MatrixPart& a, const MatrixPart& b, float* acc, int64_t acc_stride);

}  // namespace shardscope::kernels
