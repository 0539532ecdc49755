// SPDX-License-Identifier: Apache-2.0
// A file piece by piece, unzipped on the way when it is gzipped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <streambuf>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope::inline measure {

// What every reader of a file obeys.
struct ReadingContext {
  std::stop_token stop;
  std::function<void(const std::string& what, double fraction)> progress;
};

// next() gives piece after piece, an empty one at the end. A gzipped file that unfolds to more than any
// profile does is refused.
class ByteSource {
 public:
  static Result<std::unique_ptr<ByteSource>> open(const std::string& path, const ReadingContext& context);
  virtual ~ByteSource() = default;
  virtual Result<std::string_view> next() = 0;
  virtual const std::string& path() const = 0;
  virtual bool zipped() const = 0;
};

// A ByteSource as a stream of characters. After its end `error` says why it ended, if not for the file's end.
// A reader that takes more than kLongestPiece without calling mark() is stopped: a text of that length is
// none.
class SourceBuffer : public std::streambuf {
 public:
  static constexpr int64_t kLongestPiece = int64_t{16} << 20;
  explicit SourceBuffer(ByteSource& source) : source_(source) {}
  void mark() { since_mark_ = 0; }
  const std::optional<Error>& error() const { return error_; }

 protected:
  int_type underflow() override;

 private:
  ByteSource& source_;
  std::optional<Error> error_;
  int64_t since_mark_ = 0;
};

}  // namespace shardscope::inline measure
