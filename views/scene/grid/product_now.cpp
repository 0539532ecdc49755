// SPDX-License-Identifier: Apache-2.0
#include "views/scene/grid/product_now.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/story/index_sets.h"
#include "views/scene/story/travels.h"

namespace shardscope {
namespace {

constexpr size_t kMostNamedBlocks = 4;

const StoryArray& array_of(const Story& story, int32_t array) {
  return story.arrays()[static_cast<size_t>(array)];
}

bool is_matrix(const StoryArray& array) {
  return array.dims.size() == 2 && !array.is_local();
}

// The one dimension of a factor that its product has; none: it has none, or several.
std::optional<size_t> kept_dimension(const std::vector<int32_t>& dims) {
  if (dims.size() != 2 || (dims[0] < 0) == (dims[1] < 0)) return std::nullopt;
  return dims[0] < 0 ? 1 : 0;
}

bool is_product(const Event& event) {
  return event.kind == EventKind::compute && event.flops > 0;
}

// Later calls for a device take the place of earlier ones.
void add(const Story& story, int32_t event, std::map<int32_t, ProductNow>& out) {
  const Event& e = story.timeline().events[static_cast<size_t>(event)];
  const auto made = story.made(event);
  if (is_product(e) && !made.empty()) out[e.device] = {event, e.device, {made.begin(), made.end()}};
}

int32_t drawable_array(const Story& story, std::span<const PieceId> made) {
  for (const PieceId id : made)
    if (picture_of_product(story, story.piece(id).array)) return story.piece(id).array;
  return -1;
}

int32_t drawable_array(const Story& story, const Beat& beat) {
  for (const int32_t e : beat.events) {
    if (!is_product(story.timeline().events[static_cast<size_t>(e)])) continue;
    if (const int32_t array = drawable_array(story, story.made(e)); array >= 0) return array;
  }
  return -1;
}

// The blocks that parts of a matrix touch, by name, and whether these are all of them.
struct Touched {
  std::string names;
  bool whole = true;
  std::string text() const { return whole ? names : say("part of {}", names); }
};
Touched touched_by(const Story& story, const PictureMatrix& matrix, const std::vector<MatrixPart>& parts) {
  const StoryArray& array = array_of(story, matrix.array);
  std::vector<BlockPart> touched;
  bool whole = true;
  for (int64_t block = 0; block < array.block_count(); ++block) {
    const IndexBox box = array.block_box(block);
    int64_t inside = 0;
    for (const MatrixPart& part : parts)
      inside += count_of(common({part.down}, {box[matrix.down]})) *
                count_of(common({part.right}, {box[matrix.right()]}));
    if (inside == 0) continue;
    touched.push_back({matrix.array, block, 1, 1});
    whole = whole && inside == elements_of(box);
  }
  std::vector<std::string> names = names_of(story, std::move(touched));
  if (names.size() > kMostNamedBlocks) names = {say("{} blocks of {}", names.size(), array.name)};
  return {join(names, " "), whole};
}

}  // namespace

std::optional<ProductPicture> picture_of_product(const Story& story, int32_t array) {
  if (array < 0) return std::nullopt;
  const StoryArray& made = array_of(story, array);
  if (!made.product || !is_matrix(made)) return std::nullopt;
  const ProductOf& of = *made.product;
  const auto first = kept_dimension(of.first_dims), second = kept_dimension(of.second_dims);
  if (!first || !second || !is_matrix(array_of(story, of.first)) || !is_matrix(array_of(story, of.second)))
    return std::nullopt;
  ProductPicture out;
  out.corner = {array, made.transposed ? size_t{1} : size_t{0}};
  const bool first_left = of.first_dims[*first] == static_cast<int32_t>(out.corner.down);
  out.left = {first_left ? of.first : of.second, first_left ? *first : *second};
  out.above = {first_left ? of.second : of.first, 1 - (first_left ? *second : *first)};
  out.m = made.dims[out.corner.down];
  out.n = made.dims[out.corner.right()];
  out.k = array_of(story, out.left.array).dims[out.left.right()];
  return out;
}

std::vector<ProductNow> products_at(const Story& story, Picoseconds time) {
  std::map<int32_t, ProductNow> found;
  for (const int32_t beat : beats_ending(story, time))
    for (const int32_t e : story.beats()[static_cast<size_t>(beat)].events) add(story, e, found);
  for (const Beat& beat : story.beats()) {
    if (beat.transfer_step >= 0 || beat.start >= time || time > beat.end) continue;
    for (const int32_t e : beat.events) {
      const Event& event = story.timeline().events[static_cast<size_t>(e)];
      if (event.start < time && time <= event.end) add(story, e, found);
    }
  }
  std::vector<ProductNow> out;
  for (auto& [device, now] : found) out.push_back(std::move(now));
  return out;
}

int32_t array_multiplied(const Story& story, const std::vector<ProductNow>& now, Picoseconds time) {
  for (const ProductNow& each : now)
    if (const int32_t array = drawable_array(story, each.made); array >= 0) return array;
  int32_t last = -1;
  for (const Beat& beat : story.beats()) {
    if (last >= 0 && beat.end > time) break;
    if (const int32_t array = drawable_array(story, beat); array >= 0) last = array;
  }
  return last;
}

ProductParts parts_of(const Story& story, const ProductPicture& picture, const ProductNow& now) {
  ProductParts out;
  std::vector<std::string> sums;
  std::string terms;
  for (const PieceId id : now.made) {
    const Piece& piece = story.piece(id);
    if (piece.array != picture.corner.array) continue;
    const IndexRanges all{{0, picture.k}};
    const IndexRanges& k = piece.terms.empty() ? all : piece.terms;
    out.k = united(out.k, k);
    for (const IndexBox& box : piece.index) {
      const IndexRange& down = box[picture.corner.down];
      const IndexRange& right = box[picture.corner.right()];
      out.corner.push_back({down, right});
      for (const IndexRange& range : k) {
        out.left.push_back({down, range});
        out.above.push_back({range, right});
      }
    }
    for (const std::string& name : names_of(story, story.blocks_of(id))) sums.push_back(name);
    if (terms.empty()) terms = long_terms(story, id);
  }
  for (std::vector<MatrixPart>* parts : {&out.left, &out.above, &out.corner}) {
    std::ranges::sort(*parts, {}, [](const MatrixPart& p) { return std::pair(p.down, p.right); });
    parts->erase(std::unique(parts->begin(), parts->end()), parts->end());
  }
  const Touched left = touched_by(story, picture.left, out.left);
  const Touched above = touched_by(story, picture.above, out.above);
  const std::string made = join(sums, " ");
  const std::string parts = fmt::format("{} × {} → {}", left.text(), above.text(), made);
  if (!terms.empty() && count_of(out.k) < picture.k) out.wordings.push_back(parts + ", " + terms);
  out.wordings.push_back(parts);
  if (!left.whole || !above.whole)
    out.wordings.push_back(fmt::format("{} × {} → {}", left.names, above.names, made));
  return out;
}

}  // namespace shardscope
