// The models, recipes and experiments that come with eqm: where they are, and how a name without a
// path finds them. They are looked for in $EQM_SHARE, relative to the program, so that it works
// from any folder and wherever it was installed (../share/eqm of an installation, .. of a build
// folder), and where the library was to be installed, for other programs that use it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace eqm::app {

enum class ShippedKind { model, recipe, experiment };

struct ShippedFile {
  std::string name;  // "fashion-xs4", "ablations/fashion-fm"
  std::filesystem::path path;
};

// All of a kind, by name; none where the program stands alone.
std::vector<ShippedFile> shipped_files(ShippedKind kind);

// What a user gave for one of them, as a path: a file or folder that exists, else the
// shipped file of that name. What looks like a path stays as it is, for its reader to refuse; kind
// usage for a name that means nothing, with the nearest ones.
std::filesystem::path find_shipped(ShippedKind kind, const std::string& what);

}  // namespace eqm::app
