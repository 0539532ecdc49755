// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/reshard/row_exchange.h"

#include <algorithm>
#include <numeric>

#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

// Some rows of a window: a part of one tile, or none of the array.
struct Piece {
  int64_t source = -1;           // place of the tile; -1: none of the array
  int64_t start = 0, limit = 0;  // in the tile
  int64_t offset = 0;            // in the window
  int64_t round = -1;            // of the permutes that bring it; -1: none does
  int64_t size() const { return limit - start; }
};
using Pieces = std::vector<std::vector<Piece>>;  // by place that takes part

// A permute: part of a tile that several hand on.
struct Round {
  int64_t start = 0, limit = 0;
  std::vector<std::pair<int64_t, int64_t>> places;  // who gives, who gets
  InstructionId id;
};

Pieces pieces_of(const RowExchange& x) {
  Pieces out(x.places.size());
  for (size_t place = 0; place < out.size(); ++place) {
    const int64_t begin = x.starts[place], end = x.limits[place];
    for (int64_t at = begin; at < end;) {
      const int64_t within = ((at % x.tile) + x.tile) % x.tile;
      int64_t count = end - at;
      Piece piece{-1, within, 0, at - begin, -1};
      if (at < 0) {
        count = std::min(count, -at);
      } else if (at < x.rows) {
        count = std::min(count, x.tile - within);
        piece.source = at / x.tile;
      }
      piece.limit = within + count;
      out[place].push_back(piece);
      at += count;
    }
  }
  return out;
}

// Where some device has rows, what is none of the array is no longer than a tile, so that others need not
// wait for it.
Pieces with_short_gaps(Pieces pieces, int64_t tile) {
  Pieces out(pieces.size());
  std::vector<size_t> next(pieces.size(), 0);
  const auto is_there = [&](size_t place) { return next[place] < pieces[place].size(); };
  while (true) {
    bool any = false, rows = false;
    for (size_t place = 0; place < pieces.size(); ++place) {
      if (!is_there(place)) continue;
      any = true;
      rows = rows || pieces[place][next[place]].source >= 0;
    }
    if (!any) return out;
    for (size_t place = 0; place < pieces.size(); ++place) {
      if (!is_there(place)) continue;
      Piece& piece = pieces[place][next[place]];
      out[place].push_back(piece);
      if (rows && piece.source < 0 && piece.limit > tile) {
        out[place].back().limit = tile;
        piece.start = 0;
        piece.limit -= tile;
      } else {
        ++next[place];
      }
    }
  }
}

// Who is to give which piece, by the giver's place; early rows of windows first.
std::vector<std::vector<Piece*>> given_by_place(Pieces& pieces, std::vector<std::vector<int64_t>>& getters) {
  std::vector<std::vector<std::pair<Piece*, int64_t>>> found(pieces.size());
  for (size_t k = 0, any = 1; any > 0; ++k) {
    any = 0;
    for (size_t place = 0; place < pieces.size(); ++place) {
      if (k >= pieces[place].size()) continue;
      ++any;
      Piece& piece = pieces[place][k];
      if (piece.source >= 0 && piece.source != static_cast<int64_t>(place))
        found[static_cast<size_t>(piece.source)].emplace_back(&piece, static_cast<int64_t>(place));
    }
  }
  std::vector<std::vector<Piece*>> out(pieces.size());
  getters.resize(pieces.size());
  for (size_t place = 0; place < pieces.size(); ++place) {
    std::ranges::stable_sort(found[place], {}, [](const auto& given) { return given.first->offset; });
    for (const auto& [piece, getter] : found[place]) {
      out[place].push_back(piece);
      getters[place].push_back(getter);
    }
  }
  return out;
}

