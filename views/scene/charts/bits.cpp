// SPDX-License-Identifier: Apache-2.0
// The bit microscope: the element that decides a comparison, its partial sums on the grid of their type, and
// what each rounding loses.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/run/sum_steps.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {
namespace {

constexpr int kMostCut = 14;         // binary digits that are shown beyond the type's own
constexpr double kNeighbours = 2.5;  // of the grid, to each side of a number
constexpr float kValueRow = 74, kLeastValueRow = 56;

std::string number_text(double value) {
  return fmt::format("{:.6g}", value);
}

std::string ulps_text(const SumStep& step) {
  return fmt::format("{:+.2f} ulp", step.ulps());
}

// "sum 1 is stored", "the running sum, with sum 1 added"
std::string what_text(const SumStep& step) {
  return step.adds ? say("sum {} is added", step.addend) : say("sum {} is stored", step.addend);
}

std::string step_words(const SumStep& step, ElementType type) {
  return say("{}: {} becomes {} in {}, {}", what_text(step), number_text(step.exact),
             number_text(step.stored), name(type), ulps_text(step));
}

// The digits that the type keeps, and behind a line those that it drops.
void draw_digits(Pen& pen, const SumStep& step, ElementType type, const Rect& box) {
  const BinaryDigits digits = digits_in(type, step.exact, kMostCut);
  if (digits.kept.empty()) return;
  const std::string kept = (digits.negative ? "−" : "+") + digits.kept;
  const std::string power = fmt::format(" ·2^{}", digits.exponent);
  const float y = box.y + box.h / 2, width = pen.width(kept, 1, Face::mono_bold);
  pen.text({box.x, y}, kept, {pen.theme.text, 1, Align::left, Face::mono_bold});
  pen.line({box.x + width + pen.px(2), box.y}, {box.x + width + pen.px(2), box.bottom()}, pen.theme.warning,
           pen.px(1.5F));
  const float rest = box.w - width - pen.px(6) - pen.width(power, 1, Face::mono);
  std::string cut = pen.elided(digits.cut, rest, 1, Face::mono);
  // Digits go on where they do: that is no cut of ours.
  if (pen.theme.presented() && cut.ends_with("…")) {
    cut.resize(cut.size() - std::string("…").size());
    while (!cut.empty() && pen.width(cut + "...", 1, Face::mono) > rest) cut.pop_back();
    cut += "...";
  }
  pen.text({box.x + width + pen.px(5), y}, cut, {pen.theme.muted_text, 1, Align::left, Face::mono});
  pen.text({box.x + width + pen.px(5) + pen.width(cut, 1, Face::mono), y}, power,
           {pen.theme.text, 1, Align::left, Face::mono});
}

// Neighbours of the number in its type as ticks, the number between them, and where it goes.
void draw_grid(Pen& pen, const SumStep& step, const Rect& box) {
  const double low = step.exact - kNeighbours * step.spacing, high = step.exact + kNeighbours * step.spacing;
  const auto x_of = [&](double value) {
    return box.x + static_cast<float>((value - low) / (high - low)) * box.w;
  };
  const float y = box.y + box.h * 0.55F;
  pen.line({box.x, y}, {box.right(), y}, pen.theme.rule);
  const float pitch = box.w / static_cast<float>(2 * kNeighbours) * 0.92F;
  // Towards 0 from a power of two the neighbours are twice as near.
  const double power = std::ldexp(1.0, std::ilogb(step.exact)), fine = step.spacing / 2;
  for (double tick = std::ceil(low / fine) * fine; tick <= high; tick += fine) {
    if (std::fabs(tick) >= power && std::fmod(tick, step.spacing) != 0) continue;
    const bool taken = tick == step.stored;
    const float x = x_of(tick);
    pen.line({x, y - pen.px(6)}, {x, y + pen.px(6)}, taken ? pen.theme.text : pen.theme.muted_text,
             taken ? pen.px(2) : 1);
    const float label = pen.width(number_text(tick), 0.85F, Face::mono);
    if (!taken && (label > pitch || x - label / 2 < box.x - pen.px(20) || x + label / 2 > box.right()))
      continue;
    pen.text({x, y + pen.px(15)}, number_text(tick),
             {taken ? pen.theme.text : pen.theme.muted_text, 0.85F, Align::center,
              taken ? Face::mono_bold : Face::mono});
  }
  const Point from{x_of(step.exact), y - pen.px(12)}, to{x_of(step.stored), y - pen.px(12)};
  CircleItem dot;
  dot.center = {from.x, y};
  dot.radius = pen.px(4);
  dot.fill = pen.theme.critical;
  pen.scene.add(dot);
  if (std::fabs(from.x - to.x) > pen.px(3)) pen.arrow(from, to, pen.theme.critical, pen.px(1.5F));
  pen.text({from.x, y - pen.px(22)}, number_text(step.exact) + "  " + ulps_text(step),
           {pen.theme.text, 0.85F, Align::center, Face::mono});
}

void draw_step(Pen& pen, const SumStep& step, ElementType type, const Rect& row) {
  const float left = std::min(row.w * 0.42F, pen.px(330));
  const Rect digits{row.x, row.y + row.h / 2, left - pen.px(16), pen.px(20)};
  pen.text({row.x, row.y + row.h * 0.3F}, pen.elided(what_text(step), left - pen.px(16)),
           {pen.theme.text, 1, Align::left, bold_if(step.adds)});
  draw_digits(pen, step, type, digits);
  if (step.spacing > 0) draw_grid(pen, step, {row.x + left, row.y, row.w - left, row.h});
  pen.accessible(row, -1, step_words(step, type));
}

// "It gives -0.5; f64 gives -0.03229: 0.468 was lost."
std::string end_words(const ExactComparison& e, const SumInType& sum) {
  const double program = e.of_reference ? e.reference_value : e.value;
  std::string end =
      say("Added in {} they give {}; in f64 they give {}: {} was lost in {}.", name(sum.type),
          number_text(sum.result), number_text(e.exact_value),
          number_text(std::fabs(sum.result - e.exact_value)), counted(sum.steps.size(), "rounding"));
  if (sum.result == program) return end;
  return end + " " +
         say("The program gives {}: it adds in another order, or rounds more often.", number_text(program));
}

std::string title_words(const ExactComparison& e, const NumericsReport& n) {
  const std::string of = e.of_reference ? n.reference : said("the result");
  return say("[{}] of {}: {} partial sums kept in {}", join(e.index, ","), of, e.partials.size(),
             name(*e.partial_type));
}

std::string why_none(const Run& run, const std::optional<SumInType>& sum) {
  const NumericsReport& n = run.numerics;
  if (!n.checked) return said("This run's numbers were not checked.");
  if (!n.exact || n.exact->index.empty()) return said("Every number is equal to what it is compared with.");
  if (n.exact->partials.empty()) return said("It has more partial sums than can be shown.");
  if (!n.exact->partial_type || !is_narrow(*n.exact->partial_type))
    return said("Its partial sums are kept in a type that is wide enough.");
  return sum ? "" : said("One of its sums is outside of what the type holds.");
}

}  // namespace

