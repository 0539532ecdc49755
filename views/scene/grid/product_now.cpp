// SPDX-License-Identifier: Apache-2.0
#include "views/scene/grid/product_now.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/story/index_sets.h"
#include "views/scene/story/travels.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostNamedBlocks = 4;

const StoryArray& array_of(const Story& story, int32_t array) {
  return story.arrays()[static_cast<size_t>(array)];
}

// More than can be told apart on a screen: neighbours are drawn together.
constexpr size_t kMostRanges = 64;
constexpr int64_t kMostFollowed = 4096;

int64_t size_of(const StoryArray& array, const std::vector<size_t>& dims) {
  int64_t out = 1;
  for (const size_t d : dims) out *= array.dims[d];
  return out;
}

IndexRanges with_few(const IndexRanges& all) {
  if (all.size() <= kMostRanges) return all;
  IndexRanges out;
  const size_t each = (all.size() + kMostRanges - 1) / kMostRanges;
  for (size_t from = 0; from < all.size(); from += each)
    out.push_back({all[from].start, all[std::min(from + each, all.size()) - 1].stop});
  return out;
}

// Of a box those dimensions, flattened, the first the slowest.
IndexRanges flattened(const StoryArray& array, const IndexBox& box, const std::vector<size_t>& dims) {
  IndexRanges out{{0, 1}};
  int64_t inner = 1;  // elements of those that are flattened already
  for (size_t i = dims.size(); i-- > 0;) {
    const IndexRange& range = box[dims[i]];
    if (out.size() == 1 && out[0] == IndexRange{0, inner}) {
      out[0] = {range.start * inner, range.stop * inner};
    } else if (range.size() * std::ssize(out) > kMostFollowed) {
      out = {{range.start * inner + out.front().start, (range.stop - 1) * inner + out.back().stop}};
    } else {
      const IndexRanges one = out;
      out.clear();
      for (int64_t at = range.start; at < range.stop; ++at)
        for (const IndexRange& each : one) out.push_back({at * inner + each.start, at * inner + each.stop});
    }
    inner *= array.dims[dims[i]];
  }
  return out;
}

// A factor's dimensions: those that only it gives the product, by the product's, and those that both do.
struct FactorDims {
  std::vector<size_t> free, batch;
  std::vector<int32_t> made;  // by `free`: the product's
};
FactorDims dims_of(const std::vector<int32_t>& dims, const std::vector<int32_t>& others) {
  FactorDims out;
  std::vector<std::pair<int32_t, size_t>> all;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] >= 0) all.emplace_back(dims[d], d);
  std::ranges::sort(all);
  for (const auto& [made, d] : all) {
    const bool shared = std::ranges::find(others, made) != others.end();
    (shared ? out.batch : out.free).push_back(d);
    if (!shared) out.made.push_back(made);
  }
  return out;
}

// Those that are summed over, in the order of terms; none: some of them have no place in it.
std::optional<std::vector<size_t>> summed_of(const std::vector<int32_t>& dims) {
  std::vector<std::pair<int32_t, size_t>> all;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] < 0) all.emplace_back(-1 - dims[d], d);
  std::ranges::sort(all);
  std::vector<size_t> out;
  for (const auto& [place, d] : all) {
    if (place != static_cast<int32_t>(out.size())) return std::nullopt;
    out.push_back(d);
  }
  return out;
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

std::vector<MatrixPart> drawn(const ProductPicture& picture, const IndexRanges& down,
                              const IndexRanges& right, const IndexBox& batch) {
  std::vector<MatrixPart> out;
  for (size_t d = 0; d < batch.size(); ++d)
    if (picture.batch_at[d] < batch[d].start || picture.batch_at[d] >= batch[d].stop) return out;
  for (const IndexRange& each : with_few(down))
    for (const IndexRange& other : with_few(right)) out.push_back({each, other});
  return out;
}

IndexBox picked(const IndexBox& box, const std::vector<size_t>& dims) {
  IndexBox out;
  for (const size_t d : dims) out.push_back(box[d]);
  return out;
}

int64_t common_count(const IndexBox& a, const IndexBox& b) {
  int64_t out = 1;
  for (size_t d = 0; d < a.size(); ++d) out *= count_of(common({a[d]}, {b[d]}));
  return out;
}

// What a product has of a factor: by the factor's own dimensions, those of the batch, and of the sum.
struct Share {
  IndexBox own, batch;
  IndexRanges k;
  bool operator==(const Share&) const = default;
};

void add_new(Share share, std::vector<Share>& to) {
  if (!std::ranges::count(to, share)) to.push_back(std::move(share));
}

void append(const std::vector<MatrixPart>& parts, std::vector<MatrixPart>& to) {
  to.insert(to.end(), parts.begin(), parts.end());
}

