#include "designs.h"

#include <algorithm>
#include <cstdlib>

namespace wrapper {

const char* const kLibrary = "designs";
const char* const kBaseVariable = "PJRT_DESIGN_BASE";

void Install() {
  using namespace designs;
  // All refusals below use an error made here.
  OwnErrors();
  HabitsBelow();
  SlowClient();
  OneClient();
  OneProcess();
  OneMemory();
  SlowCompiler();
  RefuseElementTypes();
  RefuseOps();
  RefuseText();
  NotOnCpu();
  NoDonation();
  WaitingExecute();
  EmptyMemories();
  RefuseSizeQuery();
  UnusualAnswers();
  HabitsAbove();
  OtherIds();
  OutputsOnError();
  HideExtensions();
  Callers();
  // Last: a missing function is missing whatever else the design does.
  TakeSlotsAway();
}

// A base that lacks what a design removes already has that design.
void Missing(const char*) {}
void MarkReached() {}

}  // namespace wrapper

namespace designs {

std::optional<std::string> Setting(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

bool Has(const char* variable, const char* value) {
  const auto setting = Setting(variable);
  if (setting && *setting != value) Die(std::string(variable) + " can only be " + value + ", not " + *setting);
  return setting.has_value();
}

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::vector<int> Numbers(const char* variable, const std::string& list) {
  std::vector<int> numbers;
  for (const std::string& part : Split(list)) {
    char* end = nullptr;
    const long number = std::strtol(part.c_str(), &end, 10);
    if (part.empty() || *end != '\0' || number < 0 || number > 1'000'000) {
      Die(std::string(variable) + ": expected numbers, not " + part);
    }
    numbers.push_back(static_cast<int>(number));
  }
  return numbers;
}

int Milliseconds(const char* variable) {
  const auto setting = Setting(variable);
  if (!setting) return 0;
  const std::vector<int> numbers = Numbers(variable, *setting);
  if (numbers.size() != 1) Die(std::string(variable) + ": expected one number, not " + *setting);
  return numbers[0];
}

}  // namespace designs
