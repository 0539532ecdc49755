// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/pages.h"

#include <algorithm>

#include "app/window/document/language.h"
#include "engine/help/topics.h"

namespace shardscope::inline window {
namespace {

bool has(const Page& page, Place place) {
  return std::any_of(page.groups.begin(), page.groups.end(),
                     [&](const Page::Group& group) { return group.place == place; });
}

// Medium: what stood at the right of three columns goes below, of a broad page behind the main view. Compact:
// one column of views and, where the page has them, one of forms. Small: nothing stands below another.
Place place_in(const Page& page, Place place, Form form) {
  using enum Place;
  if (form == Form::wide) return place;
  if (form == Form::medium && page.broad) return place == right ? upper : place;
  if (form == Form::medium)
    return place == right && has(page, left) && has(page, lower) ? lower_right : place;
  if (form == Form::small) return has(page, left) && place >= lower ? left : place == left ? left : middle;
  switch (place) {
    case left:
      return left;
    case lower:
    case lower_right:
      return lower;
    case right:
      return has(page, left) ? left : has(page, lower) ? lower : middle;
    case upper:
    case upper_right:
    case middle:
    case middle_right:
      break;
  }
  return middle;
}

QString about(const std::string& page) {
  return spoken(help_topic("page." + page).shows);
}

std::vector<Page> make_pages() {
  using enum Place;
  return {
      {"explore",
       "Explore"_tr,
       about("explore"),
       {{left, {"experiment"}},
        {upper, {"grid", "product"}},
        {upper_right, {"ring"}},
        {middle, {"timeline", "operations", "memory", "links"}},
        {lower, {"runs", "program", "events", "notes"}},
        {right, {"details"}}}},
      {"compare",
       "Compare"_tr,
       about("compare"),
       {{upper, {"compare", "beside", "profile", "timeline", "operations", "memory"}},
        {lower, {"runs", "sql", "notes"}},
        {right, {"details"}}},
       {62, 0, 38}},
      {"what_if",
       "What if"_tr,
       about("what_if"),
       {{upper, {"what_if", "timeline"}},
        {lower, {"runs", "links", "roofline", "experiment"}},
        {right, {"details"}}},
       {66, 0, 34}},
      {"study",
       "Study"_tr,
       about("study"),
       {{upper,
         {"tuner", "crossover", "calibration", "errors", "atlas", "roofline", "numerics", "bits", "steps"}},
        {lower, {"runs", "sql"}},
        {right, {"details"}}},
       {70, 0, 30}},
      {"module",
       "Module"_tr,
       about("module"),
       {{upper, {"hlo", "program", "timeline", "steps"}}, {right, {"details"}}},
       kPageHeights,
       Subject::module,
       true},
      {"chip",
       "Kernel"_tr,
       about("chip"),
       {{upper, {"kernel", "grouped"}}, {right, {"details"}}},
       kPageHeights,
       Subject::neither,
       true},
      {"lesson", "Lesson"_tr, about("lesson"), {{upper, {"lesson"}}}, kPageHeights, Subject::neither},
  };
}

}  // namespace

Form form_of(double width, double height) {
  if (width < 900 || height < 620) return Form::small;
  if (width < 1100 || height < 700) return Form::compact;
  return width < 1500 ? Form::medium : Form::wide;
}

const char* name(Form form) {
  switch (form) {
    case Form::wide:
      return "wide";
    case Form::medium:
      return "medium";
    case Form::compact:
      return "compact";
    case Form::small:
      return "small";
  }
  return "";
}

const std::vector<Page>& pages() {
  static const std::vector<Page> kPages = make_pages();
  return kPages;
}

const Page* find_page(const QString& id) {
  for (const Page& page : pages()) {
    if (page.id == id) return &page;
  }
  return nullptr;
}

const Page* home_of(const QString& dock) {
  const Page* first = nullptr;
  for (const Page& page : pages()) {
    for (const Page::Group& group : page.groups) {
      if (group.docks.front() == dock) return &page;
      if (first == nullptr && group.docks.contains(dock)) first = &page;
    }
  }
  return first;
}

DocksByPlace docks_by_place(const Page& page, Form form) {
  DocksByPlace out;
  for (const Page::Group& group : page.groups)
    out[static_cast<size_t>(place_in(page, group.place, form))] += group.docks;
  return out;
}

}  // namespace shardscope::inline window
