#include "eqm/io/live_temporaries.h"

#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include <limits.h>
#include <unistd.h>

namespace eqm {
namespace {

enum class State { free, filling, listed };

struct Place {
  std::atomic<State> state = State::free;
  std::array<char, PATH_MAX> path;
};

static_assert(std::atomic<State>::is_always_lock_free, "handlers must not wait");

// A run has one for each kind of file it writes at a time.
constexpr int kPlaces = 16;

std::array<Place, kPlaces> places;

}  // namespace

LiveTemporary::LiveTemporary(const std::filesystem::path& path) {
  const std::string& text = path.native();
  if (text.size() >= PATH_MAX) return;
  for (int i = 0; i < kPlaces; ++i) {
    Place& place = places[static_cast<size_t>(i)];
    State expected = State::free;
    if (!place.state.compare_exchange_strong(expected, State::filling)) continue;
    std::memcpy(place.path.data(), text.c_str(), text.size() + 1);
    place.state = State::listed;
    place_ = i;
    return;
  }
}

LiveTemporary::LiveTemporary(LiveTemporary&& other) noexcept
    : place_(std::exchange(other.place_, -1)) {}

LiveTemporary& LiveTemporary::operator=(LiveTemporary&& other) noexcept {
  std::swap(place_, other.place_);
  return *this;
}

LiveTemporary::~LiveTemporary() {
  if (place_ >= 0) places[static_cast<size_t>(place_)].state = State::free;
}

void remove_live_temporaries() {
  for (Place& place : places) {
    if (place.state == State::listed) ::unlink(place.path.data());
  }
  // The system refuses to remove a folder that holds anything; one within another goes first.
  bool removed = true;
  while (removed) {
    removed = false;
    for (Place& place : places) {
      if (place.state == State::listed) removed |= ::rmdir(place.path.data()) == 0;
    }
  }
}

}  // namespace eqm
