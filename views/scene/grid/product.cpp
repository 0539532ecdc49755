// SPDX-License-Identifier: Apache-2.0
// X to the left, W above, Y in the corner: which block times which is added to which.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "views/scene/grid/product_parts.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/found_once.h"
#include "views/scene/story/now.h"
#include "views/scene/story/travels.h"

namespace shardscope::inline views {
namespace {

constexpr float kLeastLength = 40;        // of a dimension, at 100 %
constexpr float kLabel = 1.4F;            // of a letter: a line of words beside a matrix
constexpr float kLeastList = 110;         // of the list beside them
constexpr size_t kMostOutlinedParts = 8;  // parts of a matrix that a device has which is not looked at
constexpr int64_t kMostBlocks = 4096;     // of an array; more are not drawn one by one

// Lengths of m, k and n that fill `room` together, none below `least`.
struct Lengths {
  float m = 0, k = 0, n = 0;
  bool true_to_scale = true;
};

Lengths lengths_of(const ProductPicture& p, Point room, const Lengths& least) {
  const auto m = static_cast<float>(p.m), k = static_cast<float>(p.k), n = static_cast<float>(p.n);
  Lengths out;
  float scale = std::min(room.x / (k + n), room.y / (k + m));
  for (int again = 0; again < 3; ++again) {
    out = {std::max(m * scale, least.m), std::max(k * scale, least.k), std::max(n * scale, least.n), true};
    const float over = std::max((out.k + out.n) / room.x, (out.k + out.m) / room.y);
    if (over > 1) scale /= over;
  }
  out.true_to_scale = m * scale >= least.m && k * scale >= least.k && n * scale >= least.n;
  return out;
}

int32_t looked_at(const Selection& selection, const std::vector<ProductNow>& now, int64_t devices) {
  for (const ItemId* item : {&selection.hovered, &selection.selected})
    if (item->device >= 0 && item->device < devices) return item->device;
  return now.empty() ? 0 : now.front().device;
}

class ProductDrawing {
 public:
  ProductDrawing(Pen& pen, const GridContext& c, const ProductPicture& picture, const ProductViewport& at)
      : pen_(pen), c_(c), picture_(picture), at_(at) {
    for (const ProductNow& now : products_at(c.story, c.selection.time))
      if (ProductParts parts = parts_of(c.story, picture, now); parts.any)
        now_.push_back({now, std::move(parts)});
  }

  void draw() {
    const float margin = pen_.px(16), line = pen_.px(24);
    const float foot = pen_.theme.presented() || pen_.canvas.height < pen_.px(420) ? 0 : pen_.px(52);
    Rect body{margin, pen_.px(10) + line, pen_.canvas.width - 2 * margin, 0};
    body.h = pen_.canvas.height - foot - body.y - pen_.px(8);
    const ProductList list(pen_, c_, rows(), body.h);
    const Split split = split_for(list, body);
    place(split.matrices);
    draw_head({margin, pen_.px(6), pen_.canvas.width - 2 * margin, line});
    pen_.scene.push_clip({0, body.y, split.matrices.right(), split.matrices.h});
    draw_matrices();
    pen_.scene.pop_clip();
    sign_nameless();
    list.draw(split.list, split.columns);
    if (foot > 0)
      draw_grid_legend(pen_, c_, {margin, pen_.canvas.height - foot, pen_.canvas.width - 2 * margin, foot});
  }

 private:
  struct Drawn {
    ProductNow now;
    ProductParts parts;
  };

  const StoryArray& array(const PictureMatrix& matrix) const {
    return c_.story.arrays()[static_cast<size_t>(matrix.array)];
  }

