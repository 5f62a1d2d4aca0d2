// The JSON of an architecture from the one list of its fields: a config names each of its fields in
// `visit(config, f)`, which calls f(name, field). Reading asks for all of them.
#pragma once

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/base/error.h"
#include "eqm/io/json_value.h"

namespace eqm {

template <class Config>
nlohmann::json fields_to_json(const Config& config) {
  nlohmann::json json;
  Config::visit(config, [&](const char* name, const auto& field) { json[name] = field; });
  return json;
}

// Throws what the JSON library does where a field is missing or of another type.
template <class Config>
Config fields_from_json(const nlohmann::json& json) {
  Config config;
  Config::visit(config, [&](const char* name, auto& field) { read_json(json.at(name), field); });
  return config;
}

// An architecture's JSON: its kind and its fields.
template <class Config>
std::string architecture_of(const char* kind, const Config& config) {
  nlohmann::json json = fields_to_json(config);
  json["kind"] = kind;
  return json.dump();
}

// `network` is what the error calls it, as "a SiT".
template <class Read>
auto read_architecture(const std::string& network, const std::string& text, const Read& read) {
  try {
    return read(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::input,
                fmt::format("the architecture of {} is incomplete or malformed ({})", network,
                            error.what()),
                "was the file written by eqm or by the reference implementation?");
  }
}

template <class Config>
Config config_from_json(const std::string& network, const std::string& text) {
  return read_architecture(network, text, fields_from_json<Config>);
}

}  // namespace eqm
