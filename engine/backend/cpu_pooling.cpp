// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu_pooling.h"

#include <utility>
#include <vector>

namespace shardscope::inline backend {
namespace {

class Pooling : ComputationPass {
 public:
  Pooling(const Computation& from, FreshNames& fresh) : ComputationPass(from, fresh, ".place") {}

  Computation run() {
    return written([&](size_t k) {
      const bool pools = like_->opcode == Opcode::select_and_scatter;
      if (pools) write(k);
      return pools;
    });
  }

 private:
  static Shape places(std::vector<int64_t> dims) { return Shape::array(ElementType::s32, std::move(dims)); }

  void write(size_t k) {
    const Instruction& i = *like_;
    const Shape &values = from_.at(i.operands[0]).shape, &source = from_.at(i.operands[1]).shape;
    const auto rank = static_cast<int64_t>(values.rank());
    const int64_t count = source.element_count();
    std::vector<InstructionId> read{rewrite_.at(i.operands[0])};
    std::vector<Shape> given{source};
    for (int64_t d = 0; d < rank; ++d) {
      read.push_back(add(Opcode::iota, places(values.dims), {}));
      rewrite_.edit(read.back()).dimensions = std::vector<int64_t>{d};
      given.push_back(places(source.dims));
    }
    read.push_back(rewrite_.at(i.operands[2]));
    const InstructionId selected = add(Opcode::reduce_window, Shape::tuple(given), read);
    std::vector<InstructionId> indices;
    for (int64_t d = 0; d < rank; ++d) {
      const InstructionId at = add(Opcode::get_tuple_element, places(source.dims), {selected});
      rewrite_.edit(at).tuple_index = d + 1;
      indices.push_back(add(Opcode::reshape, places({count, 1}), {at}));
    }
    const InstructionId rows = add(Opcode::concatenate, places({count, rank}), indices);
    rewrite_.edit(rows).dimensions = std::vector<int64_t>{1};
    const InstructionId start = add(Opcode::broadcast, values, {rewrite_.at(i.operands[2])});
    // A copy of the source with each element by itself.
    const InstructionId updates =
        add(Opcode::reduce_precision, Shape::array(source.type, {count}),
            {add(Opcode::reshape, Shape::array(source.type, {count}), {rewrite_.at(i.operands[1])})});
    rewrite_.stand_for(k, add(Opcode::scatter, values, {start, rows, updates}));
  }
};

}  // namespace

Computation pooled_by_places(const Computation& computation, FreshNames& fresh) {
  return Pooling(computation, fresh).run();
}

}  // namespace shardscope::inline backend
