// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/sdy_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace shardscope::inline sharding {
namespace {

class SdyReader {
 public:
  explicit SdyReader(std::string_view text) : text_(text) {}

  Result<PartitionSpec> read() {
    accept("#sdy.sharding");
    if (!accept("<")) return expected("'<'");
    if (!accept("@")) return expected("the mesh, as in @mesh");
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    if (!accept(",")) return expected("','");
    if (!accept("[")) return expected("'['");
    PartitionSpec out;
    if (!accept("]")) {
      do {
        TRY(std::vector<std::string> axes, dimension());
        out.dims.push_back(std::move(axes));
      } while (accept(","));
      if (!accept("]")) return expected("',' or ']'");
    }
    if (!accept(">")) return expected("'>'");
    skip();
    if (at_ < text_.size()) return expected("the end");
    return out;
  }

 private:
  Result<std::vector<std::string>> dimension() {
    std::vector<std::string> axes;
    if (!accept("{")) return expected("'{'");
    while (!accept("}")) {
      if (accept("?")) continue;  // open: the compiler may split it further
      if (!axes.empty() && !accept(",")) return expected("',' or '}'");
      if (accept("?")) continue;
      if (!accept("\"")) return expected("an axis, as in \"x\"");
      const size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) return expected("'\"'");
      axes.emplace_back(text_.substr(at_, end - at_));
      at_ = end + 1;
      if (accept(":")) return expected("whole axes: a part of one is written as {devices=…}");
    }
    return axes;
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  Error expected(std::string_view what) const {
    return invalid(fmt::format("expected {} at column {}", what, at_ + 1), "",
                   "write it as in #sdy.sharding<@mesh, [{\"x\"}, {}]>");
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<PartitionSpec> parse_sdy_sharding(std::string_view text) {
  return SdyReader(text).read();
}

std::string sdy_sharding_text(const PartitionSpec& spec, size_t rank, std::string_view mesh) {
  std::string out = fmt::format("#sdy.sharding<@{}, [", mesh);
  for (size_t d = 0; d < std::max(rank, spec.dims.size()); ++d) {
    out += d > 0 ? ", {" : "{";
    if (d < spec.dims.size())
      for (size_t k = 0; k < spec.dims[d].size(); ++k)
        out += fmt::format("{}\"{}\"", k > 0 ? ", " : "", spec.dims[d][k]);
    out += "}";
  }
  return out + "]>";
}

}  // namespace shardscope::inline sharding
