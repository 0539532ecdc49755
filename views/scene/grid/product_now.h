// SPDX-License-Identifier: Apache-2.0
// Which device multiplies what at a moment, and where it adds it: read off the story.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/story/story.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// A matrix of the picture: a story's array with the dimensions that go down, those that go to the right, each
// flattened in this order, and those of a batch, of which one index is drawn.
struct PictureMatrix {
  int32_t array = -1;
  std::vector<size_t> down, right, batch;
  int64_t rows = 1, columns = 1;
};
// left · above = corner; k goes to the right in `left` and down in `above`.
struct ProductPicture {
  PictureMatrix left, above, corner;
  int64_t m = 1, k = 1, n = 1;
  std::vector<int64_t> k_sizes;          // of the dimensions that are summed over
  std::vector<int64_t> batch, batch_at;  // sizes of the batch's dimensions, and which index is drawn
};
// What an array is made of where both factors are known as a whole; none: it is no product.
std::optional<ProductPicture> picture_of_product(const Story& story, int32_t array);

// A part of a matrix in its own directions.
struct MatrixPart {
  IndexRange down, right;
  bool operator==(const MatrixPart&) const = default;
};
// What of an array's box the picture has; empty: it is of other indices of the batch.
std::vector<MatrixPart> parts_of_box(const Story& story, const ProductPicture& picture,
                                     const PictureMatrix& matrix, const IndexBox& box);

// What one device multiplies now.
struct ProductNow {
  int32_t event = -1, device = -1;
  std::vector<PieceId> made;
};
// The events of products that are under way at `time`, and those of a beat that ends then; one a device,
// ascending.
std::vector<ProductNow> products_at(const Story& story, Picoseconds time);

// The picture looks at the first index of the batch that `now` multiplies.
void look_at_batch(const Story& story, const ProductNow& now, ProductPicture& picture);

// The array whose product the picture is of: of what is multiplied now, else last, else next; -1: none that
// can be drawn.
int32_t array_multiplied(const Story& story, const std::vector<ProductNow>& now, Picoseconds time);

// The parts of each matrix that a product is of, and all of it in one line: "a0–a3 × w0 → y0, k 0–7 of 16".
struct ProductParts {
  std::vector<MatrixPart> left, above, corner;  // of the batch index that is drawn
  std::vector<IndexRange> k;
  bool any = false;  // it is a product of the picture's, of this index of the batch or of others
  std::vector<std::string> wordings;  // the longest first
};
ProductParts parts_of(const Story& story, const ProductPicture& picture, const ProductNow& now);

}  // namespace shardscope::inline views
