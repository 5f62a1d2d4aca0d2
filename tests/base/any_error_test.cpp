#include "eqm/base/any_error.h"

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

namespace eqm {
namespace {

TEST(AnyError, an_error_stays_what_it_is) {
  const Error error = error_from(Error(ErrorKind::numeric, "it diverged", "lower {eta}"));
  EXPECT_EQ(error.kind(), ErrorKind::numeric);
  EXPECT_STREQ(error.what(), "it diverged");
  EXPECT_EQ(error.hint(), "lower {eta}");
}

TEST(AnyError, too_little_memory_is_known_by_type_or_text) {
  EXPECT_EQ(error_from(std::bad_alloc()).kind(), ErrorKind::usage);
  for (const char* text : {"DefaultCPUAllocator: can't allocate", "CUDA out of memory."}) {
    const Error error = error_from(std::runtime_error(text));
    EXPECT_EQ(error.kind(), ErrorKind::usage) << text;
    EXPECT_STREQ(error.what(), "not enough memory for this request");
  }
}

TEST(AnyError, others_are_the_system_s_or_ours_and_one_line_long) {
  const std::system_error refused(std::make_error_code(std::errc::too_many_files_open));
  EXPECT_EQ(error_from(refused).kind(), ErrorKind::io);
  const Error ours = error_from(std::logic_error("bad index\nstack: ..."));
  EXPECT_EQ(ours.kind(), ErrorKind::internal);
  EXPECT_STREQ(ours.what(), "internal error: bad index");
  EXPECT_NE(ours.hint(), "");
}

}  // namespace
}  // namespace eqm
