#include "eqm/descend/request_queue.h"

#include <algorithm>
#include <iterator>

namespace eqm {

void RequestQueue::push(WaitingRequest waiting) {
  const uint64_t client = waiting.request.client;
  if (waiting.request.deadline) earliest_ = std::min(earliest_, *waiting.request.deadline);
  std::deque<WaitingRequest>& own = of_client_[client];
  if (own.empty()) turns_.push_back(client);
  own.push_back(std::move(waiting));
  ++size_;
}

const Request& RequestQueue::front() const {
  return of_client_.at(turns_.front()).front().request;
}

WaitingRequest RequestQueue::pop() {
  const uint64_t client = turns_.front();
  turns_.pop_front();
  const auto own = of_client_.find(client);
  WaitingRequest first = std::move(own->second.front());
  own->second.pop_front();
  if (own->second.empty()) {
    of_client_.erase(own);
  } else {
    turns_.push_back(client);
  }
  --size_;
  return first;
}

std::vector<WaitingRequest> RequestQueue::take_if(
    const std::function<bool(const WaitingRequest&)>& leaves) {
  std::vector<WaitingRequest> taken;
  earliest_ = Deadline::max();
  for (auto& [client, own] : of_client_) {
    const auto stays = [&](const WaitingRequest& waiting) { return !leaves(waiting); };
    const auto kept = std::stable_partition(own.begin(), own.end(), stays);
    std::move(kept, own.end(), std::back_inserter(taken));
    own.erase(kept, own.end());
    for (const WaitingRequest& waiting : own) {
      if (waiting.request.deadline) earliest_ = std::min(earliest_, *waiting.request.deadline);
    }
  }
  size_ -= taken.size();
  std::erase_if(of_client_, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(turns_, [&](uint64_t client) { return !of_client_.contains(client); });
  std::ranges::sort(taken, {}, &WaitingRequest::id);
  return taken;
}

}  // namespace eqm
