// Requests that wait for a place in the batch: bounded, and fair between clients, who take turns
// with one request each. The requests of one client keep their order. Not thread-safe: the engine
// guards it.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "eqm/descend/request.h"

namespace eqm {

struct WaitingRequest {
  uint64_t id = 0;
  Request request;
};

class RequestQueue {
 public:
  explicit RequestQueue(size_t limit) : limit_(limit) {}

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ >= limit_; }
  size_t size() const { return size_; }

  void push(WaitingRequest waiting);  // there must be room

  // The request whose turn it is; the queue must not be empty.
  const Request& front() const;
  WaitingRequest pop();

  // No request that waits has an earlier deadline; the far future where none has one.
  Deadline earliest_deadline() const { return earliest_; }

  // Takes out those that `leaves` names, in the order they came.
  std::vector<WaitingRequest> take_if(const std::function<bool(const WaitingRequest&)>& leaves);

 private:
  size_t limit_, size_ = 0;
  std::unordered_map<uint64_t, std::deque<WaitingRequest>> of_client_;
  std::deque<uint64_t> turns_;  // clients with requests, the next one first
  Deadline earliest_ = Deadline::max();
};

}  // namespace eqm