  void draw_head(const Rect& line) {
    const std::string what = fmt::format("{} = {} · {}", array(picture_.corner).name,
                                         array(picture_.left).name, array(picture_.above).name) +
                             batch_words(picture_);
    const float y = line.y + line.h / 2;
    float right = line.right();
    if (c_.input.factors != nullptr) right = draw_switch({line.x, line.y, line.w, line.h}) - pen_.px(16);
    pen_.text({line.x, y}, what, {pen_.theme.text, 1.1F, Align::left, Face::bold});
    const float left = line.x + pen_.width(what, 1.1F, Face::bold) + pen_.px(16);
    const std::string clock = clock_text(c_.input, c_.selection);
    const std::string scale = places_.true_to_scale ? "" : said(" · short sides are drawn longer");
    const std::string device = say("device {}", device_name(c_.input.run.program.mesh, c_.device));
    pen_.text({left, y},
              pen_.fitting({device + " · " + clock + scale, device + " · " + clock, device}, right - left),
              {pen_.theme.muted_text, 1, Align::left});
  }

  // Returns where it begins.
  float draw_switch(const Rect& line) {
    const std::string word = at_.numbers ? said("hide the numbers") : said("numbers");
    const float width = pen_.width(word) + pen_.px(16);
    const Rect box{line.right() - width, line.y, width, line.h};
    const int32_t id = pen_.id({.kind = ItemId::Kind::handle, .lane = kNumbersHandle});
    pen_.rect(box, pen_.theme.panel, id);
    pen_.outline(box, pen_.theme.rule, 1, id);
    pen_.text({box.x + box.w / 2, box.y + box.h / 2}, word, {pen_.theme.text, 1, Align::center});
    pen_.accessible(box, id, at_.numbers ? said("hide the numbers") : said("show the numbers of X, W and Y"));
    return box.x;
  }

  // --- the list of what devices do

  std::vector<ProductRow> rows() const {
    std::vector<ProductRow> out;
    const Mesh& mesh = c_.input.run.program.mesh;
    for (const Drawn& drawn : now_) {
      out.push_back({drawn.now.device, drawn.now.event, {}});
      for (const std::string& words : drawn.parts.wordings)
        out.back().wordings.push_back(device_name(mesh, drawn.now.device) + "  " + words);
      // Its colour says whose it is.
      out.back().wordings.push_back(drawn.parts.wordings.back());
    }
    return out.empty() ? rows_of_travels(c_) : out;
  }

  // The list beside the matrices or below them, as lets these be larger.
  struct Split {
    Rect matrices, list;
    size_t columns = 1;  // of the list
  };
  Split split_for(const ProductList& list, const Rect& body) const {
    const Lengths least = least_lengths();
    const float gap = pen_.px(20), needed = least.k + least.n + pen_.px(12);
    float beside = std::min(list.width(), body.w * 0.45F);
    // Before a class the matrices come first, and the list takes fewer letters.
    if (pen_.theme.presented())
      beside = std::min(beside, std::max(pen_.px(kLeastList), body.w - needed - gap));
    const auto columns = static_cast<size_t>(std::max(1.0F, body.w / list.width()));
    const float low = list.height(columns);
    const auto scale = [&](float w, float h) {
      return std::min(w / static_cast<float>(picture_.k + picture_.n),
                      h / static_cast<float>(picture_.k + picture_.m));
    };
    const bool presented = pen_.theme.presented();
    const bool fits_beside = !presented || needed <= body.w - beside - gap + 1;
    const bool fits_below =
        !presented || least.k + least.m + 3 * kLabel * pen_.text_px() <= body.h - low - gap + 1;
    if (fits_beside &&
        (!fits_below || scale(body.w - beside - gap, body.h) >= scale(body.w, body.h - low - gap)))
      return {{body.x, body.y, body.w - beside - gap, body.h},
              {body.right() - beside, body.y, beside, body.h},
              1};
    return {
        {body.x, body.y, body.w, body.h - low - gap}, {body.x, body.bottom() - low, body.w, low}, columns};
  }

  // --- the matrices

