// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/byte_source.h"

#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>
#include <zlib.h>

#include "engine/base/read_file.h"

namespace shardscope::inline measure {
namespace {

constexpr size_t kPiece = size_t{1} << 18;
// JSON of profilers shrinks 10 to 40 times; what unfolds further than this is no profile.
constexpr int64_t kFreeUnfolding = int64_t{64} << 20;
constexpr int64_t kMostUnfolding = 250;
constexpr int64_t kLarge = int64_t{1} << 20;  // zipped files from there on are unfolded ahead
constexpr size_t kAhead = 16;                 // pieces

class PlainSource : public ByteSource {
 public:
  PlainSource(FileHandle file, std::string path, int64_t size, ReadingContext context)
      : file_(std::move(file)),
        path_(std::move(path)),
        size_(size),
        context_(std::move(context)),
        piece_(kPiece) {}

  Result<std::string_view> next() override {
    if (context_.stop.stop_requested()) return cancelled();
    const size_t got = std::fread(piece_.data(), 1, piece_.size(), file_.get());
    if (got == 0 && std::ferror(file_.get()) != 0)
      return io_error(std::string("cannot read the file: ") + std::strerror(errno), path_);
    read_ += static_cast<int64_t>(got);
    if (context_.progress && size_ > 0)
      context_.progress(path_, std::min(1.0, static_cast<double>(read_) / static_cast<double>(size_)));
    return std::string_view(piece_.data(), got);
  }
  const std::string& path() const override { return path_; }
  bool zipped() const override { return false; }
  int64_t read() const { return read_; }

 private:
  FileHandle file_;
  std::string path_;
  int64_t size_, read_ = 0;
  ReadingContext context_;
  std::vector<char> piece_;
};

class ZippedSource : public ByteSource {
 public:
  explicit ZippedSource(std::unique_ptr<PlainSource> plain) : plain_(std::move(plain)), piece_(kPiece) {
    CHECK(inflateInit2(&zip_, 15 + 16) == Z_OK);  // 15 bits of window, gzip's frame
  }
  ZippedSource(const ZippedSource&) = delete;
  ZippedSource& operator=(const ZippedSource&) = delete;
  ~ZippedSource() override { inflateEnd(&zip_); }

  Result<std::string_view> next() override {
    while (!ended_) {
      if (zip_.avail_in == 0) {
        TRY(const std::string_view more, plain_->next());
        if (more.empty())
          return invalid("the gzipped file ends in the middle", path(), "copy it again, whole");
        zip_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(more.data()));
        zip_.avail_in = static_cast<uInt>(more.size());
      }
      zip_.next_out = reinterpret_cast<Bytef*>(piece_.data());
      zip_.avail_out = static_cast<uInt>(piece_.size());
      TRY_VOID(unfold());
      const size_t got = piece_.size() - zip_.avail_out;
      unfolded_ += static_cast<int64_t>(got);
      if (unfolded_ > kFreeUnfolding && unfolded_ / kMostUnfolding > plain_->read())
        return invalid(
            "the gzipped file unfolds to more than " + std::to_string(kMostUnfolding) + " times its size",
            path(), "unzip it yourself if you trust it");
      if (got > 0) return std::string_view(piece_.data(), got);
    }
    return std::string_view();
  }
  const std::string& path() const override { return plain_->path(); }
  bool zipped() const override { return true; }
  int64_t read() const { return plain_->read(); }

 private:
  // A file may hold several gzip members one after the other; what follows the last one is no gzip and is
  // left.
  Result<void> unfold() {
    const int code = inflate(&zip_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) return after_member();
    if (code == Z_OK || code == Z_BUF_ERROR) return {};
    return invalid("the gzipped file is damaged", path(), "copy it again");
  }
  Result<void> after_member() {
    if (zip_.avail_in == 0) {
      TRY(const std::string_view more, plain_->next());
      zip_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(more.data()));
      zip_.avail_in = static_cast<uInt>(more.size());
    }
    if (zip_.avail_in > 0 && *zip_.next_in == 0x1f)
      inflateReset(&zip_);
    else
      ended_ = true;
    return {};
  }

