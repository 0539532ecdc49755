// SPDX-License-Identifier: Apache-2.0
// What is selected, as facts: numbers with their formula and where its constants come from, and the ways on
// from there. Panels, CSV and Markdown are made of this one value.
#pragma once

#include <string>
#include <vector>

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

struct Fact {
  std::string label;         // empty: `value` is a sentence
  std::string value;         // with its unit
  std::string formula = {};  // with the values put in
  std::string source = {};   // of the constants in it
  bool operator==(const Fact&) const = default;
};

struct DetailLink {
  std::string text;
  ItemId to;
  bool operator==(const DetailLink&) const = default;
};

struct DetailTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  bool operator==(const DetailTable&) const = default;
};

struct DetailSection {
  std::string heading;  // empty: it goes on from the title
  std::vector<Fact> facts = {};
  std::vector<DetailLink> links = {};
  DetailTable table = {};
  bool operator==(const DetailSection&) const = default;
};

struct Details {
  std::string title;
  std::vector<DetailSection> sections;
  bool operator==(const Details&) const = default;
};

// Of the range where one is marked, of the selected item, else of the run.
Details details_of(const ViewInput& input, const Selection& selection);
std::string details_csv(const Details& details);  // section,fact,value,formula,source; tables below
std::string details_markdown(const Details& details);

}  // namespace shardscope::inline views
