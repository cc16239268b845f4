// SPDX-License-Identifier: Apache-2.0
#include "load/factory.h"

#include "base/text.h"
#include "load/backend_core.h"
#include "load/plugin_call.h"
#include "registry/family.h"

namespace bkr::core {

namespace {

// The creates that this thread is inside of, innermost first; they lie on its stack.
struct Creating {
  const Factory *factory;
  Creating *outer;
};
thread_local Creating *creating_on_this_thread = nullptr;

struct InsideCreate {
  explicit InsideCreate(const Factory *factory) : here{factory, creating_on_this_thread} {
    creating_on_this_thread = &here;
  }
  InsideCreate(const InsideCreate &) = delete;
  ~InsideCreate() { creating_on_this_thread = here.outer; }
  Creating here;
};

bool is_creating(const Factory *factory) {
  const Creating *at = creating_on_this_thread;
  while (at && at->factory != factory) at = at->outer;
  return at != nullptr;
}

}  // namespace

Factory::Factory(const Target &target, std::shared_ptr<HostContext> host)
    : texts_(std::make_shared<const FactoryTexts>(target)),
      symbol_(target.symbol),
      in_process_(target.in_process),
      facts_(target.facts),
      host_(std::move(host)) {}

bool Factory::is_of(const Target &target) const noexcept {
  return texts_->path == target.path && texts_->family == target.family &&
         texts_->backend_name == target.backend_name && symbol_ == target.symbol && in_process_ == target.in_process &&
         (facts_ && target.facts ? facts_->identity == target.facts->identity : facts_ == target.facts);
}

Result<std::unique_ptr<Factory>> Factory::load(const Target &target, std::shared_ptr<HostContext> host) {
  std::unique_ptr<Factory> factory(new Factory(target, std::move(host)));
  if (Result<void> loaded = factory->ensure_loaded(); !loaded) return fail(std::move(loaded.error()));
  return factory;
}

Factory::Loaded Factory::known() const {
  const std::lock_guard lock(mutex_);
  return {library_.lock(), create_};
}

bool Factory::is_loaded() const {
  const std::lock_guard lock(mutex_);
  return !facts_ || !library_.expired();
}

Result<void> Factory::ensure_loaded() const {
  Result<Loaded> now = loaded();
  return now ? Result<void>() : fail(std::move(now.error()));
}

Result<Factory::Loaded> Factory::loaded() const {
  if (!facts_) return Loaded{nullptr, in_process_.create};
  if (Loaded now = known(); now.library) return now;
  Result<std::shared_ptr<const Library>> library = LibraryTable::of_process().open(*facts_);
  if (!library) return fail(std::move(library.error()));
  const Result<bkr_create_backend_fn> function = (*library)->create_function(symbol_);
  if (!function) return fail(function.error());
  const std::lock_guard lock(mutex_);
  library_ = *library;
  create_ = *function;
  return Loaded{std::move(*library), *function};
}

Result<void> Factory::run(bkr_create_backend_fn function, std::span<const bkr_option> options,
                          bkr_backend *&made) const {
  const bkr_create_args args = {sizeof(bkr_create_args),
                                0,
                                BKR_ABI_VERSION,
                                static_cast<uint32_t>(options.size()),
                                texts_->family.c_str(),
                                texts_->backend_name.c_str(),
                                texts_->path.c_str(),
                                options.data(),
                                &host_api(),
                                host_.get(),
                                in_process_.user};
  const InsideCreate inside(this);
  Result<void> result = call_plugin([&] { return cat("create of ", words()); }, BKR_CREATE_FAILED,
                                    [&](bkr_error *error) { return function(&args, &made, error); });
  if (!result) {
    // Whatever the plugin's reason, it said no; only what says more than that keeps its status.
    bkr_status &status = result.error().status;
    if (status != BKR_PLUGIN_EXCEPTION && status != BKR_OUT_OF_MEMORY) status = BKR_CREATE_FAILED;
  }
  return result;
}

Result<void> Factory::check(const bkr_backend *made) const {
  std::string missing;
  if (!made) {
    missing = "gave NULL with BKR_OK";
  } else if (made->core) {
    missing = "gave a backend that is in use already";
  } else if (!made->api) {
    missing = "gave a backend without a table of functions (api is NULL)";
  } else if (made->api->struct_size < sizeof(bkr_backend_api)) {
    missing = cat("gave a table of ", made->api->struct_size, " bytes (struct_size) where ", sizeof(bkr_backend_api),
                  " are needed");
  } else if (!made->api->name) {
    missing = "gave a table without the function name";
  } else if (!made->api->get_interface) {
    missing = "gave a table without the function get_interface";
  } else if (!made->api->destroy) {
    missing = "gave a table without the function destroy";
  } else {
    return {};
  }
  return fail({BKR_CREATE_FAILED, BKR_STAGE_NONE, cat("create of ", words(), " ", missing, "."),
               "This is a defect of the plugin; plugin.h says what a create function returns.", 0, true});
}

Result<bkr_backend *> Factory::create(std::span<const bkr_option> options, const Member *asked) const {
  Result<bkr_backend *> made = try_create(options, asked);
  if (!made && made.error().status != BKR_REENTRANT) tell_once(*host_, made.error());
  return made;
}

Result<bkr_backend *> Factory::try_create(std::span<const bkr_option> options, const Member *asked) const {
  if (is_creating(this)) {
    return fail({BKR_REENTRANT, BKR_STAGE_CREATE,
                 cat("create of ", words(), " asks for the very backend it is making."),
                 "Create another backend, or this one after create has returned.", 0});
  }
  Result<bkr_backend *> made = create_now(options);
  if (made) return made;
  Failure failure = std::move(made.error());
  // Whoever asked for attention.CUSTOM shall see that it led to another name.
  if (asked && asked->name() != texts_->backend_name) {
    failure.reason = cat(asked->family().texts().name, ".", asked->name(), ": ", failure.reason);
  }
  return fail(std::move(failure));
}

Result<bkr_backend *> Factory::create_now(std::span<const bkr_option> options) const {
  Result<Loaded> now = loaded();
  if (!now) return fail(std::move(now.error()));
  auto core = std::make_unique<BackendCore>();
  core->texts = texts_;
  core->library = std::move(now->library);
  core->host = host_;

  bkr_backend *made = nullptr;
  Result<void> result = run(now->create, options, made);
  if (result) result = check(made);
  if (!result) {
    result.error().stage = BKR_STAGE_CREATE;
    return fail(std::move(result.error()));
  }
  made->core = core.release();
  return made;
}

}  // namespace bkr::core
