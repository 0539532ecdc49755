// SPDX-License-Identifier: Apache-2.0
// Where the matrices of a product stand in its picture, their elements in numbers, and who multiplies what.
#pragma once

#include <string>
#include <vector>

#include "views/scene/grid/grid_parts.h"
#include "views/scene/grid/product_now.h"

namespace shardscope::inline views {

// The matrices share the lengths of m, k and n: the same k is as long in `left` as in `above`.
struct ProductPlaces {
  Rect left, above, corner;
  bool true_to_scale = true;  // no: a short dimension is drawn longer
};
Rect place_of(const MatrixPart& part, const PictureMatrix& matrix, const Rect& in);

// Which index of a batch is drawn: ", batch 3 of 8"; of more dimensions each: ", batch (1,3) of (2,8)".
std::string batch_words(const ProductPicture& picture);
// "k"; "k = 4·8" where more than one dimension is summed over.
std::string k_words(const ProductPicture& picture);
// "[8,16]", as it is drawn; of more dimensions than two as it is stored, and which go where: "[4,8,16]: 4·8
// down, 16 right".
std::string shape_words(const StoryArray& of, const PictureMatrix& matrix);

// The element of each place, or of Y what `device` has summed so far. Whether there was room.
bool draw_product_numbers(Pen& pen, const GridContext& context, const ProductPicture& picture,
                          const ProductPlaces& places);

// What a device does now, or sends while nothing is multiplied.
struct ProductRow {
  int32_t device = -1, event = -1;
  std::vector<std::string> wordings;  // the longest first
};
std::vector<ProductRow> rows_of_travels(const GridContext& context);

// All rows, or where `height` is too low for them those of the device that is looked at.
class ProductList {
 public:
  ProductList(Pen& pen, const GridContext& context, std::vector<ProductRow> rows, float height);
  float width() const { return width_; }  // of a column, with all its words
  float height(size_t columns) const;
  void draw(const Rect& area, size_t columns) const;

 private:
  void draw_row(const ProductRow& row, const Rect& box) const;
  std::string title() const;

  Pen& pen_;
  const GridContext& c_;
  std::vector<ProductRow> rows_;
  float line_ = 0, width_ = 0;
};

}  // namespace shardscope::inline views
