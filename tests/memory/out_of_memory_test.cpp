// SPDX-License-Identifier: Apache-2.0
// Each step of the way with its n-th allocation failing, for n from 1 to 300 or as far as the step goes: it is done, or
// it says that it was not, and the registry is as it was before.
#include <sys/mman.h>

#include "child.h"
#include "failing_malloc.h"
#include "loading_fixture.h"

namespace memory {
namespace {

using loading::built;
using loading::path_of;

constexpr int kMost = 300;

// Where a step is made: a directory with plugins of each kind, a registry, and what the steps need of it.
struct Stage {
  Stage() {
    good_file = dir.drop(built("good"), "good.so");
    dir.drop(built("several"), "several.so");
    dir.drop(built("good").with_family("sampler").named("GREEDY"), "sampler.so");
    dir.drop("no library", "text.so");
    path = dir.path();
  }
  bkr_status open(bkr_error *error, uint32_t flags = 0) {
    const char *directory = path.c_str();
    bkr_config config = {};
    config.struct_size = sizeof config;
    config.flags = BKR_CONFIG_NO_DEFAULT_DIRS | BKR_CONFIG_ALLOW_UNLOAD | flags;
    config.search_dirs = &directory;
    config.search_dir_count = 1;
    config.log_level = BKR_LOG_OFF;
    const bkr_status status = bkr_registry_open(&config, &registry, error);
    if (status != BKR_OK) return status;
    attention = bkr_family_at(registry, 0);
    bkr_member_find(attention, "GOOD", &good, nullptr);
    return BKR_OK;
  }
  // From now on it opens the settled plugins, with a scan cache of its own.
  void keep() {
    path = settled;
    ::setenv("XDG_CACHE_HOME", (dir / "cache").c_str(), 1);
  }
  ~Stage() {
    bkr_backend_destroy(backend);
    bkr_registry_close(registry);
  }

