// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program/rounded_sums.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

namespace shardscope::kernels {
namespace {

// Which parts of a buffer contain products of its device's dots, and which of them were rounded. Devices run
// one program, so what one device has in a part another one may be sent.
class Products {
 public:
  explicit Products(const KernelProgram& program)
      : program_(program), product_(program.layout.buffers.size()), rounded_(program.layout.buffers.size()) {}

  // False: it says nothing new.
  bool follow(const Op& op) {
    const bool narrow = op.dst.buffer >= 0 && program_.buffer(op.dst.buffer).type != ElementType::f32;
    switch (op.kind) {
      case OpKind::dot:
        return put(narrow ? rounded_ : product_, op.dst);
      case OpKind::store:
      case OpKind::add:
      case OpKind::start: {
        const bool rounded = is_in(rounded_, op.a) || is_in(rounded_, op.b);
        const bool product = is_in(product_, op.a) || is_in(product_, op.b);
        if (rounded || (product && narrow)) return put(rounded_, op.dst);
        return product && put(product_, op.dst);
      }
      default:
        return false;
    }
  }

  bool adds_rounded(const Op& op) const {
    return op.kind == OpKind::add && (is_in(rounded_, op.a) || is_in(rounded_, op.b));
  }

 private:
  using Parts = std::vector<std::vector<Box>>;  // by buffer

  static bool is_in(const Parts& parts, const Slice& slice) {
    return slice.buffer >= 0 && std::ranges::any_of(parts[static_cast<size_t>(slice.buffer)],
                                                    [&](const Box& box) { return box.overlaps(slice.box); });
  }
  static bool put(Parts& parts, const Slice& slice) {
    auto& known = parts[static_cast<size_t>(slice.buffer)];
    if (std::ranges::any_of(known, [&](const Box& box) { return box.covers(slice.box); })) return false;
    std::erase_if(known, [&](const Box& box) { return slice.box.covers(box); });
    known.push_back(slice.box);
    return true;
  }

  const KernelProgram& program_;
  Parts product_, rounded_;
};

}  // namespace

void check_rounded_sums(KernelProgram& program) {
  constexpr int kMostRounds = 8;  // a part is passed on once a round at least
  const bool narrow = std::ranges::any_of(
      program.layout.buffers, [](const KernelBuffer& buffer) { return buffer.type != ElementType::f32; });
  if (!narrow || program.flops == 0) return;
  Products products(program);
  bool news = true;
  for (int round = 0; news && round < kMostRounds; ++round) {
    news = false;
    for (const auto& ops : program.devices)
      for (const Op& op : ops) news = products.follow(op) || news;
  }
  std::map<int32_t, std::pair<const Op*, std::vector<int32_t>>> lines;  // devices that add there
  for (size_t d = 0; d < program.devices.size(); ++d) {
    for (const Op& op : program.devices[d]) {
      if (!products.adds_rounded(op)) continue;
      auto& [first, devices] = lines[op.line];
      if (first == nullptr) first = &op;
      if (devices.empty() || devices.back() != static_cast<int32_t>(d))
        devices.push_back(static_cast<int32_t>(d));
    }
  }
  for (auto& [line, found] : lines) {
    KernelFinding finding;
    finding.kind = FindingKind::rounded_sum;
    finding.devices = std::move(found.second);
    const std::string added = slice_text(program.layout, found.first->b.buffer, found.first->b.box);
    finding.first = {finding.devices.front(), -1, line, 0,
                     fmt::format("device {} adds {} at line {}", finding.devices.front(), added, line)};
    finding.message = finding.first.text + ", partial products that were rounded before the sum";
    finding.missing = "partial products and their sum in f32, rounded once at the end";
    program.defects.push_back(std::move(finding));
  }
}

}  // namespace shardscope::kernels
