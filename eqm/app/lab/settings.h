// Options of a use as experiments write them: "rule=gd limit=100", with blanks between them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "eqm/base/options.h"

namespace eqm::app {

using Settings = std::vector<std::pair<std::string, std::string>>;  // key and text

// Kind input for a word without '='; `origin` stands before the sentence.
Settings settings_in(const std::string& text, const std::string& origin);

// Those of `base`, but for the keys that `changes` has.
Settings changed(Settings base, const Settings& changes);

// Sets the options that are named. An unknown one or a bad value is of kind input, with its origin,
// and so is one that the lab sets itself: folders, seeds, weights to begin with, the runtime.
void apply(const Settings& settings, OptionSet& options, const std::string& origin);

// With the folder of data sets where a text says {data}.
Settings with_data(Settings settings, const std::filesystem::path& data);

std::string text_of(const Settings& settings);

}  // namespace eqm::app