  void place(const Rect& area) {
    const float label = pen_.text_px() * kLabel, gap = pen_.px(12);
    const Point room{std::max(10.0F, area.w - gap), std::max(10.0F, area.h - 2 * label - label)};
    Lengths of = lengths_of(picture_, room, least_lengths());
    const float zoom = std::max(0.1F, at_.zoom);
    const Point from{area.x + at_.pan.x, area.y * zoom + at_.pan.y};
    of = {of.m * zoom, of.k * zoom, of.n * zoom, of.true_to_scale};
    const float x = from.x, y = from.y + label;
    places_.true_to_scale = of.true_to_scale;
    places_.above = {x + of.k + gap, y, of.n, of.k};
    places_.left = {x, y + of.k + label, of.k, of.m};
    places_.corner = {x + of.k + gap, y + of.k + label, of.n, of.m};
  }

  // Before a class every block has room for its name, and one of a sum for how far it is.
  Lengths least_lengths() const {
    const float least = pen_.px(kLeastLength);
    if (!pen_.theme.presented()) return {least, least, least, true};
    const auto count = [&](const PictureMatrix& matrix, const std::vector<size_t>& dims) {
      float out = 1;
      for (const size_t d : dims) out *= static_cast<float>(array(matrix).counts[d]);
      return out;
    };
    const float name = pen_.px(27), line = pen_.px(17), lines = pen_.px(37);
    return {std::max({least, count(picture_.left, picture_.left.down) * line,
                      count(picture_.corner, picture_.corner.down) * lines}),
            std::max({least, count(picture_.left, picture_.left.right) * name,
                      count(picture_.above, picture_.above.down) * line}),
            std::max({least, count(picture_.above, picture_.above.right) * name,
                      count(picture_.corner, picture_.corner.right) * name}),
            true};
  }

  void draw_matrices() {
    draw_fold();
    draw_matrix(picture_.left, places_.left);
    draw_matrix(picture_.above, places_.above);
    draw_matrix(picture_.corner, places_.corner);
    draw_titles();
    for (const Drawn& drawn : now_)
      if (drawn.now.device != c_.device) draw_product(drawn, false);
    for (const Drawn& drawn : now_)
      if (drawn.now.device == c_.device) draw_product(drawn, true);
    if (now_.empty()) draw_travels();
    if (!at_.numbers || c_.input.factors == nullptr) return;
    if (draw_product_numbers(pen_, c_, picture_, places_)) return;
    pen_.text({places_.left.x, places_.left.y - pen_.px(10)}, said("zoom in to read the numbers"),
              {pen_.theme.warning, 1, Align::left});
  }

  void draw_matrix(const PictureMatrix& matrix, const Rect& in) {
    const StoryArray& of = array(matrix);
    const auto places = [&](const IndexBox& box) {
      std::vector<Rect> out;
      for (const MatrixPart& part : parts_of_box(c_.story, picture_, matrix, box))
        out.push_back(place_of(part, matrix, in));
      return out;
    };
    for (int64_t block = 0; block < std::min(of.block_count(), kMostBlocks); ++block) {
      bool named = false, any = false;
      for (Rect r : places(of.block_box(block))) {
        if (r.w > 6) r.w -= 1;
        if (r.h > 6) r.h -= 1;
        any = true;
        if (at_.numbers && c_.input.factors != nullptr)
          draw_ground(matrix, block, r);
        else
          named = draw_grid_block(pen_, c_, {matrix.array, block}, r, places) || named;
      }
      if (any && !named && !at_.numbers) ++nameless_;
    }
    pen_.outline(in.inset(-1), pen_.theme.rule, 1);
  }

  // Before a class: blocks without room for their names.
  void sign_nameless() {
    if (!pen_.theme.presented() || nameless_ == 0) return;
    const Rect fold{places_.left.x, places_.above.y, places_.left.w, places_.above.h};
    const std::string text =
        pen_.fitting({"+" + counted(nameless_, "name"), fmt::format("+{}", nameless_), "+"}, fold.w, 0.85F);
    pen_.text({fold.x + fold.w / 2, fold.y + fold.h / 2}, text, {pen_.theme.warning, 0.85F, Align::center});
  }

