// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace shardscope {

// A session of the real program, offscreen, with hands of its own. Everything it writes stands under
// `folder`: settings, journals, saved files, and the log (session.log).
struct SessionOptions {
  enum class Kind {
    use,      // random use of everything
    look,     // Run all of the default preset, then random use that makes no run
    large,    // what is large, one thing after the other
    work,     // steps whose states are written down when the journal has them, until it is killed
    restore,  // accepts what the bar offers and writes down what the window is then
  };
  Kind kind = Kind::use;
  std::string folder;
  uint64_t seed = 1;
  int64_t actions = 1'000'000;  // at most
  double seconds = 60;          // of use, at most
};

int run_session(const SessionOptions& options);
SessionOptions::Kind kind_of_session(const std::string& name);
const char* name(SessionOptions::Kind kind);

}  // namespace shardscope
