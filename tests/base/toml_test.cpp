#include "eqm/base/toml.h"

#include <bit>
#include <cmath>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;
using test::TemporaryFolder;
using namespace std::string_literals;

struct Settings {
  std::string data = "moons";
  int64_t steps = 100;
  double lr = 0.003;
  bool flow = true;
  double eta = 0.05;
  std::string precision = "float32";

  void declare(OptionSet& set) {
    set.text("data", data, "what to learn");
    set.section("training");
    set.count("steps", steps, Range::at_least(1), "optimiser steps");
    set.number("lr", lr, {}, "learning rate");
    set.flag("flow", flow, "also learn the flow");
    set.section("descent");
    set.number("eta", eta, Range::positive(), "step size η");
    set.section("runtime.numbers");
    set.choice("precision", precision, {"float32", "float64"}, "of all numbers");
  }
};

class Toml : public ::testing::Test {
 protected:
  Toml() { values_.declare(set_); }

  void read(const std::string& text) { read_toml(set_, text, "made.toml"); }

  // Refused with an input error that starts with the place and contains `part`; answers the hint.
  std::string refused(const std::string& text, int line, const std::string& part) {
    const std::string place = "made.toml, line " + std::to_string(line) + ": ";
    expect_error(ErrorKind::input, part, [&] { read(text); });
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(place)) << error.what();
      return error.hint();
    }
    return "no error";
  }

  Settings values_;
  OptionSet set_;
};

TEST_F(Toml, reads_tables_as_sections) {
  read(
      "data = \"circles\"\n\n[training]\nsteps = 7\nlr = 1e-4\nflow = false\n[descent]\neta = 2\n");
  EXPECT_EQ(values_.data, "circles");
  EXPECT_EQ(values_.steps, 7);
  EXPECT_EQ(values_.lr, 1e-4);
  EXPECT_FALSE(values_.flow);
  EXPECT_EQ(values_.eta, 2.0);
}

TEST_F(Toml, leaves_what_it_does_not_name) {
  read("# nothing\n");
  EXPECT_EQ(values_.steps, 100);
  read("");
  EXPECT_EQ(values_.data, "moons");
}

TEST_F(Toml, reads_dotted_keys_nested_and_inline_tables) {
  read("training.steps = 8\n");
  EXPECT_EQ(values_.steps, 8);
  read("[runtime.numbers]\nprecision = \"float64\"\n");
  EXPECT_EQ(values_.precision, "float64");
  read("[runtime]\nnumbers.precision = \"float32\"\n");
  EXPECT_EQ(values_.precision, "float32");
  read("training = { steps = 9, lr = 0.5 }\n");
  EXPECT_EQ(values_.steps, 9);
  EXPECT_EQ(values_.lr, 0.5);
}

TEST_F(Toml, names_the_nearest_key_for_an_unknown_one) {
  EXPECT_EQ(refused("[training]\n\nstesp = 7\n", 3, "unknown key 'training.stesp'"),
            "did you mean 'training.steps'?");
  EXPECT_EQ(refused("daat = \"x\"\n", 1, "unknown key 'daat'"), "did you mean 'data'?");
  EXPECT_EQ(refused("[trainign]\nstpes = 7\n", 2, "unknown key 'trainign.stpes'"),
            "did you mean 'training.steps'?");
}

TEST_F(Toml, lists_the_keys_when_none_is_near) {
  const std::string hint = refused("colour = 1\n", 1, "unknown key 'colour'");
  EXPECT_NE(hint.find("training.steps"), std::string::npos) << hint;
}

TEST_F(Toml, says_where_a_key_in_the_wrong_table_belongs) {
  EXPECT_EQ(refused("steps = 7\n", 1, "unknown key 'steps'"),
            "'steps' belongs in the table [training]");
  EXPECT_EQ(refused("[descent]\nlr = 7\n", 2, "unknown key 'descent.lr'"),
            "'lr' belongs in the table [training]");
  EXPECT_EQ(refused("[descent]\ndata = \"x\"\n", 2, "unknown key 'descent.data'"),
            "'data' belongs at the top of the file, before any table");
}

TEST_F(Toml, refuses_values_of_the_wrong_type) {
  EXPECT_EQ(refused("[training]\nsteps = \"many\"\n", 2, "'many' is of the wrong type"),
            "training.steps takes a whole number, at least 1");
  refused("[training]\nsteps = 1.5\n", 2, "training.steps: '1.5' is of the wrong type");
  refused("[training]\n\nflow = 1\n", 3, "training.flow: '1' is of the wrong type");
  refused("data = 3\n", 1, "data: '3' is of the wrong type");
}

