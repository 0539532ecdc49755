// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "app/window/document/background.h"
#include "engine/base/result.h"

namespace shardscope::inline window {

// Writes programs as JAX source, or as pages, beside the GUI thread: of a big one that takes seconds. A newer
// takes the older one's place.
class JaxWriter : public QObject {
  Q_OBJECT
 public:
  using Source = Result<std::string>;
  explicit JaxWriter(QObject* parent = nullptr) : QObject(parent) {}
  // `write` holds what it reads and ends early when it is told to; `done` is called on this thread.
  void write(std::function<Source(std::stop_token)> write, std::function<void(const Source&)> done) {
    busy_ = true;
    work_.start(std::move(write), [this, done = std::move(done)](const Source& source) {
      busy_ = false;
      done(source);
    });
  }
  bool busy() const { return busy_; }

 private:
  bool busy_ = false;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