  static inline std::string settled;  // a directory that did not change for so long that the scan cache believes it
  loading::TempDir dir;
  std::string path, good_file;
  bkr_registry *registry = nullptr;
  bkr_family *attention = nullptr;
  bkr_member *good = nullptr;
  bkr_factory *factory = nullptr;
  bkr_backend *backend = nullptr;
  char document[65536] = "";
  std::size_t need = 0;
};

// All that a host can see of the registry.
std::string everything(const Stage &stage) {
  std::size_t need = 0;
  if (!stage.registry) return "no registry";
  bkr_registry_report(stage.registry, nullptr, 0, &need, nullptr);
  std::string all(need, '\0');
  bkr_registry_report(stage.registry, all.data(), all.size(), &need, nullptr);
  for (uint32_t f = 0; bkr_family *family = bkr_family_at(stage.registry, f); ++f) {
    for (uint32_t m = 0; bkr_member *member = bkr_family_member_at(family, m); ++m) {
      const char *path = "";
      bkr_member_path(member, &path, nullptr);
      all += std::string("\n") + bkr_family_name(family) + "." + bkr_member_name(member) + " " + path + " " +
             std::to_string(bkr_member_override_source(member));
    }
  }
  return all;
}

struct Step {
  const char *name;
  void (*before)(Stage &);
  bkr_status (*call)(Stage &, bkr_error *);  // nothing but the call: the test's own allocations would fail as well
  bkr_status answer = BKR_OK;                // with memory
};
void PrintTo(const Step &step, std::ostream *to) { *to << step.name; }

void open(Stage &stage) { ASSERT_EQ(stage.open(nullptr), BKR_OK); }

void load(Stage &stage) {
  open(stage);
  ASSERT_EQ(bkr_member_load(stage.good, &stage.factory, nullptr), BKR_OK);
}

void create(Stage &stage) {
  load(stage);
  ASSERT_EQ(bkr_factory_create(stage.factory, nullptr, 0, &stage.backend, nullptr), BKR_OK);
}

const Step kSteps[] = {
    {"open", [](Stage &) {}, [](Stage &stage, bkr_error *error) { return stage.open(error); }},
    {"open_and_keep", [](Stage &stage) { stage.keep(); },
     [](Stage &stage, bkr_error *error) { return stage.open(error, BKR_CONFIG_SCAN_CACHE); }},
    {"open_from_what_was_kept",
     [](Stage &stage) {
       stage.keep();
       ASSERT_EQ(stage.open(nullptr, BKR_CONFIG_SCAN_CACHE), BKR_OK);
       bkr_registry_close(std::exchange(stage.registry, nullptr));
     },
     [](Stage &stage, bkr_error *error) { return stage.open(error, BKR_CONFIG_SCAN_CACHE); }},
    {"rescan",
     [](Stage &stage) {
       open(stage);
       stage.dir.drop(built("good").named("LATER"), "later.so");
       stage.dir.drop(built("good").with_path("another.Path").with_name("GOOD"), "a.so");
     },
     [](Stage &stage, bkr_error *error) { return bkr_registry_rescan(stage.registry, error); }},
    {"report", open,
     [](Stage &stage, bkr_error *error) {
       return bkr_registry_report(stage.registry, stage.document, sizeof stage.document, &stage.need, error);
     }},
    {"family_add", open,
     [](Stage &stage, bkr_error *error) {
       return bkr_family_add(stage.registry, "sampler", "sampler", nullptr, error);
     }},
    {"register", open,
     [](Stage &stage, bkr_error *error) {
       return bkr_member_register(stage.attention, "NEW", "a.New", nullptr, error);
     }},
    {"register_over_a_record", open,
     [](Stage &stage, bkr_error *error) {
       return bkr_register_backend(stage.attention, "GOOD", "a.New", nullptr, error);
     }},
    {"override", open,
     [](Stage &stage, bkr_error *error) { return bkr_member_override(stage.good, "/x/y.so::z", error); }},
    {"provide", open,
     [](Stage &stage, bkr_error *error) {
       return bkr_provide(
           stage.attention, "a.Function",
           [](const bkr_create_args *, bkr_backend **, bkr_error *) { return BKR_UNSUPPORTED; }, nullptr, error);
     }},
    {"resolve", open,
     [](Stage &stage, bkr_error *error) {
       bkr_target target = {};
       target.struct_size = sizeof target;
       return bkr_member_resolve(stage.good, &target, error);
     }},
    {"resolve_path", open,
     [](Stage &stage, bkr_error *error) {
       bkr_target target = {};
       target.struct_size = sizeof target;
       return bkr_path_resolve(stage.attention, stage.good_file.c_str(), &target, error);
     }},
    {"explain", open,
     [](Stage &stage, bkr_error *error) {
       return bkr_member_explain(stage.good, stage.document, sizeof stage.document, &stage.need, error);
     }},
    {"load", open, [](Stage &stage, bkr_error *error) { return bkr_member_load(stage.good, &stage.factory, error); }},
    {"load_path", open,
     [](Stage &stage, bkr_error *error) {
       return bkr_path_load(stage.attention, stage.good_file.c_str(), &stage.factory, error);
     }},
    {"create", load,
     [](Stage &stage, bkr_error *error) {
       return bkr_factory_create(stage.factory, nullptr, 0, &stage.backend, error);
     }},
    {"backend_open", open,
     [](Stage &stage, bkr_error *error) {
       return bkr_backend_open(stage.registry, "attention", "GOOD", nullptr, 0, &stage.backend, error);
     }},
    {"init", create, [](Stage &stage, bkr_error *error) { return bkr_backend_init(stage.backend, nullptr, error); }},
    {"get_interface", create,
     [](Stage &stage, bkr_error *error) {
       const void *table = nullptr;
       return bkr_backend_get_interface(stage.backend, LOADING_PROBE, &table, error);
     }},
    {"destroy", create,
     [](Stage &stage, bkr_error *) {
       bkr_backend_destroy(std::exchange(stage.backend, nullptr));
       return BKR_OK;
     }},
    {"clear_override",
     [](Stage &stage) {
       open(stage);
       ASSERT_EQ(bkr_member_override(stage.good, "x.Y", nullptr), BKR_OK);
     },
     [](Stage &stage, bkr_error *) {
       bkr_member_clear_override(stage.good);
       return bkr_member_is_overridden(stage.good) ? BKR_INTERNAL : BKR_OK;  // it has no way to fail
     }},
    {"find_nobody", open,
     [](Stage &stage, bkr_error *error) {
       bkr_member *member = nullptr;
       return bkr_member_find(stage.attention, "NOBODY", &member, error);
     },
     BKR_UNKNOWN_NAME},
    {"unload_nothing", open,
     [](Stage &stage, bkr_error *error) { return bkr_library_unload(stage.registry, nullptr, error); },
     BKR_INVALID_ARGUMENT},
    {"unload_what_is_not_loaded", open,
     [](Stage &stage, bkr_error *error) { return bkr_library_unload(stage.registry, stage.good_file.c_str(), error); },
     BKR_WRONG_STATE},
    {"path_of_custom", open,
     [](Stage &stage, bkr_error *error) {
       const char *path = nullptr;
       bkr_member *custom = nullptr;
       bkr_member_find(stage.attention, "CUSTOM", &custom, nullptr);
       return bkr_member_path(custom, &path, error);
     },
     BKR_NOT_REGISTERED},
    {"select", open,
     [](Stage &stage, bkr_error *error) {
       bkr_member *chosen = nullptr;
       bkr_selection selection = {};
       selection.struct_size = sizeof selection;
       const bkr_option facts[] = {{"head_size", "128"}, {"dtype", "float32"}};
       selection.facts = facts;
       selection.fact_count = 2;
       const bkr_status status =
           bkr_select(stage.attention, &selection, &chosen, stage.document, sizeof stage.document, &stage.need, error);
       return status == BKR_OK && !chosen ? BKR_INTERNAL : status;
     }},
    {"select_among_the_missing", open,
     [](Stage &stage, bkr_error *error) {
       bkr_member *chosen = nullptr;
       bkr_selection selection = {};
       selection.struct_size = sizeof selection;
       const char *const names[] = {"FLASHINFER", "CPU_MLA"};
       selection.candidates = names;
       selection.candidate_count = 2;
       return bkr_select(stage.attention, &selection, &chosen, nullptr, 0, &stage.need, error);
     },
     BKR_NO_VALID_BACKEND},
    {"unload", load,
     [](Stage &stage, bkr_error *error) { return bkr_library_unload(stage.registry, stage.good_file.c_str(), error); }},
};

class OutOfMemory : public testing::TestWithParam<Step> {};

// True if the n-th allocation came to be asked for.
bool try_with(const Step &step, int n, bool for_good) {
  Stage stage;
  step.before(stage);
  const std::string before = everything(stage);
  char text[256] = "";
  bkr_error error = BKR_ERROR_INIT(text);
  bkr_status status = BKR_OK;
  {
    const NoMemoryAt here(n, for_good);
    status = step.call(stage, &error);
  }
  const bool failed = NoMemoryAt::has_failed();
  if (status == step.answer) return failed;
  EXPECT_TRUE(failed) << text;
  // Those who lack it may also be the system's loader and the plugin.
  EXPECT_TRUE(status == BKR_OUT_OF_MEMORY || status == BKR_LOAD_FAILED) << bkr_status_name(status) << ": " << text;
  EXPECT_EQ(error.code, status);
  EXPECT_STRNE(text, "");
  EXPECT_EQ(everything(stage), before);
  EXPECT_EQ(step.call(stage, &error), step.answer) << text;  // with memory it can be done
  return failed;
}

TEST_P(OutOfMemory, IsDoneOrHasChangedNothing) {
  const loading::TempDir plugins;
  if (std::string_view(GetParam().name).starts_with("open_")) {
    plugins.drop(built("several"), "several.so");
    plugins.drop("no library", "text.so");
    plugins.settle();
    Stage::settled = plugins.path();
  }
  // Which allocation it was, for the case that the child does not live to tell.
  void *shared = ::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  int &n = *static_cast<int *>(shared);
  const loading::Child child = loading::in_child([&] {
    bool asked = true;
    for (n = 1; n <= kMost && asked; ++n) {
      SCOPED_TRACE(n);
      asked = try_with(GetParam(), n, false);
      try_with(GetParam(), n, true);
    }
  });
  EXPECT_TRUE(child.ended_well()) << "at allocation " << n;
  RecordProperty("allocations", n - 2);
  ::munmap(shared, sizeof(int));
}

INSTANTIATE_TEST_SUITE_P(Steps, OutOfMemory, testing::ValuesIn(kSteps),
                         [](const testing::TestParamInfo<Step> &step) { return std::string(step.param.name); });

}  // namespace
}  // namespace memory
