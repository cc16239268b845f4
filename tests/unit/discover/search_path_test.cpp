// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "fixture.h"

namespace bkr::core::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> paths(const std::vector<SearchPlace> &places) {
  std::vector<std::string> found;
  for (const SearchPlace &place : places) found.push_back(place.path);
  return found;
}

// Back to the old working directory at the end.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::string &path) : old_(fs::current_path()) { fs::current_path(path); }
  ~WorkingDirectory() { fs::current_path(old_); }

 private:
  fs::path old_;
};

TEST(SearchPath, PlacesComeInTheirOrder) {
  SearchSettings settings;
  settings.config_dirs = {"/one", "/two"};
  settings.plugin_path = "/three:/four";
  settings.xdg_data_home = "/data";
  settings.home = "/home/x";

  const auto places = search_places(settings);

  EXPECT_EQ(paths(places), (std::vector<std::string>{"/one", "/two", "/three", "/four",
                                                     "/data/backend_registry/plugins", library_plugin_dir()}));
  EXPECT_EQ(origin_word(places[0].origin), "config");
  EXPECT_EQ(origin_word(places[2].origin), "environment");
  EXPECT_EQ(origin_word(places[4].origin), "user");
  EXPECT_EQ(origin_word(places[5].origin), "library");
}

TEST(SearchPath, DataDirectoryDefaultsToOneInHome) {
  SearchSettings settings;
  settings.home = "/home/x";
  EXPECT_EQ(search_places(settings).front().path, "/home/x/.local/share/backend_registry/plugins");
  settings.xdg_data_home = "not/absolute";
  EXPECT_EQ(search_places(settings).front().path, "/home/x/.local/share/backend_registry/plugins");
}

TEST(SearchPath, DefaultDirectoriesCanBeLeftOut) {
  SearchSettings settings;
  settings.home = "/home/x";
  settings.default_dirs = false;
  EXPECT_TRUE(search_places(settings).empty());
}

TEST(Case, S5_EmptyVariableAndEmptyItemsAreNoPlaces) {
  SearchSettings settings;
  settings.default_dirs = false;
  settings.plugin_path = "";
  EXPECT_TRUE(search_places(settings).empty());
  settings.plugin_path = "::/a::";
  EXPECT_EQ(paths(search_places(settings)), std::vector<std::string>{"/a"});
}

TEST(Case, N6_RelativePlacesAreFixedWhenTheyAreGiven) {
  const TempDir one;
  const TempDir two;
  SearchSettings settings;
  settings.default_dirs = false;
  settings.plugin_path = "plugins";
  settings.config_dirs = {"mine"};
  {
    const WorkingDirectory here(one.path());
    EXPECT_EQ(paths(search_places(settings)), (std::vector<std::string>{one / "mine", one / "plugins"}));
  }
  const WorkingDirectory here(two.path());
  EXPECT_EQ(paths(search_places(settings)), (std::vector<std::string>{two / "mine", two / "plugins"}));
}

TEST(Case, S1_DeletedWorkingDirectoryCostsOnlyTheRelativePlaces) {
  const TempDir dir;
  fs::create_directory(dir / "gone");
  const WorkingDirectory here(dir / "gone");
  fs::remove(dir / "gone");
  SearchSettings settings;
  settings.default_dirs = false;
  settings.plugin_path = "relative:/absolute";

  EXPECT_EQ(paths(search_places(settings)), std::vector<std::string>{"/absolute"});
}

TEST(Case, S13_LibraryFindsThePluginsBesideItself) {
  // The unit tests link the library's objects, so that the library's file is this program.
  const std::string expected = fs::read_symlink("/proc/self/exe").parent_path().string() + "/backend_registry/plugins";
  EXPECT_EQ(library_plugin_dir(), expected);
  const WorkingDirectory here("/");
  EXPECT_EQ(library_plugin_dir(), expected);
}

}  // namespace
}  // namespace bkr::core::testing
