#include "habits.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace designs {
namespace {

struct Habit {
  const char* name;
  void (*install)();
};

// Both lists are in the order in which their habits wrap each other.

/** Changes to programs are made in this order too. */
constexpr Habit kBelow[] = {
    {"zero-quotients", ZeroQuotients},
    {"indefinite-conversions", IndefiniteConversions},
    {"chunked-reductions", ChunkedReductions},
    {"unstable-sorts", UnstableSorts},
    {"default-rng", DefaultRng},
    {"canonical-nans", CanonicalNans},
    {"ring-assignment", RingAssignment},
    {"one-layout", OneLayout},
    {"jumbo-images", JumboImages},
    {"single-serialization", SingleSerialization},
    {"staged-transfers", StagedTransfers},
    {"done-on-return", DoneOnReturn},
    {"short-queue", ShortQueue},
    {"pooled-stats", PooledStats},
    {"lazy-destroy", LazyDestroy},
    {"late-outputs", LateOutputs},
    {"binary-fingerprints", BinaryFingerprints},
    {"many-attributes", ManyAttributes},
    {"unterminated-texts", UnterminatedTexts},
    {"strict-initialize", StrictInitialize},
};

/** Events made here are known before notices are. */
constexpr Habit kAbove[] = {
    {"device-copies", DeviceCopies},
    {"zero-copy-until-freed", ZeroCopyUntilFreed},
    {"first-run", FirstRun},
    {"salted-serialization", SaltedSerialization},
    {"annotated-options", AnnotatedOptions},
    {"moving-pointers", MovingPointers},
    {"paged-sizes", PagedSizes},
    {"bare-stats", BareStats},
    {"stale-stats", StaleStats},
    {"picky-donation", PickyDonation},
    {"no-execute-device", NoExecuteDevice},
    {"shuffled-lists", ShuffledLists},
    {"mixed-kinds", MixedKinds},
    {"long-descriptions", LongDescriptions},
    {"odd-costs", OddCosts},
    {"no-plugin-attributes", NoPluginAttributes},
    {"scribbling-reads", ScribblingReads},
    {"first-read", FirstRead},
    {"late-done", LateDone},
    {"late-completion", LateCompletion},
    {"late-notices", LateNotices},
    {"polled-events", PolledEvents},
    {"batched-callbacks", BatchedCallbacks},
    {"round-trips", RoundTrips},
    {"slow-exit", SlowExit},
    {"other-codes", OtherCodes},
    {"traced-messages", TracedMessages},
};

/** A callback that frees what it calls. */
void CallOnce(PJRT_Error* error, void* user) {
  const std::unique_ptr<Callback> call(static_cast<Callback*>(user));
  (*call)(error);
}

std::vector<std::string> Wanted() { return Split(Setting("PJRT_DESIGN_HABITS").value_or("")); }

template <size_t N>
void InstallWanted(const Habit (&habits)[N]) {
  const std::vector<std::string> wanted = Wanted();
  for (const Habit& habit : habits) {
    if (std::find(wanted.begin(), wanted.end(), habit.name) != wanted.end()) habit.install();
  }
}

}  // namespace

void HabitsBelow() {
  for (const std::string& name : Wanted()) {
    const auto is_it = [&name](const Habit& habit) { return name == habit.name; };
    if (std::none_of(std::begin(kBelow), std::end(kBelow), is_it) &&
        std::none_of(std::begin(kAbove), std::end(kAbove), is_it)) {
      Die("PJRT_DESIGN_HABITS: " + name + " is not known");
    }
  }
  InstallWanted(kBelow);
}

void HabitsAbove() { InstallWanted(kAbove); }

void DropBy(const PJRT_Api& api, PJRT_Error* error) {
  if (error == nullptr) return;
  ARGS(PJRT_Error_Destroy, args);
  args.error = error;
  api.PJRT_Error_Destroy(&args);
}

PJRT_Error_Code CodeOfAny(PJRT_Error* error) {
  ARGS(PJRT_Error_GetCode, args);
  args.error = error;
  return AskAny(Table().PJRT_Error_GetCode, args) ? args.code : PJRT_Error_Code_UNKNOWN;
}

bool WhenReady(const PJRT_Api& api, PJRT_Event* event, std::function<void(bool failed)> then) {
  auto kept = std::make_unique<Callback>([&api, then](PJRT_Error* error) {
    DropBy(api, error);
    then(error != nullptr);
  });
  ARGS(PJRT_Event_OnReady, args);
  args.event = event;
  args.user_arg = kept.get();
  args.callback = CallOnce;
  PJRT_Error* error = api.PJRT_Event_OnReady(&args);
  DropBy(api, error);
  if (error == nullptr) kept.release();
  return error == nullptr;
}

void ChangeCallbacks(std::function<Callback(PJRT_Event*, Callback)> change) {
  Replace<SLOT(PJRT_Event_OnReady)>([change](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Event_OnReady_Args, user_arg) || args.event == nullptr || args.callback == nullptr) {
      return original(&args);
    }
    const auto given = [callback = args.callback, user = args.user_arg](PJRT_Error* error) { callback(error, user); };
    auto changed = std::make_unique<Callback>(change(args.event, given));
    PJRT_Error* error = With(args, original, args.user_arg, changed.get(), args.callback, CallOnce);
    if (error == nullptr) changed.release();
    return error;
  });
}

size_t DevicesOf(PJRT_Executable* executable) {
  ARGS(PJRT_Executable_NumReplicas, replicas);
  replicas.executable = executable;
  ARGS(PJRT_Executable_NumPartitions, partitions);
  partitions.executable = executable;
  if (!Ask(Base().PJRT_Executable_NumReplicas, replicas) || !Ask(Base().PJRT_Executable_NumPartitions, partitions)) return 0;
  return replicas.num_replicas * partitions.num_partitions;
}

}  // namespace designs
