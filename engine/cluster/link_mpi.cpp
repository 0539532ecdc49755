// SPDX-License-Identifier: Apache-2.0
#ifdef SHARDSCOPE_MPI
#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mpi.h>
#include <mutex>
#include <thread>

#include "engine/base/check.h"
#include "engine/cluster/link.h"

namespace shardscope::inline cluster {
namespace {

constexpr int64_t kMostAtOnce = int64_t{1} << 30;  // MPI counts in int
constexpr int kTagOrder = 1, kTagAnswer = 2, kTagData = 3;

int tag_of(Link::Channel channel) {
  return channel == Link::Channel::order    ? kTagOrder
         : channel == Link::Channel::answer ? kTagAnswer
                                            : kTagData;
}

// Pieces of memory as one message.
class Pieces {
 public:
  template <class Byte>
  explicit Pieces(const std::vector<std::span<Byte>>& pieces) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    for (const std::span<Byte>& piece : pieces) {
      for (size_t first = 0; first < piece.size(); first += static_cast<size_t>(kMostAtOnce)) {
        lengths.push_back(static_cast<int>(std::min(piece.size() - first, static_cast<size_t>(kMostAtOnce))));
        MPI_Aint place = 0;
        MPI_Get_address(piece.data() + first, &place);
        places.push_back(place);
      }
    }
    MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_BYTE,
                             &type_);
    MPI_Type_commit(&type_);
  }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;
  ~Pieces() { MPI_Type_free(&type_); }
  MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

// Every rank tells rank 0 that it lives, and rank 0 tells every rank, on a thread of its own: a rank whose
// process stands still is noticed. Silence is counted in beats of who listens: ranks that stood still
// together go on together.
class Pulse {
 public:
  Pulse(int rank, int size, Link::OnSilence on_silence) : rank_(rank), on_silence_(std::move(on_silence)) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    for (int r = 0; r < size; ++r)
      if (r != rank && (r == 0 || rank == 0)) peers_.push_back({r});
    thread_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
  }
  // Takes leave, and waits until the others do.
  ~Pulse() {
    thread_.request_stop();
    thread_.join();
    MPI_Comm_free(&comm_);
  }

 private:
  static constexpr char kAlive = 1, kLeaving = 2;
  static constexpr std::chrono::milliseconds kBeat{250};
  static constexpr int kParts = 50;  // of a beat: so often who takes leave looks for others
  static constexpr int kMostSilent = 20 * kParts;

  struct Peer {
    int rank = 0;
    int silent = 0;     // parts of a beat
    bool left = false;  // it will say nothing more
    char word = kAlive;
    MPI_Request sending = MPI_REQUEST_NULL;
  };

  void beat(const std::stop_token& stop) {
    bool leaving = false;
    while (!leaving || std::ranges::any_of(peers_, [](const Peer& p) { return !p.left; })) {
      hear();
      if (!leaving) {
        leaving = stop.stop_requested();
        for (Peer& peer : peers_) say(peer, leaving ? kLeaving : kAlive);
      }
      for (Peer& peer : peers_)
        if (!peer.left && (peer.silent += leaving ? 1 : kParts) > kMostSilent && rank_ < 2)
          on_silence_(peer.rank);
      pause(stop);
    }
    for (Peer& peer : peers_) MPI_Wait(&peer.sending, MPI_STATUS_IGNORE);
  }
  // Of a beat; of less once it takes leave.
  void pause(const std::stop_token& stop) {
    if (stop.stop_requested()) return std::this_thread::sleep_for(kBeat / kParts);
    std::unique_lock lock(mutex_);
    stopped_.wait_for(lock, stop, kBeat, [] { return false; });
  }
  void hear() {
    for (Peer& peer : peers_) {
      int there = 1;
      for (;;) {
        MPI_Iprobe(peer.rank, 0, comm_, &there, MPI_STATUS_IGNORE);
        if (there == 0) break;
        char word = kAlive;
        MPI_Recv(&word, 1, MPI_CHAR, peer.rank, 0, comm_, MPI_STATUS_IGNORE);
        peer.silent = 0;
        peer.left = word == kLeaving;
      }
    }
  }
  // Who did not take one word yet gets no other.
  void say(Peer& peer, char word) {
    int done = 0;
    MPI_Test(&peer.sending, &done, MPI_STATUS_IGNORE);
    if (done == 0 && word == kLeaving) MPI_Wait(&peer.sending, MPI_STATUS_IGNORE);
    if (done == 0 && word != kLeaving) return;
    peer.word = word;
    MPI_Isend(&peer.word, 1, MPI_CHAR, peer.rank, 0, comm_, &peer.sending);
  }

