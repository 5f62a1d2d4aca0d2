// The weights of a network by name.
#pragma once

#include <string>

#include "eqm/backbone/backbone.h"
#include "eqm/tensor/named_tensors.h"

namespace eqm {

// Every parameter, fixed ones included; the tensors are the parameters themselves.
NamedTensors weights_of(const Backbone& backbone);

// Those that training changes.
NamedTensors trainable_weights_of(const Backbone& backbone);

// The name of the first one with a number that is not finite; empty where all are sound.
std::string unsound_weight_of(const Backbone& backbone);

// The same number for the same names and values, on every machine; another one after training.
uint64_t fingerprint_of(const Backbone& backbone);

// Between networks of the same architecture.
void copy_weights(const Backbone& from, Backbone& to);

// A network of the same architecture, device and precision with a copy of the weights.
std::shared_ptr<Backbone> copy_of(const Backbone& backbone);

}  // namespace eqm
