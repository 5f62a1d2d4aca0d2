// Where shipped models are looked for, for one test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace eqm::test {

// $EQM_SHARE while it lives.
class ShareFolder {
 public:
  explicit ShareFolder(const std::filesystem::path& path) {
    if (const char* old = std::getenv("EQM_SHARE")) old_ = old;
    ::setenv("EQM_SHARE", path.c_str(), 1);
  }
  ShareFolder(const ShareFolder&) = delete;
  ShareFolder& operator=(const ShareFolder&) = delete;
  ~ShareFolder() {
    if (old_) {
      ::setenv("EQM_SHARE", old_->c_str(), 1);
    } else {
      ::unsetenv("EQM_SHARE");
    }
  }

 private:
  std::optional<std::string> old_;
};

}  // namespace eqm::test