TEST_F(Toml, refuses_values_out_of_range) {
  EXPECT_EQ(refused("[descent]\neta = 0\n", 2, "descent.eta: 0 is out of range"),
            "descent.eta takes a number, above 0");
  refused("[training]\nsteps = -3\n", 2, "training.steps: -3 is out of range");
  refused("[descent]\neta = nan\n", 2, "not finite");
  refused("[descent]\neta = inf\n", 2, "not finite");
  EXPECT_EQ(refused("runtime.numbers.precision = \"flaot64\"\n", 1, "not one of its choices"),
            "did you mean 'float64'?");
}

TEST_F(Toml, refuses_arrays_dates_and_values_in_place_of_tables) {
  refused("[training]\nsteps = [1, 2]\n", 2, "'training.steps' is neither text");
  refused("data = 2024-01-01\n", 1, "'data' is neither text");
  refused("training = 3\n", 1, "unknown key 'training'");
  refused("[[training]]\nsteps = 3\n", 1, "unknown key 'training'");
  refused("[data]\nx = 3\n", 2, "unknown key 'data.x'");
}

TEST_F(Toml, names_the_line_of_a_syntax_error) {
  EXPECT_NE(refused("[training]\nsteps 7\n", 2, "").find("valid TOML"), std::string::npos);
  refused("data = moons\n", 1, "");
  refused("data = \"moons\n", 1, "");
  refused("[training]\nsteps = 1\nsteps = 2\n", 3, "");
  refused("[training\n", 1, "");
  refused("[training]\nflow = t\n", 2, "saw 't");  // toml++ quotes the line end
  refused("[=]\n", 1, "");
  refused("\n[.a]\n", 2, "");
  refused(std::string("data = \"\xff\"\n"), 1, "");
}

TEST_F(Toml, writes_every_option_with_its_help) {
  const std::string text = to_toml(set_);
  EXPECT_TRUE(text.starts_with("data = ")) << text;  // before any table
  for (const char* part : {"[training]\n", "steps = 100  # optimiser steps\n", "[descent]\n",
                           "eta = 0.05  # step size η\n", "[runtime.numbers]\n", "flow = true"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
  }
}

TEST_F(Toml, writes_whole_numbers_so_that_they_stay_numbers) {
  values_.lr = 1;
  EXPECT_NE(to_toml(set_).find("lr = 1.0 "), std::string::npos) << to_toml(set_);
}

RC_GTEST_PROP(ToToml, reads_back_to_identical_values, (int64_t count, uint64_t bits, bool flow)) {
  const auto number = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(number));
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "a", " ", "\"", "'", "'''", "\"\"\"", "\\", "\n", "\r\n", "\t", "#", "=", "[", "ü", "γ", "😀",
      "\x01", "\x1b", "\x7f", "\\u0041", "\xe2\x80\xa8"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;

  Settings given = {.data = text, .steps = count, .lr = number, .flow = flow};
  RC_PRE(count >= 1);
  OptionSet from;
  given.declare(from);
  Settings read;
  OptionSet into;
  read.declare(into);
  read_toml(into, to_toml(from), "made.toml");
  RC_ASSERT(read.data == text);
  RC_ASSERT(read.steps == count);
  RC_ASSERT(std::bit_cast<uint64_t>(read.lr) == bits);
  RC_ASSERT(read.flow == flow);
  RC_ASSERT(to_toml(into) == to_toml(from));
}

RC_GTEST_PROP(ReadToml, any_text_is_read_or_an_input_error, ()) {
  const std::string alphabet = "[]{}=.\"'#\\ \n\r\tdatrinegsp019-+e\xff\0"s;
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(alphabet));
  Settings values;
  OptionSet set;
  values.declare(set);
  try {
    read_toml(set, text, "made.toml");
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
    RC_ASSERT(std::string(error.what()).find('\n') == std::string::npos);
  }
}

