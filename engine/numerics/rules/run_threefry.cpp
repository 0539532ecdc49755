// SPDX-License-Identifier: Apache-2.0
// J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011:
// Threefry-2x32 with 20 rounds, as JAX calls it on GPUs: keys and counters in two halves each.
#include <bit>

#include "engine/numerics/rules/rules.h"

namespace shardscope::inline numerics {
namespace {

struct Halves {
  uint32_t a, b;
};

Halves threefry(Halves key, Halves x) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key.a, key.b, key.a ^ key.b ^ 0x1BD11BDAu};
  x.a += keys[0];
  x.b += keys[1];
  for (uint32_t block = 0; block < 5; ++block) {
    for (const int rotation : kRotations[block % 2]) {
      x.a += x.b;
      x.b = std::rotl(x.b, rotation) ^ x.a;
    }
    x.a += keys[(block + 1) % 3];
    x.b += keys[(block + 2) % 3] + block + 1;
  }
  return x;
}

}  // namespace

Result<void> run_threefry(Step& step) {
  const Instruction& i = step.at();
  bool fits = i.operands.size() == 4 && i.shape.is_tuple && i.shape.elements.size() == 2;
  const auto is_word = [&](const Shape& shape) {
    return !shape.is_tuple && shape.type == ElementType::u32 && shape.dims == step.operand_shape(2).dims;
  };
  for (size_t k = 0; fits && k < 4; ++k) fits = is_word(step.operand_shape(k));
  for (size_t k = 0; fits && k < 2; ++k) fits = is_word(i.shape.elements[k]);
  if (!fits) return cannot_run(i, " of other operands than two keys and two counters");
  std::vector<std::vector<ViewPtr>> words;
  for (size_t k = 0; k < 4; ++k) words.push_back(step.arrays(k));
  for (size_t d = 0; d < step.devices(); ++d) {
    const auto word = [&](size_t k) { return reinterpret_cast<const uint32_t*>(words[k][d]->data()); };
    Array first = step.run.pool.take(ElementType::u32, step.operand_shape(2).dims);
    Array second = step.run.pool.take(ElementType::u32, step.operand_shape(2).dims);
    for (int64_t e = 0; e < first.element_count(); ++e) {
      const Halves made = threefry({word(0)[e], word(1)[e]}, {word(2)[e], word(3)[e]});
      first.mutable_as<uint32_t>()[static_cast<size_t>(e)] = made.a;
      second.mutable_as<uint32_t>()[static_cast<size_t>(e)] = made.b;
    }
    DeviceValue& value = step.results()[d];
    value.elements.resize(2);
    value.elements[0].view = std::make_shared<View>(View::of(first));
    value.elements[1].view = std::make_shared<View>(View::of(second));
  }
  return {};
}

}  // namespace shardscope::inline numerics
