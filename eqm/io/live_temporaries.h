// The temporary files of this process that are being written, and the folders it made for results
// that are not there yet, so that a program which a signal ends can remove them on its way out. The
// one thing here that is global, because signals are.
#pragma once

#include <filesystem>

namespace eqm {

// Lists a file or folder while it lives. Where there are more files than places, or a path is too
// long, it is not listed, and stays for sweep_temporaries().
class LiveTemporary {
 public:
  LiveTemporary() = default;
  explicit LiveTemporary(const std::filesystem::path& path);
  LiveTemporary(LiveTemporary&& other) noexcept;
  LiveTemporary& operator=(LiveTemporary&& other) noexcept;
  ~LiveTemporary();

 private:
  int place_ = -1;
};

// Removes the files that are listed, and the folders that are empty then. For signal handlers
// (calls nothing but unlink and rmdir) of a program that ends right after: their writers do not
// notice.
void remove_live_temporaries();

}  // namespace eqm
