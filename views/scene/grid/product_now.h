// SPDX-License-Identifier: Apache-2.0
// Which device multiplies what at a moment, and where it adds it: read off the story.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/story/story.h"
#include "views/scene/core/layouts.h"

namespace shardscope {

// A matrix of the picture: a story's array, and which stored dimension goes down.
struct PictureMatrix {
  int32_t array = -1;
  size_t down = 0;  // of two
  size_t right() const { return 1 - down; }
};
// left · above = corner; k goes to the right in `left` and down in `above`.
struct ProductPicture {
  PictureMatrix left, above, corner;
  int64_t m = 0, k = 0, n = 0;
};
// What an array is made of where both factors are matrices with one dimension summed over; none: it is no
// such product.
std::optional<ProductPicture> picture_of_product(const Story& story, int32_t array);

// A part of a matrix in its own directions.
struct MatrixPart {
  IndexRange down, right;
  bool operator==(const MatrixPart&) const = default;
};

// What one device multiplies now.
struct ProductNow {
  int32_t event = -1, device = -1;
  std::vector<PieceId> made;
};
// The events of products that are under way at `time`, and those of a beat that ends then; one a device,
// ascending.
std::vector<ProductNow> products_at(const Story& story, Picoseconds time);

// The array whose product the picture is of: of what is multiplied now, else last, else next; -1: none that
// can be drawn.
int32_t array_multiplied(const Story& story, const std::vector<ProductNow>& now, Picoseconds time);

// The parts of each matrix that a product is of, and all of it in one line: "a0–a3 × w0 → y0, k 0–7 of 16".
struct ProductParts {
  std::vector<MatrixPart> left, above, corner;
  std::vector<IndexRange> k;
  std::vector<std::string> wordings;  // the longest first
};
ProductParts parts_of(const Story& story, const ProductPicture& picture, const ProductNow& now);

}  // namespace shardscope