  int rank_;
  Link::OnSilence on_silence_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<Peer> peers_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // last: it uses the others
};

struct Link::State {
  int rank = 0, size = 1, sharing = 1;
  std::string host;
  MPI_Comm control = MPI_COMM_NULL, data = MPI_COMM_NULL;
  std::map<int, MPI_Comm> teams;  // of the first so many ranks
  int highest_tag = 32767;
  // What collectives that were not waited for still read and write: they cannot be cancelled.
  std::vector<std::shared_ptr<const void>> given_up;
  bool any_thread = false;  // whether others than the main thread may talk
  std::unique_ptr<Pulse> pulse;
};

Link::Link(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Link>> Link::open() {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
    return io_error("MPI cannot be started", "mpi", "start shardscope by mpirun");
  auto state = std::make_unique<State>();
  state->any_thread = provided == MPI_THREAD_MULTIPLE;
  MPI_Comm_rank(MPI_COMM_WORLD, &state->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &state->size);
  MPI_Comm_dup(MPI_COMM_WORLD, &state->control);
  MPI_Comm_dup(MPI_COMM_WORLD, &state->data);
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  state->host.assign(name.data(), static_cast<size_t>(length));
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &state->sharing);
  MPI_Comm_free(&host);
  int* highest = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&highest), &known);
  if (known != 0) state->highest_tag = *highest;
  return std::unique_ptr<Link>(new Link(std::move(state)));
}

Link::~Link() {
  state_->pulse = nullptr;
  MPI_Finalize();
}

void Link::watch(OnSilence on_silence) {
  if (state_->any_thread && size() > 1)
    state_->pulse = std::make_unique<Pulse>(rank(), size(), std::move(on_silence));
}

int Link::rank() const {
  return state_->rank;
}
int Link::size() const {
  return state_->size;
}
std::string Link::host() const {
  return state_->host;
}

int Link::ranks_of_host() const {
  return state_->sharing;
}

std::vector<std::string> Link::gather(const std::string& text) {
  constexpr size_t kMost = 512;
  std::array<char, kMost> own{};
  std::copy_n(text.begin(), std::min(text.size(), kMost - 1), own.begin());
  std::vector<char> all(rank() == 0 ? kMost * static_cast<size_t>(size()) : 0);
  MPI_Gather(own.data(), kMost, MPI_CHAR, all.data(), kMost, MPI_CHAR, 0, state_->control);
  std::vector<std::string> out;
  for (size_t r = 0; r * kMost < all.size(); ++r) out.emplace_back(all.data() + r * kMost);
  return out;
}

int64_t Link::told(int64_t number) {
  MPI_Bcast(&number, 1, MPI_INT64_T, 0, state_->control);
  return number;
}

void Link::send(int to, Channel channel, std::span<const std::byte> bytes) {
  int64_t first = 0;
  do {
    const int64_t count = std::min<int64_t>(std::ssize(bytes) - first, kMostAtOnce);
    MPI_Send(bytes.data() + first, static_cast<int>(count), MPI_BYTE, to, tag_of(channel), state_->control);
    first += count;
  } while (first < std::ssize(bytes));
}

void Link::receive(int from, Channel channel, std::span<std::byte> bytes) {
  int64_t first = 0;
  do {
    const int64_t count = std::min<int64_t>(std::ssize(bytes) - first, kMostAtOnce);
    MPI_Recv(bytes.data() + first, static_cast<int>(count), MPI_BYTE, from, tag_of(channel), state_->control,
             MPI_STATUS_IGNORE);
    first += count;
  } while (first < std::ssize(bytes));
}

std::optional<Link::Waiting> Link::waiting(Channel channel, std::optional<int> from) {
  int there = 0, count = 0;
  MPI_Status status;
  MPI_Iprobe(from.value_or(MPI_ANY_SOURCE), tag_of(channel), state_->control, &there, &status);
  if (there == 0) return std::nullopt;
  MPI_Get_count(&status, MPI_BYTE, &count);
  return Waiting{status.MPI_SOURCE, count};
}

// `order`: which requests were done, as they were.
template <class Requests>
bool Link::wait(Requests& requests, const GoOn& go_on, std::vector<int>* order) {
  std::vector<int> done(requests.size());
  size_t left = requests.size();
  Patience patience;
  while (left > 0) {
    int count = 0;
    MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, done.data(),
                 MPI_STATUSES_IGNORE);
    if (count == MPI_UNDEFINED) break;
    if (order != nullptr) order->insert(order->end(), done.begin(), done.begin() + count);
    left -= static_cast<size_t>(count);
    if (left == 0) break;
    if (count > 0) {
      patience.again();
      continue;
    }
    if (!go_on()) {
      torn_ = true;
      return false;
    }
    patience.wait();
  }
  return true;
}

