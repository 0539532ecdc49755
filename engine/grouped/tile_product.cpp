// SPDX-License-Identifier: Apache-2.0
#include "engine/grouped/tile_product.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/base/check.h"
#include "engine/base/units.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/product/micro_kernel.h"
#include "engine/numerics/product/pack.h"

namespace shardscope::inline grouped {

void load_block(const Array& array, const BlockPlace& place, int64_t rows, int64_t columns,
                std::vector<float>& out) {
  out.resize(static_cast<size_t>(rows * columns));
  const auto load = [&](auto tag) {
    using Tag = decltype(tag);
    const auto* in = array.as<typename Tag::Stored>().data() + place.origin;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        out[static_cast<size_t>(r * columns + c)] =
            static_cast<float>(Tag::load(in[r * place.row_stride + c * place.column_stride]));
      }
    }
  };
  if (array.type() == ElementType::bf16) {
    load(element::BF16{});
  } else {
    load(element::F32{});
  }
}

void store_block(Array& array, const BlockPlace& place, int64_t rows, int64_t columns,
                 const std::vector<float>& in) {
  const auto store = [&](auto tag) {
    using Tag = decltype(tag);
    auto* out = array.mutable_as<typename Tag::Stored>().data() + place.origin;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        out[r * place.row_stride + c * place.column_stride] =
            Tag::store(in[static_cast<size_t>(r * columns + c)]);
      }
    }
  };
  if (array.type() == ElementType::bf16) {
    store(element::BF16{});
  } else {
    store(element::F32{});
  }
}

namespace {

const MicroKernel<float>& product_kernel() {
  static const MicroKernel<float> kKernel = micro_kernel<float>(best_isa());
  return kKernel;
}

// Line l and step d of the contraction stand at origin + l·line_stride + d·depth_stride.
struct LinePlace {
  int64_t origin, line_stride, depth_stride;
};
void load_panels(const Array& array, const LinePlace& place, int64_t width, const Panels& out,
                 float* memory) {
  if (const int64_t rest = out.lines % width; rest != 0)
    std::fill_n(memory + (out.lines - rest) * out.depth, width * out.depth, 0.0f);
  const auto load = [&](auto tag) {
    using Tag = decltype(tag);
    const auto* in = array.as<typename Tag::Stored>().data() + place.origin;
    for (int64_t first = 0; first < out.lines; first += width) {
      const TilePart<Tag> part{in + first * place.line_stride, place.line_stride, place.depth_stride,
                               std::min(width, out.lines - first), out.depth};
      pack_tile(part, width, memory + first * out.depth);
    }
  };
  if (array.type() == ElementType::bf16) {
    load(element::BF16{});
  } else {
    load(element::F32{});
  }
}

}  // namespace

int64_t left_panel_numbers(int64_t rows, int64_t depth) {
  return ceil_div(rows, product_kernel().rows) * product_kernel().rows * depth;
}

int64_t right_panel_numbers(int64_t depth, int64_t columns) {
  return ceil_div(columns, product_kernel().columns) * product_kernel().columns * depth;
}

Panels load_left(const Array& array, const BlockPlace& place, int64_t rows, int64_t depth, float* memory) {
  const Panels out{rows, depth, memory};
  load_panels(array, {place.origin, place.row_stride, place.column_stride}, product_kernel().rows, out,
              memory);
  return out;
}

Panels load_right(const Array& array, const BlockPlace& place, int64_t depth, int64_t columns,
                  float* memory) {
  const Panels out{columns, depth, memory};
  load_panels(array, {place.origin, place.column_stride, place.row_stride}, product_kernel().columns, out,
              memory);
  return out;
}

int64_t right_panel_lines() {
  return product_kernel().columns;
}

void add_product(const Panels& a, const Panels& b, const Sums& sums) {
  CHECK(a.depth == b.depth, a.depth, b.depth);
  const MicroKernel<float>& kernel = product_kernel();
  for (int64_t c = 0; c < b.lines; c += kernel.columns) {
    for (int64_t r = 0; r < a.lines; r += kernel.rows) {
      const PanelPair<float> panels{a.numbers + r * a.depth, b.numbers + c * b.depth, a.depth};
      kernel.run({&panels, 1}, sums.data + r * sums.stride + c, sums.stride, sums.accumulate,
                 std::min(kernel.rows, a.lines - r), std::min(kernel.columns, b.lines - c));
    }
  }
}

std::vector<StepRun> same_block_runs(const GroupMetadata& metadata, const std::vector<int64_t>& block_ids) {
  std::vector<StepRun> out;
  for (int64_t step = 0; step < metadata.num_tiles; ++step) {
    const size_t s = static_cast<size_t>(step);
    if (step == 0 || block_ids[s] != block_ids[s - 1]) out.push_back({step, step});
    out.back().last = step + 1;
  }
  return out;
}

Array start_output(const GroupedOptions& options, std::vector<int64_t> dims, const RowRange& computed) {
  Array out = Array::allocate(options.out_type, std::move(dims));
  const int64_t row = out.dims().front() == 0 ? 0 : out.element_count() / out.dims().front();
  const auto start = [&](int64_t first, int64_t last) {
    const auto begin = static_cast<size_t>(first * row), count = static_cast<size_t>((last - first) * row);
    const auto size = static_cast<size_t>(stored_bytes(options.out_type, 1));
    if (options.existing_out) {
      std::memcpy(out.mutable_data() + begin * size, options.existing_out->data() + begin * size,
                  count * size);
    } else if (options.out_type == ElementType::bf16) {
      std::ranges::fill(out.mutable_as<uint16_t>().subspan(begin, count), uint16_t{0x7fc0});
    } else {
      std::ranges::fill(out.mutable_as<float>().subspan(begin, count),
                        std::numeric_limits<float>::quiet_NaN());
    }
  };
  start(0, computed.first);
  start(computed.last, out.dims().front());
  return out;
}

}  // namespace shardscope::inline grouped
