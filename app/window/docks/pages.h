// SPDX-License-Identifier: Apache-2.0
// The pages, in one table: a job each, with its own arrangement of the same docks. Tabs, menu, keys, palette
// and the tests that open each are read from it: a new one is a row.
#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <vector>

#include "app/window/document/subject.h"

namespace shardscope::inline window {

// Where docks stand on a page; those of one place are tabs, the first of them in front. Empty places take no
// room.
//   left | upper  upper_right  | right
//        | middle middle_right |
//        | lower  lower_right  |
enum class Place { left, upper, upper_right, middle, middle_right, lower, lower_right, right };
constexpr size_t kPlaces = 8;

// How much of that has room: all of it; two columns; a column of forms beside one of views; one place, or two
// beside each other where the page has forms, with all docks as its tabs.
enum class Form { wide, medium, compact, small };
inline constexpr std::array kEveryForm{Form::wide, Form::medium, Form::compact, Form::small};
// Of a window of that many pixels at 100 %.
Form form_of(double width, double height);
const char* name(Form form);

// Of upper, middle and lower to each other.
inline constexpr std::array<int, 3> kPageHeights{41, 30, 29};

struct Page {
  QString id, title, about;
  struct Group {
    Place place;
    QStringList docks;
  };
  std::vector<Group> groups;
  std::array<int, 3> heights = kPageHeights;
  Subject subject = Subject::runs;
  bool broad = false;  // its main view has long lines: what stands beside it becomes a tab first
};

const std::vector<Page>& pages();
const Page* find_page(const QString& id);  // null: there is none
// Where one goes to see a dock: the first page that has it in front, else the first that has it.
const Page* home_of(const QString& dock);

using DocksByPlace = std::array<QStringList, kPlaces>;
DocksByPlace docks_by_place(const Page& page, Form form);

}  // namespace shardscope::inline window
