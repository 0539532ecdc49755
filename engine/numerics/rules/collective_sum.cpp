// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/collective_sum.h"

#include <algorithm>

#include "engine/base/units.h"
#include "engine/collectives/opcode_kind.h"

namespace shardscope::inline numerics {
namespace {

constexpr int64_t kStretchBytes = int64_t{1} << 19;  // what one task adds up at most
constexpr int64_t kTileBytes = int64_t{1} << 14;     // what stays in the nearest cache with its operands

std::shared_ptr<const SumOrder> order_of(Step& step, size_t ranks) {
  const CollectiveKind kind = collective_kind(step.at()).value();
  const auto known = step.run.schedules.find(&step.at());
  const CollectiveSchedule* schedule = known == step.run.schedules.end() ? nullptr : known->second.get();
  if (schedule != nullptr && static_cast<size_t>(schedule->ranks()) != ranks) schedule = nullptr;
  auto& order = step.run.orders[{schedule, ranks}];
  if (order == nullptr)
    order = std::make_shared<const SumOrder>(schedule == nullptr
                                                 ? SumOrder::of_group(kind, static_cast<int32_t>(ranks))
                                                 : SumOrder::of_schedule(*schedule));
  return order;
}

std::vector<SumStretch> stretches_of(const std::vector<SumPiece>& pieces, const Shape& result) {
  const int64_t elements = result.element_count();
  const int64_t most = std::max<int64_t>(1, kStretchBytes / stored_bytes(result.type, 1));
  std::vector<SumStretch> out;
  for (const SumPiece& piece : pieces) {
    const int64_t begin = begin_of(elements, piece.of, piece.first),
                  end = begin_of(elements, piece.of, piece.first + piece.count);
    for (int64_t at = begin; at < end; at += most) out.push_back({piece.root, at, std::min(most, end - at)});
  }
  return out;
}

// Slice `rank` of `ranks` along a dimension.
SumRegion slice_region(const std::vector<int64_t>& dims, int64_t dim, int64_t rank, int64_t ranks) {
  int64_t inner = 1;
  for (size_t d = static_cast<size_t>(dim) + 1; d < dims.size(); ++d) inner *= dims[d];
  const int64_t stride = dims[static_cast<size_t>(dim)] * inner, row = stride / ranks;
  return {rank * row, std::max<int64_t>(1, row), stride};
}

}  // namespace

int64_t begin_of(int64_t elements, int64_t of, int64_t p) {
  return p * (elements / of) + std::min(p, elements % of);
}

std::vector<CollectiveSum> collective_sums(Step& step) {
  const Instruction& i = step.at();
  const bool scatters = i.opcode == Opcode::reduce_scatter;
  std::vector<CollectiveSum> out;
  for (const std::vector<DeviceId>& group : groups_of(step.run, i)) {
    const auto order = order_of(step, group.size());
    const auto ranks = static_cast<int32_t>(group.size());
    std::map<size_t, size_t> shared;  // of an all-reduce: by SumOrder::like
    for (int32_t r = 0; r < (i.rooted ? 1 : ranks); ++r) {
      const DeviceId device = group[static_cast<size_t>(r)];
      const auto [known, fresh] = shared.try_emplace(order->like(r), out.size());
      if (!scatters && !fresh) {
        out[known->second].owners.push_back(device);
        continue;
      }
      const int64_t elements = std::max<int64_t>(1, i.shape.element_count());
      const SumRegion region = scatters
                                   ? slice_region(step.operand_shape(0).dims, i.dimensions.front(), r, ranks)
                                   : SumRegion{0, elements, elements};
      out.push_back({group, {device}, order, region, stretches_of(order->pieces(r), i.shape)});
    }
  }
  return out;
}

Result<ElementwiseKernel> collective_kernel(Step& step) {
  TRY(const Opcode reducer, reducer_of(step.run.program, step.at()));
  const ElementType type = step.at().shape.type;
  const ElementwiseKernel kernel = elementwise_kernel(reducer, type);
  if (kernel.two != nullptr) return kernel;
  return invalid("cannot reduce " + std::string(name(type)) + " by " + std::string(opcode_text(reducer)),
                 "%" + step.at().name);
}

void add_up(const CollectiveSum& sum, const SumStretch& stretch, const SumOperands& operands,
            ElementwiseKernel::Two kernel, std::byte* target, const EachSum& each) {
  const SumProgram program = sum.order->program(stretch.root);
  const int64_t size = stored_bytes(operands.type, 1), tile = kTileBytes / size;
  const auto array_of = [&](int32_t rank) {
    return operands.memory[static_cast<size_t>(sum.group[static_cast<size_t>(rank)].value)];
  };
  std::vector<std::byte> beside(static_cast<size_t>((program.slots - 1) * kTileBytes));
  for (int64_t first = stretch.first; first < stretch.first + stretch.count; first += tile) {
    const int64_t count = std::min(tile, stretch.first + stretch.count - first);
    const auto slot = [&](int32_t s) {
      return s == 0 ? target + (first - stretch.first) * size : beside.data() + (s - 1) * kTileBytes;
    };
    if (program.alone >= 0) {
      for_each_row(sum.region, first, count, [&](int64_t from, int64_t to, int64_t run) {
        const std::byte* source = array_of(program.alone) + from * size;
        std::copy(source, source + run * size, target + (to - stretch.first) * size);
      });
    }
    for (const SumOp& op : program.ops) {
      std::byte* out = slot(op.slot);
      const auto operand = [&](int32_t which, int64_t from, int64_t to) -> const std::byte* {
        return which >= 0 ? array_of(which) + from * size : slot(~which) + (to - first) * size;
      };
      for_each_row(sum.region, first, count, [&](int64_t from, int64_t to, int64_t run) {
        kernel(operand(op.kept, from, to), operand(op.sent, from, to), out + (to - first) * size, run);
      });
      if (each) each(out, first, count);
    }
  }
}

}  // namespace shardscope::inline numerics