  // Behind numbers: the owner's colour, paler.
  void draw_ground(const PictureMatrix& matrix, int64_t block, const Rect& r) {
    const std::vector<int32_t>& owners = array(matrix).owners[static_cast<size_t>(block)];
    const bool absent = c_.now.holders(matrix.array, block).empty();
    const Color owner =
        device_look(pen_.theme, c_.input.run.program.mesh, owners.empty() ? 0 : owners.front()).fill;
    const int32_t id =
        pen_.id({.kind = ItemId::Kind::block, .lane = matrix.array, .index = static_cast<int32_t>(block)});
    pen_.rect(r, absent ? pen_.theme.panel : mixed(owner, pen_.theme.background, 0.7), id);
    pen_.outline(r, owner, 1.5F, id);
    pen_.mark(absent ? Mark::absent : Mark::owner, r);
    pen_.accessible(r, id, c_.now.block_words(matrix.array, block));
  }

  void draw_titles() {
    const float up = pen_.text_px() * 0.7F;
    const auto title = [&](const PictureMatrix& matrix, Point at, float room) {
      const StoryArray& of = array(matrix);
      const std::string shape = of.name + " " + shape_words(of, matrix);
      const std::string spec = of.sharding ? " " + of.sharding->spec().text() : "";
      pen_.text(at, pen_.fitting({shape + spec, shape, of.name}, room), {pen_.theme.text, 1, Align::left});
    };
    title(picture_.left, {places_.left.x, places_.left.y - up}, places_.left.w);
    title(picture_.above, {places_.above.x, places_.above.y - up}, places_.above.w);
    title(picture_.corner, {places_.corner.x, places_.corner.bottom() + up}, places_.corner.w);
  }

  // k goes to the right in one factor and down in the other: the diagonal leads from one to the other.
  void draw_fold() {
    const Rect fold{places_.left.x, places_.above.y, places_.left.w, places_.above.h};
    pen_.scene.add(LineItem{{{fold.x, fold.y}, {fold.right(), fold.bottom()}}, pen_.theme.rule, 1, true});
    for (const Drawn& drawn : now_) {
      if (drawn.now.device != c_.device) continue;
      for (const IndexRange& k : drawn.parts.k) {
        const auto part = [&](int64_t at) { return static_cast<float>(at) / static_cast<float>(picture_.k); };
        const float x0 = fold.x + fold.w * part(k.start), x1 = fold.x + fold.w * part(k.stop);
        const float y0 = fold.y + fold.h * part(k.start), y1 = fold.y + fold.h * part(k.stop);
        const Color color = with_alpha(pen_.theme.selection, 0.10);
        pen_.rect({x0, y0, x1 - x0, fold.bottom() - y0}, color);
        pen_.rect({x1, y0, fold.right() - x1, y1 - y0}, color);
      }
    }
    const float size = pen_.text_px() * 1.3F;
    if (fold.w < 3 * size || fold.h < 3 * size) return;
    pen_.text({fold.x + pen_.px(4), fold.bottom() - pen_.text_px()},
              pen_.fitting({k_words(picture_) + " →", "k →"}, fold.w - pen_.px(8)),
              {pen_.theme.muted_text, 1, Align::left});
    pen_.text({fold.right() - pen_.px(4), fold.y + pen_.text_px()},
              pen_.fitting({k_words(picture_) + " ↓", "k ↓"}, fold.w - pen_.px(8)),
              {pen_.theme.muted_text, 1, Align::right});
  }

  void draw_product(const Drawn& drawn, bool looked) {
    const int32_t id = pen_.id(event_item(c_.input, drawn.now.event));
    const auto outline = [&](const PictureMatrix& matrix, const std::vector<MatrixPart>& parts,
                             const Rect& in) {
      if (!looked && parts.size() > kMostOutlinedParts) return;
      for (const MatrixPart& part : parts) draw_part(place_of(part, matrix, in), looked, id);
    };
    outline(picture_.left, drawn.parts.left, places_.left);
    outline(picture_.above, drawn.parts.above, places_.above);
    outline(picture_.corner, drawn.parts.corner, places_.corner);
  }