Scene layout_bits(const ViewInput& input, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const NumericsReport& n = input.run.numerics;
  std::optional<SumInType> sum;
  if (n.checked && n.exact && n.exact->partial_type) sum = sum_in(*n.exact->partial_type, n.exact->partials);
  if (const std::string why = why_none(input.run, sum); !why.empty()) {
    pen.empty_state(said("The bit microscope shows what each rounding of a sum loses"), why);
    return scene;
  }
  const float margin = pen.px(12), room = canvas.width - 2 * margin;
  const std::string title = title_words(*n.exact, n);
  pen.text({margin, pen.px(16)}, pen.elided(title, room, 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  pen.accessible({0, 0, canvas.width, pen.px(26)}, -1, title);
  const std::string end = end_words(*n.exact, *sum);
  const auto lines = wrapped_lines(end, pen.text_px(), room, canvas.measure);
  const float foot = pen.px(20) * static_cast<float>(lines.size()) + pen.px(8);
  const float top = pen.px(32), height = canvas.height - top - foot;
  const float least = pen.px(pen.theme.presented() ? kLeastValueRow : kValueRow);
  const auto fit = std::max<size_t>(1, static_cast<size_t>(height / least));
  const size_t shown = std::min(fit, sum->steps.size());
  const float row = std::min(height / static_cast<float>(shown), pen.px(kValueRow * 2.2F));
  for (size_t k = 0; k < shown; ++k)
    draw_step(pen, sum->steps[k], sum->type, {margin, top + static_cast<float>(k) * row, room, row});
  const float under = top + static_cast<float>(shown) * row;
  float y = under + pen.px(10);
  for (const std::string& line : lines) {
    pen.text({margin, y}, line, {pen.theme.text, 1, Align::left});
    y += pen.px(20);
  }
  pen.accessible({0, under, canvas.width, foot}, -1, end);
  if (shown < sum->steps.size()) {
    pen.text({canvas.width - margin, pen.px(16)},
             say_count("and {} rounding more", "and {} roundings more",
                       static_cast<int64_t>(sum->steps.size() - shown)),
             {pen.theme.muted_text, 1, Align::right});
  }
  return scene;
}

}  // namespace shardscope::inline views
