// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/listing.h"

#include <algorithm>

#include "engine/base/text.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {
namespace {

constexpr float kCodeRow = 1.25F;  // of a letter
constexpr float kCodeSizes[] = {1.3F, 1.15F, 1};

struct CodeRows {
  float size = 1, width = 0;
  std::vector<std::string> texts;
  float height(const Pen& pen) const {
    return pen.text_px(size) * kCodeRow * static_cast<float>(texts.size());
  }
};

CodeRows rows_in(const Pen& pen, const std::vector<std::string>& lines, float room, float size) {
  CodeRows out{size, 0, {}};
  for (const std::string& line : lines)
    for (std::string& row : code_rows(pen, line, room, size)) out.texts.push_back(std::move(row));
  for (const std::string& row : out.texts) out.width = std::max(out.width, pen.width(row, size, Face::mono));
  return out;
}

}  // namespace

std::vector<std::string> code_rows(const Pen& pen, const std::string& line, float width, float size) {
  constexpr size_t kFewest = 12, kSetIn = 4;
  const float sign = pen.width("0", size, Face::mono);
  const size_t most = std::max(kFewest, static_cast<size_t>(std::max(0.0F, width / sign)));
  std::vector<std::string> out;
  const size_t indent = std::min(line.find_first_not_of(' '), most / 2);
  const std::string before(std::min(indent + kSetIn, most / 2), ' ');
  std::string rest = line;
  while (rest.size() > most) {
    size_t cut = rest.find_last_of(" ,(", most - 1);
    cut = cut == std::string::npos || cut < before.size() + kFewest / 2 ? most : cut + 1;
    out.push_back(rest.substr(0, cut));
    while (cut < rest.size() && rest[cut] == ' ') ++cut;
    rest = before + rest.substr(cut);
  }
  out.push_back(rest);
  return out;
}

Scene layout_listing(const std::vector<std::string>& lines, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const float margin = pen.px(8);
  const Rect area = Rect{0, 0, canvas.width, canvas.height}.inset(margin);
  CodeRows rows;
  for (const float size : kCodeSizes) {
    rows = rows_in(pen, lines, area.w, size);
    if (rows.height(pen) <= area.h && rows.texts.size() == lines.size()) break;
  }
  const float row = pen.text_px(rows.size) * kCodeRow;
  float y = area.y + std::max(0.0F, area.h - rows.height(pen)) / 2 + row / 2;
  const float x = area.x + std::max(0.0F, area.w - rows.width) / 2;
  pen.rect({x - margin / 2, y - row / 2 - margin / 2, rows.width + margin, rows.height(pen) + margin},
           pen.theme.panel);
  for (const std::string& text : rows.texts) {
    pen.text({x, y}, text, {pen.theme.text, rows.size, Align::left, Face::mono});
    y += row;
  }
  pen.accessible(area, -1, join(lines, "; "));
  return scene;
}

}  // namespace shardscope::inline views
