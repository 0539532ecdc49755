// SPDX-License-Identifier: Apache-2.0
// The built-in experiments as a list to choose from. What is said of each stands in its file.
#pragma once

#include <string>
#include <vector>

#include "engine/request/experiment.h"

namespace shardscope::inline session {

struct CataloguedPreset {
  std::string name;   // "wang_os_2x4": file name without ending
  std::string topic;  // its file's [preset] topic
  int64_t devices = 0;
  int64_t strategies = 0;  // that it runs; 0: all of them
  Experiment experiment;   // with title, source (the paper) and notes (what to look at)
};
const std::vector<CataloguedPreset>& preset_catalogue();  // default first, then by name
std::vector<std::string> preset_topics();                 // in alphabetical order

// Sizes that a list is filtered by: up to that many devices and more than the one before.
struct PresetSize {
  std::string name;  // "up to 4 devices"
  int64_t more_than = 0, up_to = 0;
};
const std::vector<PresetSize>& preset_sizes();

struct PresetFilter {
  std::string words;             // all of them in name, title, paper, notes, topic or a strategy's id
  std::string topic, size;       // by name; empty: any
  bool with_paper_only = false;  // those that come from a paper or a notebook
};
bool passes(const CataloguedPreset& preset, const PresetFilter& filter);
// Places of those that pass in the catalogue, what is called by the words first.
std::vector<size_t> found_presets(const PresetFilter& filter);

}  // namespace shardscope::inline session