std::optional<std::vector<Link::Came>> Link::exchange(const std::vector<Delivery>& deliveries,
                                                      const std::function<int(DeviceId)>& rank_of,
                                                      int64_t tag, const GoOn& go_on) {
  // Above those of the control messages; one of an older job that was given up is not taken for one of this.
  const int own_tag = static_cast<int>(tag % (state_->highest_tag - 8)) + 8;
  std::vector<MPI_Request> requests;
  std::vector<size_t> of_request;
  for (const bool receives : {true, false}) {
    for (size_t d = 0; d < deliveries.size(); ++d) {
      const Delivery& delivery = deliveries[d];
      if (delivery.bytes == 0 || receives == delivery.to.empty()) continue;
      MPI_Request& request = requests.emplace_back(MPI_REQUEST_NULL);
      of_request.push_back(d);
      if (receives)
        MPI_Irecv(MPI_BOTTOM, 1, Pieces(delivery.to).type(), rank_of(delivery.source), own_tag, state_->data,
                  &request);
      else
        MPI_Isend(MPI_BOTTOM, 1, Pieces(delivery.from).type(), rank_of(delivery.target), own_tag,
                  state_->data, &request);
    }
  }
  std::vector<Came> came;
  std::vector<int> order;
  size_t seen = 0;
  // The time of each as it is noticed.
  const auto note = [&] {
    const auto now = DeviceTransport::Clock::now();
    for (; seen < order.size(); ++seen) came.push_back({of_request[static_cast<size_t>(order[seen])], now});
  };
  const GoOn noting = [&] {
    note();
    return go_on();
  };
  if (!wait(requests, noting, &order)) {
    for (MPI_Request& request : requests) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
    return std::nullopt;
  }
  note();
  return came;
}

std::optional<int64_t> Link::largest(int64_t number, int ranks, const GoOn& go_on) {
  MPI_Comm& team = state_->teams.try_emplace(ranks, MPI_COMM_NULL).first->second;
  if (team == MPI_COMM_NULL) {
    MPI_Group all = MPI_GROUP_NULL, first = MPI_GROUP_NULL;
    MPI_Comm_group(state_->data, &all);
    int range[1][3] = {{0, ranks - 1, 1}};
    MPI_Group_range_incl(all, 1, range, &first);
    MPI_Comm_create_group(state_->data, first, ranks, &team);
    MPI_Group_free(&first);
    MPI_Group_free(&all);
  }
  struct Numbers {
    int64_t own = 0, largest = 0;
  };
  const auto numbers = std::make_shared<Numbers>(Numbers{number});
  std::vector<MPI_Request> requests(1);
  MPI_Iallreduce(&numbers->own, &numbers->largest, 1, MPI_INT64_T, MPI_MAX, team, requests.data());
  if (wait(requests, go_on, nullptr)) return numbers->largest;
  state_->given_up.push_back(numbers);
  return std::nullopt;
}

std::optional<std::vector<std::string>> Link::gather_all(const std::string& own, const GoOn& go_on) {
  const auto ranks = static_cast<size_t>(size());
  struct Texts {
    std::string own, all{};
    int own_size = 0;
    std::vector<int> sizes{}, starts{};
  };
  const auto texts = std::make_shared<Texts>(Texts{own});
  texts->own_size = static_cast<int>(own.size());
  texts->sizes.resize(ranks);
  const auto done = [&](std::vector<MPI_Request>& requests) {
    if (wait(requests, go_on, nullptr)) return true;
    state_->given_up.push_back(texts);
    return false;
  };
  std::vector<MPI_Request> requests(1);
  MPI_Iallgather(&texts->own_size, 1, MPI_INT, texts->sizes.data(), 1, MPI_INT, state_->data,
                 requests.data());
  if (!done(requests)) return std::nullopt;
  int total = 0;
  for (const int each : texts->sizes) {
    texts->starts.push_back(total);
    total += each;
  }
  texts->all.resize(static_cast<size_t>(total));
  requests.assign(1, MPI_REQUEST_NULL);
  MPI_Iallgatherv(texts->own.data(), texts->own_size, MPI_BYTE, texts->all.data(), texts->sizes.data(),
                  texts->starts.data(), MPI_BYTE, state_->data, requests.data());
  if (!done(requests)) return std::nullopt;
  std::vector<std::string> out;
  for (size_t r = 0; r < ranks; ++r)
    out.push_back(
        texts->all.substr(static_cast<size_t>(texts->starts[r]), static_cast<size_t>(texts->sizes[r])));
  return out;
}

void Link::abandon(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

}  // namespace shardscope::inline cluster
#endif