class TomlFile : public Toml {
 protected:
  std::filesystem::path write(const std::string& text) {
    const std::filesystem::path path = folder_ / "made.toml";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  TemporaryFolder folder_;
};

TEST_F(TomlFile, is_read_and_named_in_errors) {
  read_toml_file(set_, write("[training]\nsteps = 12\n"));
  EXPECT_EQ(values_.steps, 12);
  const auto path = write("\nsteps = 0\n");
  expect_error(ErrorKind::input, path.string() + ", line 2", [&] { read_toml_file(set_, path); });
}

TEST_F(TomlFile, may_start_with_a_utf8_mark_and_have_windows_lines) {
  read_toml_file(set_, write("\xEF\xBB\xBF[training]\r\nsteps = 13\r\n"));
  EXPECT_EQ(values_.steps, 13);
}

TEST_F(TomlFile, missing_is_an_io_error) {
  expect_error(ErrorKind::io, "absent.toml': No such file",
               [&] { read_toml_file(set_, folder_ / "absent.toml"); });
  expect_error(ErrorKind::io, "cannot open", [&] { read_toml_file(set_, ""); });
}

TEST_F(TomlFile, that_is_a_folder_is_an_io_error) {
  expect_error(ErrorKind::io, "not a regular file", [&] { read_toml_file(set_, folder_.path()); });
}

TEST_F(TomlFile, unreadable_is_an_io_error) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const auto path = write("data = \"x\"\n");
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  expect_error(ErrorKind::io, "Permission denied", [&] { read_toml_file(set_, path); });
}

