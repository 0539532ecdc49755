// SPDX-License-Identifier: Apache-2.0
// Which dimensions and which index of a batch a picture of a product shows.
#include <fmt/format.h>
#include <numeric>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "views/scene/grid/product_parts.h"

namespace shardscope::inline views {

std::string batch_words(const ProductPicture& picture) {
  if (picture.batch.empty()) return "";
  std::vector<std::string> at, of;
  for (size_t d = 0; d < picture.batch.size(); ++d) {
    at.push_back(fmt::format("{}", picture.batch_at[d] + 1));
    of.push_back(fmt::format("{}", picture.batch[d]));
  }
  if (at.size() == 1) return say(", batch {} of {}", at[0], of[0]);
  return say(", batch ({}) of ({})", join(at, ","), join(of, ","));
}

std::string k_words(const ProductPicture& picture) {
  if (picture.k_sizes.size() < 2) return "k";
  std::vector<std::string> sizes;
  for (const int64_t size : picture.k_sizes) sizes.push_back(fmt::format("{}", size));
  return "k = " + join(sizes, "·");
}

std::string shape_words(const StoryArray& of, const PictureMatrix& matrix) {
  const auto sizes = [&](const std::vector<size_t>& dims, const char* between) {
    std::vector<std::string> out;
    for (const size_t d : dims) out.push_back(fmt::format("{}", of.dims[d]));
    return out.empty() ? "1" : join(out, between);
  };
  if (of.dims.size() == 2 && matrix.down.size() == 1 && matrix.right.size() == 1)
    return fmt::format("[{},{}]", sizes(matrix.down, ","), sizes(matrix.right, ","));
  std::vector<size_t> all(of.dims.size());
  std::iota(all.begin(), all.end(), 0);
  return fmt::format("[{}]: ", sizes(all, ",")) +
         say("{} down, {} right", sizes(matrix.down, "·"), sizes(matrix.right, "·"));
}

}  // namespace shardscope::inline views
