// SPDX-License-Identifier: Apache-2.0
#include "engine/run/kernel/compare_listings.h"

#include <algorithm>

#include "engine/base/text.h"

namespace shardscope::inline run {
namespace {

bool in_heads(const KernelListing& broken, const KernelListing& mended, const KernelLinePair& pair) {
  return pair.broken <= broken.head && pair.mended <= mended.head;
}

}  // namespace

// Longest common subsequence of whole lines, below the heads, which stand beside each other as they are.
std::vector<KernelLinePair> compare_kernels(const KernelListing& broken, const KernelListing& mended) {
  const std::vector<std::string>&a = broken.lines, &b = mended.lines;
  const size_t rows = a.size(), cols = b.size();
  const auto equal = [&](size_t i, size_t j) { return trim(a[i]) == trim(b[j]); };
  std::vector<std::vector<int>> longest(rows + 1, std::vector<int>(cols + 1, 0));
  for (size_t i = rows; i-- > 0;) {
    for (size_t j = cols; j-- > 0;) {
      longest[i][j] =
          equal(i, j) ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  std::vector<KernelLinePair> out;
  for (int32_t line = 1; line <= std::max(broken.head, mended.head); ++line)
    out.push_back({line <= broken.head ? line : 0, line <= mended.head ? line : 0});
  size_t i = static_cast<size_t>(broken.head), j = static_cast<size_t>(mended.head);
  while (i < rows || j < cols) {
    const int32_t left = static_cast<int32_t>(i) + 1, right = static_cast<int32_t>(j) + 1;
    if (i < rows && j < cols && equal(i, j)) {
      out.push_back({left, right});
      ++i;
      ++j;
    } else if (i < rows && (j == cols || longest[i + 1][j] >= longest[i][j + 1])) {
      out.push_back({left, 0});
      ++i;
    } else {
      out.push_back({0, right});
      ++j;
    }
  }
  // A line that went and one that came at the same place stand beside each other.
  std::vector<KernelLinePair> beside;
  size_t gone = 0;  // first of the run of lone left lines that have no partner yet
  for (const KernelLinePair& pair : out) {
    if (in_heads(broken, mended, pair)) {
      beside.push_back(pair);
      gone = beside.size();
      continue;
    }
    if (pair.mended != 0 && pair.broken == 0 && gone < beside.size() && beside[gone].mended == 0) {
      beside[gone++].mended = pair.mended;
      continue;
    }
    beside.push_back(pair);
    if (pair.mended != 0) gone = beside.size();
  }
  return beside;
}

bool same_lines(const KernelListing& broken, const KernelListing& mended, const KernelLinePair& pair) {
  if (in_heads(broken, mended, pair)) return true;
  if (pair.broken == 0 || pair.mended == 0) return false;
  return trim(broken.lines[static_cast<size_t>(pair.broken) - 1]) ==
         trim(mended.lines[static_cast<size_t>(pair.mended) - 1]);
}

std::vector<int32_t> lines_unlike(const KernelListing& listing, const KernelListing& twin) {
  std::vector<int32_t> out;
  for (const KernelLinePair& pair : compare_kernels(listing, twin))
    if (pair.broken > 0 && !same_lines(listing, twin, pair)) out.push_back(pair.broken);
  return out;
}

}  // namespace shardscope::inline run