// Each round takes the next piece of every giver, but for one whose getter has one already, or an edge of the
// tile that would make the others hand on all of theirs.
std::vector<Round> rounds_of(Pieces& pieces, int64_t tile) {
  std::vector<std::vector<int64_t>> getters;
  const std::vector<std::vector<Piece*>> given = given_by_place(pieces, getters);
  std::vector<size_t> next(given.size(), 0);
  std::vector<Round> out;
  while (true) {
    Round round{tile, 0, {}, {}};
    std::vector<bool> gets(given.size(), false);
    for (size_t giver = 0; giver < given.size(); ++giver) {
      if (next[giver] == given[giver].size()) continue;
      Piece& piece = *given[giver][next[giver]];
      const int64_t getter = getters[giver][next[giver]];
      const bool widens = (round.start > piece.limit && round.limit == tile && piece.start == 0) ||
                          (round.limit < piece.start && round.start == 0 && piece.limit == tile);
      if (!round.places.empty() && (gets[static_cast<size_t>(getter)] || widens)) continue;
      piece.round = static_cast<int64_t>(out.size());
      gets[static_cast<size_t>(getter)] = true;
      round.places.emplace_back(static_cast<int64_t>(giver), getter);
      round.start = std::min(round.start, piece.start);
      round.limit = std::max(round.limit, piece.limit);
      ++next[giver];
    }
    if (round.places.empty()) return out;
    out.push_back(std::move(round));
  }
}

class CompactWriter {
 public:
  CompactWriter(SpmdWriter& writer, const SpmdScope& scope, const Sharded& value, const RowExchange& exchange)
      : writer_(writer),
        scope_(scope),
        value_(value),
        exchange_(exchange),
        shape_(writer.shape(value.id)),
        tile_(exchange.tile) {}

  InstructionId write() {
    pieces_ = with_short_gaps(pieces_of(exchange_), tile_);
    rounds_ = rounds_of(pieces_, tile_);
    for (Round& round : rounds_) round.id = permuted(round);
    size_t most = 0;
    for (const auto& of_place : pieces_) most = std::max(most, of_place.size());
    for (size_t k = 0; k < most; ++k) add_part(k);
    if (parts_.empty()) return nothing(exchange_.size());
    return cut_out(parts_.size() == 1 ? parts_.front() : writer_.concatenate(parts_, exchange_.dim));
  }

 private:
  int64_t length(InstructionId id) const { return writer_.shape(id).dims[exchange_.dim]; }
  InstructionId nothing(int64_t size) {
    std::vector<int64_t> dims = shape_.dims;
    dims[exchange_.dim] = size;
    return writer_.broadcast(writer_.zero(shape_.type), dims, {});
  }

  InstructionId permuted(const Round& round) {
    const bool all = round.start == 0 && round.limit == tile_;
    const InstructionId part =
        all ? value_.id : writer_.slice(value_.id, exchange_.dim, round.start, round.limit);
    std::vector<std::pair<int64_t, int64_t>> pairs;
    const auto count = value_.tiling.counts[exchange_.dim];
    for (const auto& row : members_along(value_.tiling, exchange_.dim, count).groups)
      for (const auto& [from, to] : round.places)
        pairs.emplace_back(row[static_cast<size_t>(exchange_.places[static_cast<size_t>(from)])],
                           row[static_cast<size_t>(exchange_.places[static_cast<size_t>(to)])]);
    std::ranges::sort(pairs);
    return writer_.permute(part, scope_, pairs);
  }

  // The k-th piece of everybody's window: of whichever round brought it, or of the device's own tile.
  void add_part(size_t k) {
    int64_t own_start = tile_, own_limit = 0, size = 0;
    for (size_t place = 0; place < pieces_.size(); ++place) {
      if (k >= pieces_[place].size()) continue;
      const Piece& piece = pieces_[place][k];
      if (piece.round >= 0) {
        size = std::max(size, length(rounds_[static_cast<size_t>(piece.round)].id));
      } else if (piece.source >= 0) {
        own_start = std::min(own_start, piece.start);
        own_limit = std::max(own_limit, piece.limit);
        size = std::max(size, own_limit - own_start);
      } else {
        size = std::max(size, piece.size());
      }
    }
    own_start = std::max<int64_t>(0, own_start - (size - (own_limit - own_start)));
    if (k == 0) own_start_ = own_start;
    std::vector<InstructionId> choices;
    std::vector<int64_t> known(rounds_.size() + 1, -1), chosen(pieces_.size(), 0);
    for (size_t place = 0; place < pieces_.size(); ++place) {
      if (k >= pieces_[place].size() || pieces_[place][k].source < 0) continue;
      const int64_t round = pieces_[place][k].round;
      int64_t& choice = known[round >= 0 ? static_cast<size_t>(round) : rounds_.size()];
      if (choice < 0) {
        choice = static_cast<int64_t>(choices.size());
        choices.push_back(round >= 0 ? filled(rounds_[static_cast<size_t>(round)].id, size)
                                     : own(own_start, size));
      }
      chosen[place] = choice;
    }
    parts_.push_back(choices.empty() ? nothing(size) : select(choices, chosen));
  }