  // A thin strip is filled, so that its edges do not hide it.
  void draw_part(const Rect& part, bool looked, int32_t id) {
    const float thin = std::min(part.w, part.h);
    const Color color = looked ? pen_.theme.selection : with_alpha(pen_.theme.text, 0.6);
    RectItem item;
    item.rect = part;
    item.fill = with_alpha(pen_.theme.selection, looked && thin < pen_.px(14) ? 0.45 : 0);
    item.border = color;
    item.border_width = std::clamp(thin / 6, 0.5F, looked ? pen_.px(4) : pen_.px(1.5F));
    item.id = id;
    pen_.scene.add(item);
  }

  // What the device that is looked at sends instead.
  void draw_travels() {
    for (const Travel& travel : travels_at(c_.input, c_.selection.time)) {
      if (travel.event < 0 || travel.hop.device != c_.device) continue;
      for (const Carried& carried : c_.story.carried(travel.event)) {
        if (carried.piece < 0) continue;
        const Piece& piece = c_.story.piece(carried.piece);
        for (const auto& [matrix, in] : {std::pair{picture_.left, places_.left},
                                         {picture_.above, places_.above},
                                         {picture_.corner, places_.corner}}) {
          if (piece.array != matrix.array) continue;
          for (const IndexBox& box : piece.index)
            for (const MatrixPart& part : parts_of_box(c_.story, picture_, matrix, box))
              draw_dashed(place_of(part, matrix, in), pen_.id(event_item(c_.input, travel.event)));
        }
      }
    }
  }

  void draw_dashed(const Rect& r, int32_t id) {
    const Rect in = r.inset(pen_.px(2));
    const Point first{in.x, in.y}, last{in.right(), in.bottom()};
    LineItem line{{first, {last.x, first.y}, last, {first.x, last.y}, first}, pen_.theme.selection, 2, true};
    line.id = id;
    pen_.scene.add(line);
  }

  Pen& pen_;
  const GridContext& c_;
  const ProductPicture& picture_;
  const ProductViewport& at_;
  ProductPlaces places_;
  int64_t nameless_ = 0;
  std::vector<Drawn> now_;
};

}  // namespace

Rect place_of(const MatrixPart& part, const PictureMatrix& matrix, const Rect& in) {
  const auto at = [](int64_t index, int64_t size) {
    return static_cast<float>(static_cast<double>(index) / static_cast<double>(std::max<int64_t>(1, size)));
  };
  const float x0 = at(part.right.start, matrix.columns), x1 = at(part.right.stop, matrix.columns);
  const float y0 = at(part.down.start, matrix.rows), y1 = at(part.down.stop, matrix.rows);
  return {in.x + in.w * x0, in.y + in.h * y0, in.w * (x1 - x0), in.h * (y1 - y0)};
}

Scene layout_product(const ViewInput& input, const ProductViewport& viewport, const Selection& selection,
                     const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const std::string what = said("Product shows which block times which is added to which");
  if (input.story == nullptr) {
    pen.empty_state(what, why_untold(input));
    return scene;
  }
  const Story& story = *input.story;
  const std::vector<ProductNow> now = products_at(story, selection.time);
  auto picture = picture_of_product(story, array_multiplied(story, now, selection.time));
  if (!picture) {
    pen.empty_state(what, said("No step of this program multiplies two arrays that are known as a whole."));
    return scene;
  }
  const GridViewport plain;
  const GridContext c{input,
                      plain,
                      selection,
                      story,
                      held_now(input, selection.time),
                      looked_at(selection, now, input.run.program.mesh.device_count())};
  for (const ProductNow& each : now)
    if (each.device == c.device) look_at_batch(story, each, *picture);
  ProductDrawing(pen, c, *picture, viewport).draw();
  return scene;
}

}  // namespace shardscope::inline views
