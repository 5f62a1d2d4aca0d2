#include "eqm/landscape/model_card.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/base/error.h"
#include "eqm/io/json_value.h"

namespace eqm {
namespace {

constexpr int kFormat = 1;

template <class Enum>
Enum from_name(const Names<Enum>& names, const std::string& name) {
  if (const auto value = find_named(names, name)) return *value;
  throw Error(ErrorKind::input, fmt::format("the model file names an unknown '{}'", name),
              "was it written by a newer eqm?");
}

void check_scaling(const Scaling& scaling) {
  bool fine = std::isfinite(scaling.unit) && scaling.unit > 0 && !scaling.centre.empty();
  for (const double centre : scaling.centre) fine = fine && std::isfinite(centre);
  if (!fine) {
    throw Error(ErrorKind::input, "the model file's scaling is not made of finite numbers",
                "the file was changed by hand or damaged; export or import the model again");
  }
}

ModelCard parsed_card(const nlohmann::json& json) {
  if (json_value<int>(json.at("format")) != kFormat) {
    throw Error(ErrorKind::input,
                fmt::format("the model file has format {}, this program reads {}",
                            json.at("format").dump(), kFormat),
                "use a newer eqm");
  }
  ModelCard card;
  Model& model = card.model;
  model.objective.kind = from_name(objective_names(), json.at("objective"));
  json.at("dispersive_weight").get_to(model.objective.dispersive_weight);
  const nlohmann::json& landscape = json.at("landscape");
  Magnitude& magnitude = model.objective.magnitude;
  magnitude.kind = from_name(magnitude_names(), landscape.at("c"));
  landscape.at("a").get_to(magnitude.a);
  landscape.at("b").get_to(magnitude.b);
  landscape.at("lambda").get_to(magnitude.lambda);
  magnitude.validate();
  json.at("scaling").at("centre").get_to(model.scaling.centre);
  json.at("scaling").at("unit").get_to(model.scaling.unit);
  check_scaling(model.scaling);
  json.at("output_sign").get_to(model.output_sign);
  json.at("class_names").get_to(model.class_names);
  if (model.output_sign != 1 && model.output_sign != -1) {
    throw Error(ErrorKind::input, "the model file's output_sign is neither 1 nor -1",
                "the file was changed by hand or damaged; export or import the model again");
  }
  card.architecture = json.at("architecture").dump();
  return card;
}

}  // namespace

std::string write_model_card(const Model& model, const std::string& architecture) {
  const Magnitude& magnitude = model.objective.magnitude;
  return nlohmann::json{
      {"format", kFormat},
      {"architecture", nlohmann::json::parse(architecture)},
      {"objective", name_of(model.objective.kind)},
      {"dispersive_weight", model.objective.dispersive_weight},
      {"landscape",
       {{"c", name_in(magnitude_names(), magnitude.kind)},
        {"a", magnitude.a},
        {"b", magnitude.b},
        {"lambda", magnitude.lambda}}},
      {"scaling", {{"centre", model.scaling.centre}, {"unit", model.scaling.unit}}},
      {"output_sign", model.output_sign},
      {"class_names", model.class_names}}
      .dump();
}

ModelCard read_model_card(const std::string& text) {
  try {
    return parsed_card(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::input, fmt::format("it describes its model badly ({})", error.what()),
                "the file may be damaged; write it again");
  }
}

}  // namespace eqm
