// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/text/entry.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "engine/base/text.h"
#include "engine/kernels/program/expected.h"
#include "engine/kernels/text/lowering.h"
#include "engine/kernels/text/parser.h"

namespace shardscope::kernels {
namespace {

KernelListing listing_of(const KernelText& parsed, std::string_view text) {
  KernelListing out;
  out.lines = split(text, '\n');
  if (!out.lines.empty() && out.lines.back().empty()) out.lines.pop_back();
  std::vector<std::string> sentences;
  for (const std::string& comment : parsed.comments)
    if (!comment.empty()) sentences.emplace_back(trim(std::string_view(comment).substr(1)));
  out.comment = join(sentences, " ");
  const int32_t body = parsed.body.empty() ? 1 : parsed.body.front().place.line;
  out.head = body - 1 - static_cast<int32_t>(parsed.body.empty() ? 0 : parsed.body.front().comments.size());
  return out;
}

}  // namespace

Result<KernelEntry> kernel_from_parsed(KernelText parsed, std::string_view text, std::string_view file) {
  KernelEntry out;
  out.id = parsed.id;
  out.title = parsed.title;
  out.broken = parsed.broken;
  out.mended = parsed.mended;
  out.axes = static_cast<int>(parsed.axes.size());
  out.where = file.empty() ? parsed.id : std::string(file);
  out.listing = listing_of(parsed, text);
  if (!parsed.result.empty()) {
    const ExpectedResult* result = expected_result(parsed.result);
    if (result == nullptr) {
      std::vector<std::string> names;
      for (const ExpectedResult& known : expected_results()) names.emplace_back(known.name);
      return invalid(fmt::format("there is no result '{}'", parsed.result), out.where,
                     "use " + join(names, ", "));
    }
    out.expected = result->expected;
    out.result = result->name;
  }
  const auto kept = std::make_shared<const KernelText>(std::move(parsed));
  out.body = [kept](Kernel& kernel) { Lowering(*kept, kernel).run(); };
  return out;
}

Result<KernelEntry> kernel_from_text(std::string_view text, std::string_view file) {
  TRY(KernelText parsed, parse_kernel_text(text, file.empty() ? "kernel" : file));
  return kernel_from_parsed(std::move(parsed), text, file);
}

}  // namespace shardscope::kernels
