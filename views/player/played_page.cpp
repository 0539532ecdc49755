// SPDX-License-Identifier: Apache-2.0
#include "views/player/played_page.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

#include "engine/base/check.h"
#include "engine/base/text.h"
#include "engine/base/xml.h"
#include "views/draw/paint.h"
#include "views/player/packed.h"
#include "views/player/scene_json.h"

namespace shardscope::inline views {
namespace {

constexpr float kHalfPage = 800;  // a wider picture stands alone in its row
constexpr const char* kData = "<script type=\"application/json\"";

}  // namespace

class PlayedPage::Tables : public SceneTables {
 public:
  struct Film {
    std::string view, title;
    float width = 0, height = 0;
    int32_t background = -1;
    std::vector<std::string> pictures, tips;    // by beat
    std::unordered_map<int32_t, int32_t> told;  // by item, what its tooltip said last

    std::string json() const {
      return fmt::format(
          "{{\"view\":{},\"title\":{},\"width\":{},\"height\":{},\"background\":{},\"pictures\":[{}],"
          "\"tips\":[{}]}}",
          json_string(view), json_string(title), width, height, background, join(pictures, ","),
          join(tips, ","));
    }
  };
  std::vector<Film> films;
  std::vector<std::string> stories;  // lists of beats: [[number, name, sentence], …] with strings' places
  std::unordered_map<std::string, int32_t> stills;  // SVG that stands in the page already, under an id
};

PlayedPage::PlayedPage() : tables_(std::make_unique<Tables>()) {}
PlayedPage::~PlayedPage() = default;

int32_t PlayedPage::add_film(const std::string& view, const std::string& title) {
  Tables::Film& film = tables_->films.emplace_back();
  film.view = view;
  film.title = title;
  return static_cast<int32_t>(tables_->films.size()) - 1;
}

void PlayedPage::add_picture(int32_t place, const PlayedPicture& picture) {
  Tables::Film& film = tables_->films[static_cast<size_t>(place)];
  film.width = picture.light.width;
  film.height = picture.light.height;
  film.background = tables_->color(picture.light.background, picture.dark.background);
  film.pictures.push_back(tables_->picture(picture));
  film.tips.push_back(tables_->tips(picture, film.told));
}

// The place of its list of beats, which stands once however many figures play it.
int32_t PlayedPage::story_of(const PlayedFigure& figure) {
  std::vector<std::string> rows;
  for (const PlayedBeat& beat : figure.beats)
    rows.push_back(
        fmt::format("[{},{},{}]", beat.number, tables_->string(beat.name), tables_->string(beat.sentence)));
  const std::string story = "[" + join(rows, ",") + "]";
  std::vector<std::string>& known = tables_->stories;
  const auto at = std::ranges::find(known, story);
  if (at != known.end()) return static_cast<int32_t>(at - known.begin());
  known.push_back(story);
  return static_cast<int32_t>(known.size()) - 1;
}

// The picture as SVG; one that stands in the page already is used again.
std::string PlayedPage::still_svg(const Scene& scene, const std::string& title) {
  const std::string svg = to_svg(scene, title);
  const auto [at, is_new] = tables_->stills.try_emplace(svg, static_cast<int32_t>(tables_->stills.size()));
  const std::string id = fmt::format("still{}", at->second);
  if (is_new) return fmt::format("<svg id=\"{}\"", id) + svg.substr(std::string_view("<svg").size());
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\"><title>{2}</title>"
      "<use href=\"#{3}\"/></svg>",
      scene.width, scene.height, xml_escaped(title), id);
}

std::string PlayedPage::figure(const PlayedFigure& figure) {
  CHECK(figure.stills.size() == figure.films.size(), figure.stills.size(), figure.films.size());
  std::string out = "<figure class=\"played\">\n";
  if (!figure.title.empty()) out += "<figcaption>" + xml_escaped(figure.title) + "</figcaption>\n";
  std::vector<std::string> films, stills;
  out += "<div class=\"films\">\n";
  for (size_t i = 0; i < figure.films.size(); ++i) {
    const Tables::Film& film = tables_->films[static_cast<size_t>(figure.films[i])];
    CHECK(film.pictures.size() == figure.beats.size(), film.view, film.pictures.size());
    films.push_back(std::to_string(figure.films[i]));
    const std::string still = tables_->picture(figure.stills[i]);
    // Only what is outlined makes it another picture than the film's own.
    stills.push_back(still == film.pictures[static_cast<size_t>(figure.first)] ? "0" : still);
    out += fmt::format("<div class=\"film{}\" data-view=\"{}\"><h4>{}</h4>{}</div>\n",
                       film.width > kHalfPage ? " whole" : "", xml_escaped(film.view),
                       xml_escaped(film.title), still_svg(figure.stills[i].light, film.title));
  }
  out += "</div>\n<ol class=\"beats\">\n";
  for (size_t b = 0; b < figure.beats.size(); ++b) {
    const bool now = static_cast<int32_t>(b) == figure.first;
    const PlayedBeat& beat = now && figure.asked ? *figure.asked : figure.beats[b];
    if (now || figure.lists)
      out += fmt::format("<li{}><b>{}</b> <span>{}</span></li>\n", now ? " class=\"now\"" : "",
                         xml_escaped(beat.name), xml_escaped(beat.sentence));
  }
  return out +
         fmt::format(
             "</"
             "ol>\n{}>{{\"films\":[{}],\"story\":{},\"first\":{},\"before\":{},\"asked\":{},\"stills\":[{}]}}"
             "</script>\n</figure>\n",
             kData, join(films, ","), story_of(figure), figure.first, figure.before, figure.asked.has_value(),
             join(stills, ","));
}

std::string PlayedPage::tables() const {
  std::vector<std::string> films;
  for (const Tables::Film& film : tables_->films) films.push_back(film.json());
  const std::string json = "{\"version\":1," + tables_->members() + ",\"stories\":[" +
                           join(tables_->stories, ",") + "],\"films\":[" + join(films, ",") + "]}";
  return "<script type=\"application/octet-stream\" id=\"played\">" + packed(json) + "</script>\n";
}

}  // namespace shardscope::inline views
