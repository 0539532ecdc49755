// SPDX-License-Identifier: Apache-2.0
// The pictures of a page that plays (engine/report/page/page_frame.h): Scenes as JSON, and around them the
// markup that is whole without a script. Its figures share one set of tables, so what does not change from
// beat to beat, or stands in two figures, is written once.
//
//   PlayedPage page;
//   html += *played_run(page, input, options, stop);   // played_run.h: <figure class="played">…</figure>
//   html += page.tables();                             // once, behind the last figure
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "views/scene/core/scene.h"

namespace shardscope::inline views {

// What the tooltip of an item says.
struct PlayedTip {
  ItemId item;
  std::vector<std::string> lines;
  bool operator==(const PlayedTip&) const = default;
};

// One picture of one moment, laid out in both themes, which differ in colours alone. Where they do not, it
// is as in the light one.
struct PlayedPicture {
  Scene light, dark;
  std::vector<PlayedTip> tips;
};

struct PlayedBeat {
  int32_t number = 0;    // the story's: page.html#beat=3 begins with it
  std::string name;      // "step 3 of 12 · 46.6 µs"
  std::string sentence;  // what happens in it
};

// A film is one view of one run: a picture a beat.
struct PlayedFigure {
  std::string title;
  std::vector<PlayedBeat> beats;  // of each of its films
  std::vector<int32_t> films;     // side by side
  int32_t first = 0;              // the beat that it begins with
  int32_t before = -1;            // it comes to `first` from this one; -1: it stands there
  // While a question about it waits, it stands at `first`, as its still, with these words; then it plays.
  std::optional<PlayedBeat> asked{};
  bool lists = true;  // all its beats stand as text too; else the first one alone
  // By film, its picture at `first`: it stands where scripts are off, and is played instead of the film's own
  // when something is outlined in it.
  std::vector<PlayedPicture> stills;
};

class PlayedPage {
 public:
  PlayedPage();
  ~PlayedPage();
  PlayedPage(const PlayedPage&) = delete;
  PlayedPage& operator=(const PlayedPage&) = delete;

  // A film without pictures yet. `view`: "ring"; `title`: "Ring".
  int32_t add_film(const std::string& view, const std::string& title);
  void add_picture(int32_t film, const PlayedPicture& picture);
  // <figure class="played">. The figure's films have a picture for each of its beats.
  std::string figure(const PlayedFigure& figure);
  // What its figures share, JSON as zlib and base 64 write it: a <script> of data, for the end of the page.
  std::string tables() const;

 private:
  int32_t story_of(const PlayedFigure& figure);
  std::string still_svg(const Scene& scene, const std::string& title);
  class Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace shardscope::inline views
