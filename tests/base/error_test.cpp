#include "eqm/base/error.h"

#include <cerrno>
#include <string>

#include <gtest/gtest.h>

namespace eqm {
namespace {

Error error_of_errno(int code) {
  errno = code;
  return io_error_from_errno("open", "a.csv");
}

TEST(Error, every_kind_has_the_documented_exit_code) {
  EXPECT_EQ(exit_code(ErrorKind::usage), 2);
  EXPECT_EQ(exit_code(ErrorKind::input), 3);
  EXPECT_EQ(exit_code(ErrorKind::io), 4);
  EXPECT_EQ(exit_code(ErrorKind::numeric), 5);
  EXPECT_EQ(exit_code(ErrorKind::internal), 70);
}

TEST(Error, every_kind_has_a_name) {
  EXPECT_EQ(name_of(ErrorKind::usage), "usage");
  EXPECT_EQ(name_of(ErrorKind::input), "input");
  EXPECT_EQ(name_of(ErrorKind::io), "i/o");
  EXPECT_EQ(name_of(ErrorKind::numeric), "numeric");
  EXPECT_EQ(name_of(ErrorKind::internal), "internal");
}

TEST(Error, carries_its_kind_sentence_and_hint) {
  const Error error(ErrorKind::numeric, "the loss is not finite", "lower --lr");
  EXPECT_EQ(error.kind(), ErrorKind::numeric);
  EXPECT_STREQ(error.what(), "the loss is not finite");
  EXPECT_EQ(error.hint(), "lower --lr");
  EXPECT_EQ(Error(ErrorKind::input, "bad").hint(), "");
  EXPECT_NE(Error(ErrorKind::internal, "bad").hint().find("report it"), std::string::npos);
}

TEST(Error, stays_on_one_line_whatever_it_quotes) {
  const Error error(ErrorKind::usage, "unknown verb 'a\nb\x1b[31m'", "see\r\n\x7f'γ'");
  EXPECT_STREQ(error.what(), "unknown verb 'a b [31m'");
  EXPECT_EQ(error.hint(), "see   'γ'");
}

TEST(IoErrorFromErrno, says_what_failed_on_which_path_and_why) {
  const Error error = error_of_errno(ENOENT);
  EXPECT_EQ(error.kind(), ErrorKind::io);
  EXPECT_STREQ(error.what(), "cannot open 'a.csv': No such file or directory");
}

TEST(IoErrorFromErrno, hints_at_the_remedy_where_there_is_one) {
  EXPECT_NE(error_of_errno(ENOENT).hint().find("spelling"), std::string::npos);
  for (const int code : {EACCES, EPERM, EROFS}) {
    EXPECT_NE(error_of_errno(code).hint().find("permissions"), std::string::npos) << code;
  }
  for (const int code : {ENOSPC, EDQUOT}) {
    EXPECT_NE(error_of_errno(code).hint().find("disk is full"), std::string::npos) << code;
  }
  for (const int code : {EIO, EMFILE, ENAMETOOLONG, EISDIR, EFBIG, ELOOP, ENODEV}) {
    EXPECT_FALSE(error_of_errno(code).hint().empty()) << code;
  }
}

}  // namespace
}  // namespace eqm
