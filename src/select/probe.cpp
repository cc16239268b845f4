// SPDX-License-Identifier: Apache-2.0
#include "select/probe.h"

#include <memory>
#include <new>

#include "base/text.h"
#include "load/backend_core.h"

namespace bkr::core {

namespace {

// The factories that this thread is asking, innermost first; they lie on its stack.
struct Asking {
  const Factory *factory;
  Asking *outer;
};
thread_local Asking *asking_on_this_thread = nullptr;

struct InsideProbe {
  explicit InsideProbe(const Factory *factory) : here{factory, asking_on_this_thread} { asking_on_this_thread = &here; }
  InsideProbe(const InsideProbe &) = delete;
  ~InsideProbe() { asking_on_this_thread = here.outer; }
  Asking here;
};

bool is_asking(const Factory *factory) {
  const Asking *at = asking_on_this_thread;
  while (at && at->factory != factory) at = at->outer;
  return at != nullptr;
}

// What a backend emits. No exception may cross it: a reason that there is no memory for is made up for afterwards.
struct Objections {
  std::vector<std::string> texts;
  bool out_of_memory = false;
};

void BKR_CALL take(void *user, const char *reason) noexcept {
  auto &objections = *static_cast<Objections *>(user);
  try {
    objections.texts.emplace_back(reason && *reason ? reason : "a reason without a text");
  } catch (...) {
    objections.out_of_memory = true;
  }
}

// A backend that cannot even say what it serves. Statuses that say something of a selection itself it cannot give.
Failure broken(Failure failure, const Member &member, const FactoryTexts &texts) {
  if (failure.status == BKR_NO_VALID_BACKEND || failure.status == BKR_CHOICE_REFUSED ||
      failure.status == BKR_BUFFER_TOO_SMALL) {
    failure.status = BKR_UNSUPPORTED;
  }
  // Whoever asked for attention.CUSTOM shall see that it led to another name.
  if (member.name() != texts.backend_name) {
    failure.reason = cat(member.family().texts().name, ".", member.name(), ": ", failure.reason);
  }
  if (failure.status != BKR_OUT_OF_MEMORY) {
    failure.next = "This is a defect of the plugin: what it cannot serve it tells as reasons, with BKR_OK.";
  }
  return failure;
}

}  // namespace

Result<Probed> probe(const Member &member, std::span<const bkr_option> facts, const LoadMember &load) {
  const Result<const Factory *> factory = load(member);
  if (!factory) return fail(factory.error());
  if (is_asking(*factory)) {
    return fail(
        BKR_REENTRANT,
        cat(member.family().texts().name, ".", member.name(), " is asked what it serves while it answers that."),
        "Select among other backends from inside create and validate.");
  }
  const InsideProbe inside(*factory);
  Result<bkr_backend *> made = (*factory)->try_create({}, &member);
  if (!made) return fail(std::move(made.error()));
  const std::unique_ptr<bkr_backend, void (*)(bkr_backend *)> backend(*made, destroy_backend);

  Objections objections;
  Result<void> asked = validate_backend(*backend, facts, take, &objections);
  if (objections.out_of_memory) throw std::bad_alloc();
  if (!asked) return fail(broken(std::move(asked.error()), member, (*factory)->texts()));
  Probed probed{std::move(objections.texts), {}};
  if (probed.objections.empty()) {
    if (const char *name = backend_name(*backend)) probed.own_name = name;
  }
  return probed;
}

bool is_mismatch(const Failure &failure) noexcept {
  switch (failure.status) {
    // Nobody is there, or what is there leads nowhere.
    case BKR_NOT_REGISTERED:
    case BKR_NOT_FOUND:
    case BKR_BAD_PATH:
    // The file is unusable, or was made for another machine or library.
    case BKR_IO_ERROR:
    case BKR_BAD_FILE:
    case BKR_BAD_DESCRIPTOR:
    case BKR_WRONG_PLATFORM:
    case BKR_ABI_MISMATCH:
    case BKR_STALE:
    // The system, the operator or the process cannot have it here.
    case BKR_LOAD_FAILED:
    case BKR_DEPENDENCY_MISSING:
    case BKR_DENIED:
    case BKR_BUSY:
      return true;
    // The plugin said no; or it gave something that nobody can use.
    case BKR_CREATE_FAILED:
      return !failure.defect;
    default:
      return false;
  }
}

}  // namespace bkr::core
