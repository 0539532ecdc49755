// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program/data.h"

#include <Eigen/Core>

#include "engine/base/hash.h"
#include "engine/numerics/array/element.h"

namespace shardscope::kernels {

float rounded(float value, ElementType type) {
  element::visit_real(type, [&](auto tag) {
    using Tag = decltype(tag);
    value = static_cast<float>(Tag::load(Tag::store(static_cast<typename Tag::Computed>(value))));
  });
  return value;
}

KernelData fill_inputs(const KernelProgram& program, uint64_t seed) {
  KernelData out;
  out.devices.resize(program.devices.size());
  for (size_t d = 0; d < out.devices.size(); ++d) {
    out.devices[d].resize(program.layout.buffers.size());
    for (size_t b = 0; b < program.layout.buffers.size(); ++b) {
      const KernelBuffer& buffer = program.layout.buffers[b];
      if (buffer.role != KernelBuffer::Role::input) continue;
      Numbers& numbers = out.devices[d][b];
      numbers.resize(static_cast<size_t>(buffer.rows * buffer.cols));
      size_t device = d;
      if (buffer.replicated_over >= 0) {
        const Mesh& mesh = program.layout.mesh;
        std::vector<int64_t> at = mesh.coordinates(DeviceId(static_cast<int64_t>(d)));
        at[static_cast<size_t>(buffer.replicated_over)] = 0;
        device = static_cast<size_t>(mesh.device_at(at).value);
      }
      const uint64_t stream = mixed_bits(mixed_bits(seed) + device * 1000003 + b);
      for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<float>(static_cast<int>(mixed_bits(stream + i) >> 33) % 3 - 1);
    }
  }
  return out;
}

void add_product(const MatrixPart& a, const MatrixPart& b, float* acc, int64_t acc_stride) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Stride = Eigen::OuterStride<>;
  const Eigen::Map<const RowMajor, 0, Stride> left(a.data, a.rows, a.cols, Stride(a.stride));
  const Eigen::Map<const RowMajor, 0, Stride> right(b.data, b.rows, b.cols, Stride(b.stride));
  Eigen::Map<RowMajor, 0, Stride> sum(acc, a.rows, b.cols, Stride(acc_stride));
  sum.noalias() += left * right;
}

}  // namespace shardscope::kernels
