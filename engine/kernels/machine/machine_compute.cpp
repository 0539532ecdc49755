// SPDX-License-Identifier: Apache-2.0
// What a device's own statements do to its memory.
#include <algorithm>

#include "engine/kernels/machine/machine_state.h"

namespace shardscope::kernels {

void compute(MachineState& m, int32_t d, const Op& op) {
  MachineState::Device& self = m.device(d);
  Access access;
  access.device = d;
  access.tick = self.clock.devices[static_cast<size_t>(d)];
  access.line = op.line;
  access.step = m.step;
  for (const Slice* source : {&op.a, &op.b}) {
    if (source->buffer < 0) continue;
    touch(m, d, *source, access, self.clock);
    read_initialised(m, d, *source, access);
  }
  if (op.kind == OpKind::dot) read_initialised(m, d, op.dst, access);
  access.write = true;
  touch(m, d, op.dst, access, self.clock);

  MachineState::Block& target = self.blocks[static_cast<size_t>(op.dst.buffer)];
  const KernelBuffer& to = m.program->buffer(op.dst.buffer);
  const auto origin = [&m](const Slice& s) {
    return static_cast<size_t>(s.box.row * m.program->buffer(s.buffer).cols + s.box.col);
  };
  const Box& box = op.dst.box;
  for (int64_t r = 0; r < box.rows; ++r) {
    const size_t at = origin(op.dst) + static_cast<size_t>(r * to.cols);
    std::fill_n(target.initialised.begin() + static_cast<ptrdiff_t>(at), box.cols, written_by(d));
  }
  if (!m.numeric) return;
  const auto part = [&](const Slice& s) {
    const MachineState::Block& block = self.blocks[static_cast<size_t>(s.buffer)];
    return MatrixPart{block.numbers.data() + origin(s), s.box.rows, s.box.cols,
                      m.program->buffer(s.buffer).cols};
  };
  float* out = target.numbers.data() + origin(op.dst);
  if (op.kind == OpKind::dot) {
    add_product(part(op.a), part(op.b), out, to.cols);
    if (to.type == ElementType::f32) return;
  }
  for (int64_t r = 0; r < box.rows; ++r) {
    for (int64_t c = 0; c < box.cols; ++c) {
      const auto element = [&](const Slice& s) {
        const MatrixPart p = part(s);
        return p.data[r * p.stride + c];
      };
      float& value = out[r * to.cols + c];
      if (op.kind == OpKind::zero) value = 0;
      if (op.kind == OpKind::add) value = element(op.a) + element(op.b);
      if (op.kind == OpKind::store) value = element(op.a);
      value = rounded(value, to.type);
    }
  }
}

}  // namespace shardscope::kernels
