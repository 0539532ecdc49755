// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/kept.h"

#include <algorithm>
#include <fmt/format.h>
#include <list>
#include <sys/stat.h>
#include <utility>

#include "engine/base/check.h"

namespace shardscope::inline cli {
namespace {

constexpr int kMostOfAKind = 4;  // a record of ten million events takes about a gigabyte

using Entry = std::pair<std::string, std::shared_ptr<const void>>;

std::list<Entry>* session = nullptr;  // the one asked for last in front

std::string kind_of(const std::string& key) {
  return key.substr(0, key.find(' '));
}

}  // namespace

Session::Session() {
  CHECK(session == nullptr);
  session = new std::list<Entry>;
}

Session::~Session() {
  delete std::exchange(session, nullptr);
}

bool in_session() {
  return session != nullptr;
}

std::string file_stamp(const std::string& path) {
  std::string out;
  // What SQLite wrote last may still be beside its file.
  for (const std::string& each : {path, path + "-wal"}) {
    struct stat state {};
    if (stat(each.c_str(), &state) == 0)
      out += fmt::format("{}.{}.{}.{} ", state.st_ino, state.st_size, state.st_mtim.tv_sec,
                         state.st_mtim.tv_nsec);
  }
  return out;
}

std::shared_ptr<const void> kept_detail::find(const std::string& key) {
  if (session == nullptr || key.empty()) return nullptr;
  const auto at = std::ranges::find(*session, key, &Entry::first);
  if (at == session->end()) return nullptr;
  session->splice(session->begin(), *session, at);
  return at->second;
}

void kept_detail::keep(const std::string& key, std::shared_ptr<const void> value) {
  if (session == nullptr || key.empty()) return;
  session->emplace_front(key, std::move(value));
  int of_kind = 0;
  std::erase_if(*session, [&](const Entry& entry) {
    return kind_of(entry.first) == kind_of(key) && ++of_kind > kMostOfAKind;
  });
}

}  // namespace shardscope::inline cli
