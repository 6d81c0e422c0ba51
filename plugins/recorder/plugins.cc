#include "plugins.h"

#include "old_glibc.h"
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "calls.h"
#include "settings.h"
#include "trace.h"

namespace recorder {
namespace {

Plugin plugins[kMostPlugins];
/** Plugins that have a getter; those before `described` have a table. */
std::atomic<int> count{0};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/** The recorded functions: one of the process for each of a plugin. */
template <int P, int F>
void* Entry(void* args) {
  return Recorded(P, F, args);
}
template <int P, int... F>
constexpr auto Entries(std::integer_sequence<int, F...>) {
  struct Row {
    Call at[kFunctions];
  };
  return Row{{Entry<P, F>...}};
}
template <int P>
constexpr auto kEntries = Entries<P>(std::make_integer_sequence<int, kFunctions>());
const Call* EntriesOf(int plugin) {
  static_assert(kMostPlugins == 4);
  switch (plugin) {
    case 0: return kEntries<0>.at;
    case 1: return kEntries<1>.at;
    case 2: return kEntries<2>.at;
    default: return kEntries<3>.at;
  }
}

bool IsReused(int minor, size_t bytes) {
  for (const ReusedTable& table : kReusedTables) {
    if (table.minor == minor && table.bytes == bytes) return true;
  }
  return false;
}

size_t SlotOf(const Plugin& plugin, int function) {
  return plugin.minor == kMovedMinor ? kMovedSlots[function] : kFunctionTable[function].slot;
}

void* Slot(const void* table, size_t offset) {
  void* slot;
  std::memcpy(&slot, static_cast<const char*>(table) + offset, sizeof(slot));
  return slot;
}

void SetSlot(void* table, size_t offset, Call function) {
  std::memcpy(static_cast<char*>(table) + offset, &function, sizeof(function));
}

/** Wraps what is known of an extension; the number of its functions that are not. */
int WrapNode(Plugin& plugin, int number, PJRT_Extension_Base* node) {
  int unseen = 0;
  bool known = false;
  size_t end = sizeof(PJRT_Extension_Base);
  for (int f = kCoreFunctions; f < kFunctions; ++f) {
    const Function& function = kFunctionTable[f];
    if (function.extension != node->type) continue;
    known = true;
    if (function.slot + sizeof(void*) > node->struct_size) continue;
    if (function.slot + sizeof(void*) > end) end = function.slot + sizeof(void*);
    void* base = Slot(node, function.slot);
    if (base == nullptr) continue;
    if (plugin.minor < function.since) {
      unseen += 1;
      continue;
    }
    plugin.functions[f] = reinterpret_cast<Call>(base);
    SetSlot(node, function.slot, EntriesOf(number)[f]);
  }
  // What is behind the slots that are known: functions of a newer extension, or of another kind.
  return known ? unseen + static_cast<int>(node->struct_size > end ? (node->struct_size - end) / 8 : 0) : -1;
}

struct Unseen {
  int type;
  uint32_t size;
  int functions;
};
struct Description {
  Unseen nodes[64];
  int count;
};
Description descriptions[kMostPlugins];

constexpr int kFirstNodes = 45;

PJRT_Extension_Base* CopyChain(Plugin& plugin, int number, PJRT_Extension_Base* first) {
  Description& description = descriptions[number];
  if (plugin.minor < kFirstNodes) return first;
  PJRT_Extension_Base* copied = nullptr;
  PJRT_Extension_Base** link = &copied;
  for (PJRT_Extension_Base* node = first; node != nullptr; node = node->next) {
    if (description.count == 64 || node->struct_size < sizeof(PJRT_Extension_Base) || node->struct_size > 65536) {
      *link = node;
      break;
    }
    auto* copy = static_cast<PJRT_Extension_Base*>(calloc(1, node->struct_size + 64));
    if (copy == nullptr) {
      *link = node;
      break;
    }
    std::memcpy(copy, node, node->struct_size);
    const int unseen = WrapNode(plugin, number, copy);
    description.nodes[description.count++] = {static_cast<int>(node->type), static_cast<uint32_t>(node->struct_size), unseen};
    *link = copy;
    link = &copy->next;
  }
  return copied;
}

const char* NameOf(int type) {
  for (const ExtensionName& known : kExtensionNames) {
    if (known.type == type) return known.name;
  }
  return nullptr;
}

void SayWhich(const Plugin& plugin, const Description& description) {
  char unseen[1024] = "";
  size_t used = 0;
  for (int i = 0; i < description.count; ++i) {
    const Unseen& node = description.nodes[i];
    if (node.functions == 0 || used + 64 > sizeof(unseen)) continue;
    const char* name = NameOf(node.type);
    used += static_cast<size_t>(std::snprintf(unseen + used, sizeof(unseen) - used, "%s", used == 0 ? "; not seen: extensions " : ", "));
    if (name != nullptr) used += static_cast<size_t>(std::snprintf(unseen + used, sizeof(unseen) - used, "%s", name));
    else used += static_cast<size_t>(std::snprintf(unseen + used, sizeof(unseen) - used, "of type %d", node.type));
    if (node.functions > 0) {
      used += static_cast<size_t>(std::snprintf(unseen + used, sizeof(unseen) - used, " (%d functions)", node.functions));
    }
  }
  Say("%s, PJRT C API 0.%d, is recorded%s", plugin.path, plugin.minor, unseen);
}

void Describe(int number) {
  const Plugin& plugin = plugins[number];
  const Description& description = descriptions[number];
  Record record(Kind::kPlugin, 0, static_cast<uint32_t>(number), 0);
  record.U32(0);
  record.U32(static_cast<uint32_t>(plugin.minor));
  record.U64(plugin.base->struct_size);
  record.U32(static_cast<uint32_t>(plugin.minor < kNewestMinor ? plugin.minor : kNewestMinor));
  record.U32(static_cast<uint32_t>(std::strlen(plugin.path)));
  record.Bytes(plugin.path, std::strlen(plugin.path));
  record.Pad();
  record.U64(static_cast<uint64_t>(description.count));
  for (int i = 0; i < description.count; ++i) {
    record.U32(static_cast<uint32_t>(description.nodes[i].type));
    record.U32(description.nodes[i].size);
    record.U64(static_cast<uint64_t>(static_cast<int64_t>(description.nodes[i].functions)));
  }
}

/** The table for a plugin's table; null if it can only be left alone, of which stderr has the reason. */
bool Wrap(Plugin& plugin, int number, const PJRT_Api* base) {
  // The trace begins here, before there is a plugin to describe, or stderr says why there is none.
  const bool recording = Recording();
  Dl_info info;
  const bool named = dladdr(reinterpret_cast<void*>(plugin.get), &info) != 0 && info.dli_fname != nullptr;
  std::snprintf(plugin.path, sizeof(plugin.path), "%s", named ? info.dli_fname : "a plugin");
  const size_t bytes = base->struct_size;
  constexpr size_t least = offsetof(PJRT_Api, PJRT_Error_Destroy);
  if (bytes < least || bytes > 65536) {
    Say("%s is not recorded: its table says that it has %zu bytes", plugin.path, bytes);
    return false;
  }
  const PJRT_Api_Version version = base->pjrt_api_version;
  plugin.minor = version.minor_version;
  if (version.major_version != 0 || plugin.minor < kOldestMinor || IsReused(plugin.minor, bytes)) {
    Say("%s is not recorded: PJRT C API %d.%d with a table of %zu bytes is not known", plugin.path,
        version.major_version, version.minor_version, bytes);
    return false;
  }
  auto* table = static_cast<PJRT_Api*>(calloc(1, bytes + sizeof(PJRT_Api)));
  if (table == nullptr) return false;
  std::memcpy(static_cast<void*>(table), base, bytes);
  plugin.base = base;
  for (int f = 0; f < kCoreFunctions; ++f) {
    const size_t slot = SlotOf(plugin, f);
    if (slot == 0 || slot + sizeof(void*) > bytes) continue;
    void* function = Slot(base, slot);
    if (function == nullptr) continue;
    plugin.functions[f] = reinterpret_cast<Call>(function);
    SetSlot(table, slot, EntriesOf(number)[f]);
  }
  table->extension_start = CopyChain(plugin, number, base->extension_start);
  plugin.table = table;
  if (!recording) return true;
  SayWhich(plugin, descriptions[number]);
  Describe(number);
  return true;
}

const PJRT_Api* Get(int number) {
  Plugin& plugin = plugins[number];
  const PJRT_Api* base = plugin.get();
  if (base == nullptr) return nullptr;
  pthread_mutex_lock(&mutex);
  static bool tried[kMostPlugins];
  if (!tried[number]) {
    tried[number] = true;
    Wrap(plugin, number, base);
  } else if (plugin.table != nullptr && plugin.base != base) {
    static bool said = false;
    if (!said) Say("%s has another table now, which is not recorded", plugin.path);
    said = true;
  }
  const PJRT_Api* answer = plugin.table != nullptr && plugin.base == base ? plugin.table : base;
  pthread_mutex_unlock(&mutex);
  return answer;
}

template <int P>
const PJRT_Api* GetOf() {
  return Get(P);
}

}  // namespace

const Plugin& PluginAt(int number) { return plugins[number]; }

bool IsPluginsOwn(const void* address) {
  Dl_info of;
  if (Asked().directory[0] == 0 || dladdr(address, &of) == 0) return false;
  for (int number = 0; number < count.load(); ++number) {
    Dl_info plugin;
    if (dladdr(reinterpret_cast<void*>(plugins[number].get), &plugin) == 0 || plugin.dli_fbase != of.dli_fbase) continue;
    Say("%s uses a plugin itself, which is not recorded", of.dli_fname);
    return true;
  }
  return false;
}

Getter Wrapped(Getter get) {
  static_assert(kMostPlugins == 4);
  static const Getter getters[] = {GetOf<0>, GetOf<1>, GetOf<2>, GetOf<3>};
  if (Asked().directory[0] == 0) return get;
  pthread_mutex_lock(&mutex);
  int number = 0;
  while (number < count.load() && plugins[number].get != get) ++number;
  bool own = false;
  for (Getter getter : getters) own |= getter == get;
  const bool fits = number < kMostPlugins && !own;
  if (fits && number == count.load()) {
    plugins[number].get = get;
    count.store(number + 1);
  }
  pthread_mutex_unlock(&mutex);
  if (!fits && !own) Say("a plugin is not recorded: the process has %d others", kMostPlugins);
  return fits ? getters[number] : get;
}

void DescribePlugins() {
  for (int number = 0; number < count.load(); ++number) {
    if (plugins[number].table != nullptr) Describe(number);
  }
}

void DescribeFunctions() {
  Record record(Kind::kNames, 0, 0, 0);
  record.U64(kFunctions);
  for (const Function& function : kFunctionTable) {
    const auto length = static_cast<uint16_t>(std::strlen(function.name));
    record.Bytes(&length, sizeof(length));
    record.Bytes(function.name, length);
  }
}

}  // namespace recorder
