// The plugins of this process, each with a table whose functions record and then call the plugin's.
#ifndef PJRT_RECORDER_PLUGINS_H_
#define PJRT_RECORDER_PLUGINS_H_

#include <cstdint>

#include "layouts.h"
#include "pjrt_c_api.h"

namespace recorder {

/** Plugins of a process that are recorded; further ones are left alone. */
constexpr int kMostPlugins = 4;

using Getter = const PJRT_Api* (*)();
using Call = void* (*)(void* args);

struct Plugin {
  Getter get;
  const PJRT_Api* base;
  /** The table that callers get. */
  PJRT_Api* table;
  int minor;
  char path[1024];
  /** The plugin's functions, by their numbers; null where it has none, or none that is recorded. */
  Call functions[kFunctions];
};

/** The plugin of this number. */
const Plugin& PluginAt(int number);

/** Whether code of a plugin is at an address: another plugin that it uses is its own affair, and no caller of the two. */
bool IsPluginsOwn(const void* address);

/** A function to answer for this GetPjrtApi. */
Getter Wrapped(Getter get);

/** A function of the plugin's own table; null if it has none. */
template <class Args>
inline PJRT_Error* (*BaseFunction(int plugin, FunctionId id, Args*))(Args*) {
  return reinterpret_cast<PJRT_Error* (*)(Args*)>(PluginAt(plugin).functions[id]);
}

}  // namespace recorder

#endif
