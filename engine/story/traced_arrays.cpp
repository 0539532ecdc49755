// SPDX-License-Identifier: Apache-2.0
#include "engine/story/traced_arrays.h"

#include <utility>

namespace shardscope::inline story {

int TracedArrays::add(TracedArray array) {
  arrays_.push_back(std::move(array));
  return count() - 1;
}

int TracedArrays::find_or_add(const std::string& key, const TracedArray& array) {
  const auto [place, made] = by_key_.try_emplace(key, count());
  if (made) arrays_.push_back(array);
  return place->second;
}

const Contraction& TracedArrays::add_contraction(Contraction contraction, const std::string& name) {
  TracedArray product;
  product.name = name;
  product.terms = 1;
  const TracedArray& first = at(contraction.first);
  const TracedArray& second = at(contraction.second);
  product.device = first.device >= 0 ? first.device : second.device;
  for (size_t g = 0; g < first.dims.size(); ++g) {
    if (contraction.first_use[g] == DimUse::contracted)
      product.terms *= first.dims[g];
    else
      product.dims.push_back(first.dims[g]);
  }
  for (size_t g = 0; g < second.dims.size(); ++g)
    if (contraction.second_use[g] == DimUse::free) product.dims.push_back(second.dims[g]);
  contraction.product = add(std::move(product));
  contractions_.push_back(std::move(contraction));
  return contractions_.back();
}

std::vector<int64_t> flat_strides(const TracedArray& array, const std::vector<int>& order) {
  std::vector<int64_t> strides(array.dims.size(), 0);
  int64_t stride = 1;
  for (size_t k = order.size(); k-- > 0;) {
    strides[static_cast<size_t>(order[k])] = stride;
    stride *= array.dims[static_cast<size_t>(order[k])];
  }
  return strides;
}

}  // namespace shardscope::inline story