TEST_F(TomlFile, without_end_is_refused) {
  expect_error(ErrorKind::io, "not a regular file", [&] { read_toml_file(set_, "/dev/zero"); });
  const auto path = write(std::string(100'000, '\n'));
  expect_error(ErrorKind::input, "more than", [&] { read_toml_file(set_, path); });
}

TEST_F(TomlFile, that_is_a_pipe_is_refused_at_once) {
  const std::string pipe = (folder_.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_error(ErrorKind::io, "not a regular file", [&] { read_toml_file(set_, pipe); });
}

TEST(TomlTables, refuses_an_empty_table_that_no_option_lives_in) {
  OptionSet set;
  expect_error(ErrorKind::input, "bogus", [&] { read_toml(set, "[bogus]\n", "x"); });
}

class TomlBase : public Toml {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  // The file's place in messages.
  std::string at(const std::string& name, int line) {
    return (folder_ / name).string() + ", line " + std::to_string(line) + ": ";
  }

  TemporaryFolder folder_;
};

TEST_F(TomlBase, is_read_first_and_overridden) {
  write("base.toml", "data = \"circles\"\n[training]\nsteps = 7\nlr = 0.5\n");
  read_toml_file(set_, write("made.toml", "base = \"base.toml\"\n[training]\nlr = 0.25\n"));
  EXPECT_EQ(values_.data, "circles");
  EXPECT_EQ(values_.steps, 7);
  EXPECT_EQ(values_.lr, 0.25);
  EXPECT_EQ(to_toml(set_).find("base"), std::string::npos);
}

TEST_F(TomlBase, may_have_a_base_in_another_folder) {
  write("root.toml", "[training]\nsteps = 7\nlr = 0.5\n");
  write("sub/middle.toml", "base = \"../root.toml\"\n[training]\nlr = 0.25\nflow = false\n");
  const auto path = write("made.toml", "base = \"sub/middle.toml\"\ntraining.flow = true\n");
  read_toml_file(set_, path);
  EXPECT_EQ(values_.steps, 7);
  EXPECT_EQ(values_.lr, 0.25);
  EXPECT_TRUE(values_.flow);
}

TEST_F(TomlBase, may_be_an_absolute_path) {
  const auto base = write("base.toml", "[training]\nsteps = 7\n");
  read_toml_file(set_, write("made.toml", "base = \"" + base.string() + "\"\n"));
  EXPECT_EQ(values_.steps, 7);
}

TEST_F(TomlBase, is_found_beside_a_file_named_without_a_folder) {
  write("base.toml", "[training]\nsteps = 7\n");
  write("made.toml", "base = \"base.toml\"\n");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_NO_THROW(read_toml_file(set_, "made.toml"));
  std::filesystem::current_path(before);
  EXPECT_EQ(values_.steps, 7);
}

TEST_F(TomlBase, that_is_no_file_may_be_found_by_name) {
  const auto shipped = write("elsewhere/known.toml", "[training]\nsteps = 7\n");
  const auto find = [&](const std::string& name) -> std::filesystem::path {
    if (name == "known") return shipped;
    if (name == "knwon") throw Error(ErrorKind::usage, "no such name", "take known");
    return name;
  };
  const auto path = write("made.toml", "base = \"known\"\n");
  read_toml_file(set_, path, find);
  EXPECT_EQ(values_.steps, 7);
  write("known", "[training]\nsteps = 8\n");  // a file beside it comes first
  read_toml_file(set_, path, find);
  EXPECT_EQ(values_.steps, 8);
  write("made.toml", "\nbase = \"knwon\"\n");
  expect_error(ErrorKind::input, at("made.toml", 2) + "no such name",
               [&] { read_toml_file(set_, path, find); });
  write("made.toml", "base = \"absent.toml\"\n");
  expect_error(ErrorKind::io, (folder_ / "absent.toml").string(),
               [&] { read_toml_file(set_, path, find); });
}

TEST_F(TomlBase, of_a_text_needs_a_folder) {
  write("base.toml", "[training]\nsteps = 7\n");
  read_toml(set_, "base = \"base.toml\"\n", "request", folder_.path());
  EXPECT_EQ(values_.steps, 7);
  refused("\nbase = \"base.toml\"\n", 2, "'base' has no meaning here");
}

TEST_F(TomlBase, names_the_file_with_the_mistake) {
  write("base.toml", "[training]\n\nstesp = 7\n");
  const auto path = write("made.toml", "base = \"base.toml\"\n[training]\nsteps = 0\n");
  expect_error(ErrorKind::input, at("base.toml", 3) + "unknown key",
               [&] { read_toml_file(set_, path); });
  write("base.toml", "[training]\nsteps = 7\n");
  expect_error(ErrorKind::input, at("made.toml", 3) + "training.steps",
               [&] { read_toml_file(set_, path); });
  write("base.toml", "\nsteps 7\n");
  expect_error(ErrorKind::input, at("base.toml", 2), [&] { read_toml_file(set_, path); });
}

TEST_F(TomlBase, that_is_missing_is_named_with_the_file_that_asks_for_it) {
  const auto path = write("made.toml", "\nbase = \"absent.toml\"\n");
  const std::string absent = (folder_ / "absent.toml").string();
  expect_error(ErrorKind::io, at("made.toml", 2) + "cannot open '" + absent + "': No such file",
               [&] { read_toml_file(set_, path); });
  write("made.toml", "base = \".\"\n");
  expect_error(ErrorKind::io, at("made.toml", 1), [&] { read_toml_file(set_, path); });
}

TEST_F(TomlBase, must_not_come_back_to_itself) {
  const auto itself = write("itself.toml", "base = \"itself.toml\"\n");
  expect_error(ErrorKind::input, at("itself.toml", 1), [&] { read_toml_file(set_, itself); });
  const auto one = write("one.toml", "base = \"sub/../two.toml\"\n");
  write("sub/x.toml", "");
  write("two.toml", "base = \"link.toml\"\n");
  std::filesystem::create_symlink("one.toml", folder_ / "link.toml");
  expect_error(ErrorKind::input, "builds on itself", [&] { read_toml_file(set_, one); });
}

TEST_F(TomlBase, ends_after_eight_files) {
  write("1.toml", "[training]\nsteps = 7\n");
  for (int k = 2; k <= 9; ++k) {
    write(std::to_string(k) + ".toml", "base = \"" + std::to_string(k - 1) + ".toml\"\n");
  }
  read_toml_file(set_, folder_ / "8.toml");
  EXPECT_EQ(values_.steps, 7);
  expect_error(ErrorKind::input, at("2.toml", 1) + "more than 8 files",
               [&] { read_toml_file(set_, folder_ / "9.toml"); });
}

TEST_F(TomlBase, is_the_name_of_a_file) {
  const auto path = folder_ / "made.toml";
  for (const char* text : {"base = 3\n", "base = \"\"\n", "base = [\"a\"]\n", "[base]\nx = 1\n"}) {
    write("made.toml", text);
    expect_error(ErrorKind::input, "'base' is not the name of a file",
                 [&] { read_toml_file(set_, path); });
  }
  write("made.toml", "[training]\nbase = \"x.toml\"\n");
  expect_error(ErrorKind::input, "unknown key 'training.base'",
               [&] { read_toml_file(set_, path); });
}

TEST_F(TomlFile, of_the_deepest_tables_the_size_allows_is_an_input_error) {
  std::string text = "a";
  while (text.size() < 16'000) text += ".a";
  const auto path = write(text + " = 1\n");
  EXPECT_THROW(read_toml_file(set_, path), Error);
}

}  // namespace
}  // namespace eqm