  std::unique_ptr<PlainSource> plain_;
  z_stream zip_{};
  std::vector<char> piece_;
  int64_t unfolded_ = 0;
  bool ended_ = false;
};

// A zipped file that a thread of its own unfolds, some pieces ahead of who reads them.
class AheadSource : public ByteSource {
 public:
  AheadSource(std::unique_ptr<ZippedSource> zipped, int64_t size, ReadingContext context)
      : zipped_(std::move(zipped)), size_(size), context_(std::move(context)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { unfold(stop); });
  }

  Result<std::string_view> next() override {
    if (context_.stop.stop_requested()) return cancelled();
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !pieces_.empty(); });
      current_ = std::move(pieces_.front());
      if (current_.text.ok() && !current_.text->empty())
        pieces_.pop_front();
      else
        pieces_.front() = current_;  // it ends so, ever again
    }
    changed_.notify_all();
    if (!current_.text.ok()) return current_.text.error();
    if (context_.progress && size_ > 0)
      context_.progress(path(),
                        std::min(1.0, static_cast<double>(current_.read) / static_cast<double>(size_)));
    return std::string_view(*current_.text);
  }
  const std::string& path() const override { return zipped_->path(); }
  bool zipped() const override { return true; }

 private:
  struct Piece {
    Result<std::string> text = std::string();
    int64_t read = 0;  // of the file so far
  };

  void unfold(const std::stop_token& stop) {
    for (bool more = true; more;) {
      const Result<std::string_view> text = zipped_->next();
      more = text.ok() && !text->empty();
      Piece piece{text.ok() ? Result<std::string>(std::string(*text)) : Result<std::string>(text.error()),
                  zipped_->read()};
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return pieces_.size() < kAhead; })) return;
      pieces_.push_back(std::move(piece));
      lock.unlock();
      changed_.notify_all();
    }
  }

  std::unique_ptr<ZippedSource> zipped_;  // the thread's
  int64_t size_;
  ReadingContext context_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Piece> pieces_;
  Piece current_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace

Result<std::unique_ptr<ByteSource>> ByteSource::open(const std::string& path, const ReadingContext& context) {
  TRY(FileToRead opened, open_to_read(path));
  FileHandle& file = opened.file;
  unsigned char magic[2] = {};
  const bool zipped = std::fread(magic, 1, 2, file.get()) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
  std::rewind(file.get());
  const bool ahead = zipped && opened.bytes >= kLarge;
  auto plain = std::make_unique<PlainSource>(std::move(file), path, opened.bytes,
                                             ahead ? ReadingContext{context.stop, {}} : context);
  if (!zipped) return std::unique_ptr<ByteSource>(std::move(plain));
  auto unfolded = std::make_unique<ZippedSource>(std::move(plain));
  if (!ahead) return std::unique_ptr<ByteSource>(std::move(unfolded));
  return std::unique_ptr<ByteSource>(
      std::make_unique<AheadSource>(std::move(unfolded), opened.bytes, context));
}

SourceBuffer::int_type SourceBuffer::underflow() {
  if (error_) return traits_type::eof();
  if (since_mark_ > kLongestPiece) {
    error_ = invalid("a text or a number in it is longer than 16 MiB", source_.path());
    return traits_type::eof();
  }
  const Result<std::string_view> piece = source_.next();
  if (!piece.ok()) {
    error_ = piece.error();
    return traits_type::eof();
  }
  if (piece->empty()) return traits_type::eof();
  since_mark_ += static_cast<int64_t>(piece->size());
  char* begin = const_cast<char*>(piece->data());  // the get area is only read
  setg(begin, begin, begin + piece->size());
  return traits_type::to_int_type(*begin);
}

}  // namespace shardscope::inline measure
