// SPDX-License-Identifier: Apache-2.0
#include "engine/grouped/tile_product.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/base/check.h"
#include "engine/numerics/element.h"

namespace shardscope {

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

void add_product(const std::vector<float>& a, const std::vector<float>& b, int64_t rows, int64_t depth,
                 int64_t columns, std::vector<float>& sum) {
  std::vector<float> product(static_cast<size_t>(columns));
  for (int64_t r = 0; r < rows; ++r) {
    std::fill(product.begin(), product.end(), 0.0f);
    float* line = product.data();
    for (int64_t d = 0; d < depth; ++d) {
      const float factor = a[static_cast<size_t>(r * depth + d)];
      const float* row = b.data() + d * columns;
      for (int64_t c = 0; c < columns; ++c) line[c] += factor * row[c];
    }
    float* to = sum.data() + r * columns;
    for (int64_t c = 0; c < columns; ++c) to[c] += line[c];
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

Array start_output(const GroupedOptions& options, std::vector<int64_t> dims) {
  Array out = Array::allocate(options.out_type, std::move(dims));
  if (options.existing_out) {
    std::memcpy(out.mutable_data(), options.existing_out->data(), static_cast<size_t>(out.bytes()));
  } else if (options.out_type == ElementType::bf16) {
    std::ranges::fill(out.mutable_as<uint16_t>(), uint16_t{0x7fc0});
  } else {
    std::ranges::fill(out.mutable_as<float>(), std::numeric_limits<float>::quiet_NaN());
  }
  return out;
}

}  // namespace shardscope
