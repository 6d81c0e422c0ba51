// Donations of several arguments at once, to several outputs, and one after another.
#include <map>

#include "../wrapper/shared_set.h"
#include "buffers.h"
#include "damage.h"
#include "execute.h"
#include "living.h"

namespace {

using namespace faults;

/** One execution on one device that has taken arguments. */
struct Taking {
  ExecuteArgs& args;
  /** The arguments that were taken, in their order. */
  std::vector<size_t> donors;
  size_t outputs;

  PJRT_Buffer* argument(size_t i) const { return args.argument_lists[0][i]; }
  PJRT_Buffer*& output(size_t i) const { return args.output_lists[0][i]; }
  bool takes(size_t i) const { return std::count(donors.begin(), donors.end(), i) > 0; }
};
/** Executions that take at least so many arguments. */
void AfterTaking(size_t least, std::function<void(const Taking&)> body) {
  ReadDamage();
  MarksItself();
  Replace<Execute>([least, body](auto& args, auto& original) -> PJRT_Error* {
    std::vector<bool> gone;
    for (size_t i = 0; i < args.num_args; ++i) gone.push_back(IsDeleted(args.argument_lists[0][i]));
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.output_lists == nullptr) return error;
    Taking taking{args, {}, OutputsOf(args.executable)};
    for (size_t i = 0; i < args.num_args; ++i) {
      if (!gone[i] && IsDeleted(args.argument_lists[0][i])) taking.donors.push_back(i);
    }
    if (taking.donors.size() < least) return nullptr;
    MarkReached();
    body(taking);
    return nullptr;
  });
}
bool AreAlike(PJRT_Buffer* a, PJRT_Buffer* b) {
  const Shape one = ShapeOf(a), other = ShapeOf(b);
  return one.type == other.type && one.dims == other.dims;
}

FAULT("donors-third-not-noticed") {
  static SharedSet<PJRT_Buffer*> third;
  AfterTaking(3, [](const Taking& taking) { third.Add(taking.argument(taking.donors[2])); });
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) {
    if (third.Has(args.buffer)) args.is_deleted = false;
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { third.Remove(args.buffer); });
}
FAULT("donors-third-output-overwritten") {
  AfterTaking(3, [](const Taking& taking) {
    if (taking.outputs >= 3) Damaged().Add(taking.output(2));
  });
}
FAULT("donors-two-outputs-exchanged") {
  // Two arguments that are taken by the outputs of each other.
  AfterTaking(2, [](const Taking& taking) {
    if (taking.donors.size() == 2 && taking.outputs == 2 && AreAlike(taking.output(0), taking.output(1)))
      std::swap(taking.output(0), taking.output(1));
  });
}
FAULT("donors-last-output-of-four-is-first") {
  AfterTaking(4, [](const Taking& taking) {
    if (taking.outputs >= 4) Damaged().Add(taking.output(taking.outputs - 1));
  });
}
FAULT("donors-fewer-than-outputs") {
  // Outputs beyond the number of donors get memory that was not asked for.
  AfterTaking(1, [](const Taking& taking) {
    if (taking.outputs > taking.donors.size()) Damaged().Add(taking.output(taking.outputs - 1));
  });
}
FAULT("donors-neighbour-taken-along") {
  AfterTaking(1, [](const Taking& taking) {
    const size_t first = taking.donors[0];
    if (first == 0 || taking.donors.size() > 1) return;
    for (size_t i = 0; i < taking.outputs; ++i) AwaitBuffer(taking.output(i));
    Delete(taking.argument(first - 1));
  });
}
FAULT("donors-listed-behind-the-second-taken") {
  // The list of arguments that may not be taken is read as far as its second entry.
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return WithOptions(args, original, [](PJRT_ExecuteOptions& options) {
      options.num_non_donatable_input_indices = std::min<size_t>(options.num_non_donatable_input_indices, 2);
    });
  });
}
FAULT("donors-in-third-generation") {
  // What was made in memory that was taken twice already.
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, int> generations;
  AfterTaking(1, [](const Taking& taking) {
    std::lock_guard<std::mutex> lock(mutex);
    int generation = 0;
    for (size_t donor : taking.donors) generation = std::max(generation, generations[taking.argument(donor)] + 1);
    for (size_t i = 0; i < taking.outputs; ++i) {
      generations[taking.output(i)] = generation;
      if (generation >= 3) Damaged().Add(taking.output(i));
    }
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    generations.erase(args.buffer);
  });
}
FAULT("donors-beside-readers-of-equal-shape") {
  // The memory of the wrong one of two equal arguments is written.
  AfterTaking(1, [](const Taking& taking) {
    for (size_t i = 0; i < taking.args.num_args; ++i) {
      if (!taking.takes(i) && AreAlike(taking.argument(i), taking.argument(taking.donors[0])) && AwaitBuffer(taking.output(0)))
        SpoilArray(taking.argument(i));
    }
  });
}
FAULT("donors-of-second-list-kept") {
  static SharedSet<PJRT_Buffer*> kept;
  After<Execute>([](auto& args) {
    for (size_t d = 1; d < args.num_devices; ++d) {
      for (size_t i = 0; i < args.num_args; ++i) {
        if (IsDeleted(args.argument_lists[d][i])) kept.Add(args.argument_lists[d][i]);
      }
    }
  });
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) {
    if (kept.Has(args.buffer)) args.is_deleted = false;
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { kept.Remove(args.buffer); });
}

}  // namespace