// The blocks that parts of a matrix touch, by name, and whether these are all of them.
struct Touched {
  std::string names;
  bool whole = true;
  std::string text() const { return whole ? names : say("part of {}", names); }
};
Touched touched_by(const Story& story, const PictureMatrix& matrix, bool is_left,
                   const std::vector<Share>& shares) {
  const StoryArray& array = array_of(story, matrix.array);
  const std::vector<size_t>&own = is_left ? matrix.down : matrix.right,
        &summed = is_left ? matrix.right : matrix.down;
  std::vector<BlockPart> touched;
  bool whole = true;
  for (int64_t block = 0; block < array.block_count(); ++block) {
    const IndexBox box = array.block_box(block);
    const IndexRanges k = flattened(array, box, summed);
    int64_t inside = 0;
    for (const Share& share : shares)
      inside += common_count(share.own, picked(box, own)) *
                common_count(share.batch, picked(box, matrix.batch)) * count_of(common(share.k, k));
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
  if (!made.product || made.is_local()) return std::nullopt;
  const ProductOf& of = *made.product;
  const StoryArray &one = array_of(story, of.first), &other = array_of(story, of.second);
  if (one.is_local() || other.is_local() || one.dims.size() != of.first_dims.size() ||
      other.dims.size() != of.second_dims.size())
    return std::nullopt;
  const auto first_summed = summed_of(of.first_dims), second_summed = summed_of(of.second_dims);
  if (!first_summed || !second_summed) return std::nullopt;
  const FactorDims first = dims_of(of.first_dims, of.second_dims);
  const FactorDims second = dims_of(of.second_dims, of.first_dims);
  // What is stored as its transpose is drawn as it is meant; a vector stands above.
  bool first_left = second.made.empty() || !first.made.empty();
  if (!first.made.empty() && !second.made.empty())
    first_left = (first.made.front() < second.made.front()) != made.transposed;
  const auto matrix = [&](bool is_first, bool is_left) {
    const FactorDims& dims = is_first ? first : second;
    const std::vector<size_t>& summed = is_first ? *first_summed : *second_summed;
    PictureMatrix out{is_first ? of.first : of.second, dims.free, summed, dims.batch};
    if (!is_left) std::swap(out.down, out.right);
    out.rows = size_of(array_of(story, out.array), out.down);
    out.columns = size_of(array_of(story, out.array), out.right);
    return out;
  };
  ProductPicture out;
  out.left = matrix(first_left, true);
  out.above = matrix(!first_left, false);
  const FactorDims &left = first_left ? first : second, &above = first_left ? second : first;
  out.corner = {array, {left.made.begin(), left.made.end()}, {above.made.begin(), above.made.end()}, {}};
  for (const size_t d : first.batch) {
    out.corner.batch.push_back(static_cast<size_t>(of.first_dims[d]));
    out.batch.push_back(one.dims[d]);
  }
  out.corner.rows = out.m = size_of(made, out.corner.down);
  out.corner.columns = out.n = size_of(made, out.corner.right);
  out.k = out.left.columns;
  for (const size_t d : out.left.right) out.k_sizes.push_back(array_of(story, out.left.array).dims[d]);
  out.batch_at.assign(out.batch.size(), 0);
  const bool fits = out.left.rows == out.m && out.above.columns == out.n && out.above.rows == out.k &&
                    first.batch.size() == second.batch.size();
  return fits ? std::optional(std::move(out)) : std::nullopt;
}

std::vector<MatrixPart> parts_of_box(const Story& story, const ProductPicture& picture,
                                     const PictureMatrix& matrix, const IndexBox& box) {
  const StoryArray& array = array_of(story, matrix.array);
  return drawn(picture, flattened(array, box, matrix.down), flattened(array, box, matrix.right),
               picked(box, matrix.batch));
}

void look_at_batch(const Story& story, const ProductNow& now, ProductPicture& picture) {
  for (const PieceId id : now.made) {
    const Piece& piece = story.piece(id);
    if (piece.array != picture.corner.array || piece.index.empty()) continue;
    for (size_t d = 0; d < picture.batch_at.size(); ++d)
      picture.batch_at[d] = piece.index.front()[picture.corner.batch[d]].start;
    return;
  }
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
  std::vector<Share> left, above;
  std::string terms;
  for (const PieceId id : now.made) {
    const Piece& piece = story.piece(id);
    if (piece.array != picture.corner.array) continue;
    out.any = true;
    const IndexRanges all{{0, picture.k}};
    const IndexRanges& k = piece.terms.empty() ? all : piece.terms;
    out.k = united(out.k, k);
    for (const IndexBox& box : piece.index) {
      const PictureMatrix& corner = picture.corner;
      const IndexBox batch = picked(box, corner.batch);
      const IndexRanges down = flattened(array_of(story, corner.array), box, corner.down);
      const IndexRanges right = flattened(array_of(story, corner.array), box, corner.right);
      append(drawn(picture, down, right, batch), out.corner);
      append(drawn(picture, down, k, batch), out.left);
      append(drawn(picture, k, right, batch), out.above);
      add_new({picked(box, corner.down), batch, k}, left);
      add_new({picked(box, corner.right), batch, k}, above);
    }
    for (const std::string& name : names_of(story, story.blocks_of(id))) sums.push_back(name);
    if (terms.empty()) terms = long_terms(story, id);
  }
  for (std::vector<MatrixPart>* parts : {&out.left, &out.above, &out.corner}) {
    std::ranges::sort(*parts, {}, [](const MatrixPart& p) { return std::pair(p.down, p.right); });
    parts->erase(std::unique(parts->begin(), parts->end()), parts->end());
  }
  const Touched of_left = touched_by(story, picture.left, true, left);
  const Touched of_above = touched_by(story, picture.above, false, above);
  const std::string made = join(sums, " ");
  const std::string parts = fmt::format("{} × {} → {}", of_left.text(), of_above.text(), made);
  if (!terms.empty() && count_of(out.k) < picture.k) out.wordings.push_back(parts + ", " + terms);
  out.wordings.push_back(parts);
  if (!of_left.whole || !of_above.whole)
    out.wordings.push_back(fmt::format("{} × {} → {}", of_left.names, of_above.names, made));
  return out;
}

}  // namespace shardscope::inline views
