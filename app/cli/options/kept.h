// SPDX-License-Identifier: Apache-2.0
// What a session of several questions keeps between them. A command that is the only one of its process keeps
// nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/base/result.h"

namespace shardscope::inline cli {

// While one lives, what kept() is asked for a second time is there. One at a time, on one thread.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

bool in_session();

// Which state a file is in: another text after it was changed; empty: there is no such file.
std::string file_stamp(const std::string& path);

namespace kept_detail {
std::shared_ptr<const void> find(const std::string& key);
void keep(const std::string& key, std::shared_ptr<const void> value);
}  // namespace kept_detail

// What `make` gives, or gave before for this key: "story", what of, and file_stamp(). A kind of value has
// keys of its own; of a kind the last few stay. Without a key it is made and not kept.
template <class T>
Result<std::shared_ptr<const T>> kept(const std::string& key, const std::function<Result<T>()>& make) {
  if (auto there = std::static_pointer_cast<const T>(kept_detail::find(key))) return there;
  TRY(T value, make());
  auto made = std::make_shared<const T>(std::move(value));
  kept_detail::keep(key, made);
  return made;
}

}  // namespace shardscope::inline cli
