// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/shared_answers.h"

#include <string>
#include <string_view>
#include <utility>

#include "engine/cluster/packet.h"

namespace shardscope::inline tuner {
namespace {

using NumberedAnswers = std::vector<std::pair<size_t, TuneAnswer>>;

std::string text_of_answers(const NumberedAnswers& answers) {
  PacketWriter out;
  out.put(std::ssize(answers));
  for (const auto& [number, answer] : answers) {
    out.put(number);
    out.put_error(answer.time.ok() ? std::nullopt : std::optional(answer.time.error()));
    if (answer.time.ok()) out.put(*answer.time);
    out.put(answer.move);
  }
  return out.text();
}

NumberedAnswers answers_of_text(std::string_view text) {
  PacketReader in(text);
  NumberedAnswers out(static_cast<size_t>(in.get<std::ptrdiff_t>()));
  for (auto& [number, answer] : out) {
    number = in.get<size_t>();
    if (auto error = in.get_error())
      answer.time = *std::move(error);
    else
      answer.time = in.get<std::optional<OptionTime>>();
    answer.move = in.get<Resharding>();
  }
  return out;
}

}  // namespace

bool is_own(const Sharing* sharing, size_t job) {
  return sharing == nullptr ||
         static_cast<int>(job % static_cast<size_t>(sharing->parts())) == sharing->part();
}

Result<void> share_answers(Sharing& sharing, std::vector<TuneAnswer>& answers) {
  NumberedAnswers own;
  for (size_t j = 0; j < answers.size(); ++j)
    if (is_own(&sharing, j)) own.emplace_back(j, answers[j]);
  TRY(const std::vector<std::string> all, sharing.gather(text_of_answers(own)));
  for (const std::string& text : all)
    for (auto& [job, answer] : answers_of_text(text)) answers[job] = std::move(answer);
  return {};
}

}  // namespace shardscope::inline tuner