  InstructionId own(int64_t start, int64_t size) {
    return size == tile_ ? value_.id : writer_.slice(value_.id, exchange_.dim, start, start + size);
  }
  // What is missing stands in front of the first part and behind the others.
  InstructionId filled(InstructionId id, int64_t size) {
    const int64_t missing = size - length(id);
    if (missing == 0) return id;
    return parts_.empty() ? writer_.concatenate({nothing(missing), id}, exchange_.dim)
                          : writer_.pad_high(id, exchange_.dim, size, writer_.zero(shape_.type));
  }
  InstructionId select(const std::vector<InstructionId>& choices, const std::vector<int64_t>& chosen) {
    InstructionId out = choices.front();
    if (choices.size() == 1) return out;
    const InstructionId mine =
        writer_.table(scope_, ElementType::s32, exchange_.by_device(value_.tiling, chosen));
    for (size_t c = 1; c < choices.size(); ++c) {
      const InstructionId is =
          writer_.compare(mine, writer_.constant(ElementType::s32, std::to_string(c)), CompareDirection::eq);
      const Shape shape = writer_.shape(out);
      out = writer_.op(Opcode::select, shape, {writer_.broadcast(is, shape.dims, {}), choices[c], out});
    }
    return out;
  }

  // Where each window begins in what was put together.
  InstructionId cut_out(InstructionId id) {
    const int64_t first = length(parts_.front());
    std::vector<int64_t> offsets(pieces_.size(), 0);
    int64_t end = length(id);
    for (size_t place = 0; place < pieces_.size(); ++place) {
      if (pieces_[place].empty()) continue;
      const Piece& piece = pieces_[place].front();
      if (piece.round >= 0) {
        const Round& round = rounds_[static_cast<size_t>(piece.round)];
        offsets[place] = piece.start - round.start + first - (round.limit - round.start);
      } else {
        offsets[place] = piece.source >= 0 ? piece.start - own_start_ : first - piece.size();
      }
      end = std::max(end, offsets[place] + exchange_.size());
    }
    if (end > length(id)) id = writer_.pad_high(id, exchange_.dim, end, writer_.zero(shape_.type));
    if (end == exchange_.size()) return id;
    return writer_.rows_at(id, scope_, exchange_.dim, exchange_.by_device(value_.tiling, offsets),
                           exchange_.size());
  }

  SpmdWriter& writer_;
  const SpmdScope& scope_;
  const Sharded& value_;
  const RowExchange& exchange_;
  Shape shape_;
  int64_t tile_;
  Pieces pieces_;
  std::vector<Round> rounds_;
  std::vector<InstructionId> parts_;
  int64_t own_start_ = 0;  // of the first part, in a device's own tile
};

}  // namespace

int64_t RowExchange::size() const {
  int64_t out = 0;
  for (size_t k = 0; k < starts.size(); ++k) out = std::max(out, limits[k] - starts[k]);
  return out;
}

std::vector<int64_t> RowExchange::by_device(const Tiling& tiling, const std::vector<int64_t>& values) const {
  std::vector<int64_t> of_place(static_cast<size_t>(tiling.counts[dim]), 0), out;
  for (size_t k = 0; k < values.size(); ++k) of_place[static_cast<size_t>(places[k])] = values[k];
  for (const int64_t place : tiling.coordinates().along(dim))
    out.push_back(of_place[static_cast<size_t>(place)]);
  return out;
}

InstructionId compact_rows(SpmdWriter& writer, const SpmdScope& scope, const Sharded& value,
                           const RowExchange& exchange) {
  return CompactWriter(writer, scope, value, exchange).write();
}

}  // namespace shardscope::inline partitioner
