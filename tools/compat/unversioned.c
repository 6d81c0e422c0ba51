// The plugin that UNVERSIONED_BASE names, without the StableHLO versions among its attributes: a release that takes the
// plugin's version as it is, and cannot write it, is watched on it.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pjrt_c_api.h"

static const PJRT_Api* base;
static PJRT_Api table;
static PJRT_NamedValue kept[64];

static PJRT_Error* Attributes(PJRT_Plugin_Attributes_Args* args) {
  PJRT_Error* error = base->PJRT_Plugin_Attributes(args);
  if (error != NULL) return error;
  size_t count = 0;
  for (size_t i = 0; i < args->num_attributes && count < 64; i++) {
    const PJRT_NamedValue* value = &args->attributes[i];
    if (value->name_size < 9 || memcmp(value->name, "stablehlo", 9) != 0) kept[count++] = *value;
  }
  args->attributes = kept;
  args->num_attributes = count;
  return NULL;
}

__attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi(void) {
  const char* path = getenv("UNVERSIONED_BASE");
  void* library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const PJRT_Api* (*get)(void) = library == NULL ? NULL : (const PJRT_Api* (*)(void))dlsym(library, "GetPjrtApi");
  if (get == NULL) {
    fprintf(stderr, "UNVERSIONED_BASE must name a plugin\n");
    exit(97);
  }
  base = get();
  memcpy(&table, base, base->struct_size);
  table.PJRT_Plugin_Attributes = Attributes;
  return &table;
}
