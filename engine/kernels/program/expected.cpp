// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program/expected.h"

#include <algorithm>

#include "engine/base/check.h"

namespace shardscope::kernels {

namespace {

int32_t buffer_named(const KernelProgram& program, const char* name) {
  const auto& buffers = program.layout.buffers;
  const auto found = std::find_if(buffers.begin(), buffers.end(),
                                  [&](const KernelBuffer& buffer) { return buffer.name == name; });
  CHECK(found != buffers.end(), name);
  return static_cast<int32_t>(found - buffers.begin());
}

KernelData nothing_expected(const KernelProgram& program) {
  KernelData out;
  out.devices.assign(program.devices.size(), std::vector<Numbers>(program.layout.buffers.size()));
  return out;
}

// `result` of each device's ring and its place in it.
template <class F>
KernelData expect_on_rings(const KernelProgram& program, F&& result) {
  KernelData out = nothing_expected(program);
  const size_t target = static_cast<size_t>(buffer_named(program, "out"));
  for (size_t d = 0; d < program.devices.size(); ++d) {
    const DeviceId device(static_cast<int64_t>(d));
    std::vector<DeviceId> ring = {device};
    size_t place = 0;
    if (program.layout.mesh.rank() > 0) {
      ring = program.layout.mesh.group(device, 0);
      place = static_cast<size_t>(program.layout.mesh.coordinate(device, 0));
    }
    out.devices[d][target] = result(ring, place);
  }
  return out;
}

Numbers sum_of(const KernelProgram& program, const KernelData& inputs, const std::vector<DeviceId>& ring) {
  const int32_t x = buffer_named(program, "x");
  Numbers sum = inputs.at(ring[0].value, x);
  for (size_t r = 1; r < ring.size(); ++r) {
    const Numbers& more = inputs.at(ring[r].value, x);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  }
  return sum;
}

Numbers product(const Numbers& a, const Numbers& b, int64_t m, int64_t depth, int64_t n) {
  Numbers out(static_cast<size_t>(m * n), 0.0F);
  add_product({a.data(), m, depth, depth}, {b.data(), depth, n, n}, out.data(), n);
  return out;
}

}  // namespace

KernelData expect_gathered(const KernelProgram& program, const KernelData& inputs) {
  const int32_t x = buffer_named(program, "x");
  return expect_on_rings(program, [&](const std::vector<DeviceId>& ring, size_t) {
    Numbers out;
    for (const DeviceId member : ring) {
      const Numbers& shard = inputs.at(member.value, x);
      out.insert(out.end(), shard.begin(), shard.end());
    }
    return out;
  });
}

KernelData expect_summed(const KernelProgram& program, const KernelData& inputs) {
  return expect_on_rings(
      program, [&](const std::vector<DeviceId>& ring, size_t) { return sum_of(program, inputs, ring); });
}

KernelData expect_scattered(const KernelProgram& program, const KernelData& inputs) {
  return expect_on_rings(program, [&](const std::vector<DeviceId>& ring, size_t place) {
    const Numbers sum = sum_of(program, inputs, ring);
    const ptrdiff_t part = static_cast<ptrdiff_t>(sum.size() / ring.size());
    const auto first = sum.begin() + part * static_cast<ptrdiff_t>(place);
    return Numbers(first, first + part);
  });
}

KernelData expect_permuted(const KernelProgram& program, const KernelData& inputs) {
  const int32_t x = buffer_named(program, "x");
  return expect_on_rings(program, [&](const std::vector<DeviceId>& ring, size_t place) {
    return inputs.at(ring[(place + ring.size() - 1) % ring.size()].value, x);
  });
}

KernelData expect_product(const KernelProgram& program, const KernelData& inputs) {
  const int32_t a = buffer_named(program, "a"), b = buffer_named(program, "b");
  const KernelBuffer &left = program.buffer(a), &right = program.buffer(b);
  KernelData out = nothing_expected(program);
  for (size_t d = 0; d < out.devices.size(); ++d) {
    const int64_t device = static_cast<int64_t>(d);
    out.devices[d][static_cast<size_t>(buffer_named(program, "out"))] =
        product(inputs.at(device, a), inputs.at(device, b), left.rows, left.cols, right.cols);
  }
  return out;
}

KernelData expect_gathered_product(const KernelProgram& program, const KernelData& inputs) {
  const int32_t a = buffer_named(program, "a"), b = buffer_named(program, "b");
  const KernelBuffer &left = program.buffer(a), &right = program.buffer(b);
  const bool ring = program.layout.mesh.rank() > 0;
  KernelData out = nothing_expected(program);
  for (size_t d = 0; d < out.devices.size(); ++d) {
    const DeviceId device(static_cast<int64_t>(d));
    const auto members = ring ? program.layout.mesh.group(device, 0) : std::vector<DeviceId>{device};
    Numbers& all = out.devices[d][static_cast<size_t>(buffer_named(program, "out"))];
    for (const DeviceId member : members) {
      const Numbers part =
          product(inputs.at(member.value, a), inputs.at(device.value, b), left.rows, left.cols, right.cols);
      all.insert(all.end(), part.begin(), part.end());
    }
  }
  return out;
}

KernelData expect_block_product(const KernelProgram& program, const KernelData& inputs) {
  const int32_t a = buffer_named(program, "a"), b = buffer_named(program, "b");
  const KernelBuffer &left = program.buffer(a), &right = program.buffer(b);
  const Mesh& mesh = program.layout.mesh;
  KernelData out = nothing_expected(program);
  for (size_t d = 0; d < out.devices.size(); ++d) {
    const DeviceId device(static_cast<int64_t>(d));
    std::vector<int64_t> at = mesh.coordinates(device);
    at[0] = at[1];
    out.devices[d][static_cast<size_t>(buffer_named(program, "out"))] = product(
        inputs.at(device.value, a), inputs.at(mesh.device_at(at).value, b), left.rows, left.cols, right.cols);
  }
  return out;
}

KernelData expect_whole_product(const KernelProgram& program, const KernelData& inputs) {
  const int32_t a = buffer_named(program, "a"), b = buffer_named(program, "b");
  const KernelBuffer &left = program.buffer(a), &right = program.buffer(b);
  const Mesh& mesh = program.layout.mesh;
  KernelData out = nothing_expected(program);
  for (size_t d = 0; d < out.devices.size(); ++d) {
    const DeviceId device(static_cast<int64_t>(d));
    Numbers weights;
    for (const DeviceId member : mesh.group(device, 0)) {
      const Numbers& rows = inputs.at(member.value, b);
      weights.insert(weights.end(), rows.begin(), rows.end());
    }
    Numbers sum(static_cast<size_t>(left.rows * right.cols), 0.0F);
    const std::vector<DeviceId> row = mesh.group(device, 1);
    for (size_t y = 0; y < row.size(); ++y) {
      const int64_t first = static_cast<int64_t>(y) * left.cols;
      add_product({inputs.at(row[y].value, a).data(), left.rows, left.cols, left.cols},
                  {weights.data() + first * right.cols, left.cols, right.cols, right.cols}, sum.data(),
                  right.cols);
    }
    out.devices[d][static_cast<size_t>(buffer_named(program, "out"))] = std::move(sum);
  }
  return out;
}

}  // namespace shardscope::kernels
