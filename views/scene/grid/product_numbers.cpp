// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <optional>

#include "views/scene/grid/product_parts.h"

namespace shardscope::inline views {
namespace {

constexpr float kDigitSize = 0.85F;  // of the digits

// By place in a matrix; none: nobody has it.
using ElementAt = std::function<std::optional<double>(int64_t down, int64_t right)>;

std::string digits(double value) {
  return value == std::round(value) && std::abs(value) < 1e6 ? fmt::format("{:.0f}", value)
                                                             : fmt::format("{:.2g}", value);
}

bool has(const IndexRange& range, int64_t index) {
  return range.start <= index && index < range.stop;
}

// What of an element of the product has been summed: by the device that is looked at where it has something
// of it, else by the one that has summed most.
class Summed {
 public:
  Summed(const GridContext& c, const ProductPicture& picture) : c_(c), picture_(picture) {
    for (int32_t d = 0; d < c.input.run.program.mesh.device_count(); ++d)
      for (const PieceId id : c.now.pieces_on(d))
        if (c.story.piece(id).array == picture.corner.array) pieces_.push_back({d == c.device, id});
    std::ranges::stable_sort(pieces_, [&](const Owned& a, const Owned& b) {
      return std::pair(a.own, terms(a.piece)) > std::pair(b.own, terms(b.piece));
    });
  }

  std::optional<double> at(int64_t down, int64_t right) const {
    for (const Owned& owned : pieces_) {
      const Piece& piece = c_.story.piece(owned.piece);
      for (const IndexBox& box : piece.index)
        for (const MatrixPart& part : parts_of_box(c_.story, picture_, picture_.corner, box))
          if (has(part.down, down) && has(part.right, right)) return sum(piece, down, right);
    }
    return std::nullopt;
  }

 private:
  struct Owned {
    bool own = false;
    PieceId piece = 0;
  };
  int64_t terms(PieceId id) const { return term_count(c_.story.piece(id)); }

  double sum(const Piece& piece, int64_t down, int64_t right) const {
    const SmallFactors& of = *c_.input.factors;
    double out = 0;
    for (const IndexRange& range : piece.terms)
      for (int64_t k = range.start; k < range.stop; ++k)
        out += of.lhs[static_cast<size_t>(down * picture_.k + k)] *
               of.rhs[static_cast<size_t>(k * picture_.n + right)];
    return out;
  }

  const GridContext& c_;
  const ProductPicture& picture_;
  std::vector<Owned> pieces_;
};

struct Matrix {
  Rect rect;
  int64_t rows = 0, columns = 0;
  ElementAt at;
};

bool has_room(const Pen& pen, const Matrix& m) {
  const float width = m.rect.w / static_cast<float>(m.columns);
  if (m.rect.h / static_cast<float>(m.rows) < pen.text_px(kDigitSize)) return false;
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < m.columns; ++j)
      if (const auto value = m.at(i, j); value && pen.width(digits(*value), kDigitSize, Face::mono) > width)
        return false;
  return true;
}

void write(Pen& pen, const Matrix& m) {
  const float width = m.rect.w / static_cast<float>(m.columns);
  const float height = m.rect.h / static_cast<float>(m.rows);
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < m.columns; ++j)
      if (const auto value = m.at(i, j))
        pen.text({m.rect.x + width * (static_cast<float>(j) + 0.5F),
                  m.rect.y + height * (static_cast<float>(i) + 0.5F)},
                 digits(*value), {pen.theme.text, kDigitSize, Align::center, Face::mono});
}

}  // namespace

bool draw_product_numbers(Pen& pen, const GridContext& c, const ProductPicture& picture,
                          const ProductPlaces& places) {
  const Summed summed(c, picture);
  const SmallFactors& of = *c.input.factors;
  const Matrix matrices[] = {
      {places.left, picture.m, picture.k,
       [&](int64_t i, int64_t k) { return of.lhs[static_cast<size_t>(i * picture.k + k)]; }},
      {places.above, picture.k, picture.n,
       [&](int64_t k, int64_t j) { return of.rhs[static_cast<size_t>(k * picture.n + j)]; }},
      {places.corner, picture.m, picture.n, [&](int64_t i, int64_t j) { return summed.at(i, j); }}};
  if (!std::ranges::all_of(matrices, [&](const Matrix& m) { return has_room(pen, m); })) return false;
  for (const Matrix& m : matrices) write(pen, m);
  return true;
}

}  // namespace shardscope::inline views
