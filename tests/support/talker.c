// A plugin that says a given text: the base named by TALKER_BASE, whose names, error messages and output are the text in
// the file TALKER_FILE. With TALKER_SIZE, error messages claim that size.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pjrt_c_api.h"

static PJRT_Api table;
static PJRT_Client_Create* base_create;

static struct {
  char text[4 << 20];
  char neighbour[64];
} memory = {.neighbour = "the-neighbouring-memory"};
static size_t length;

static PJRT_Error* Create(PJRT_Client_Create_Args* args) {
  fwrite(memory.text, 1, length < 65536 ? length : 65536, stdout);
  fwrite(memory.text, 1, length < 65536 ? length : 65536, stderr);
  args->num_options = 0;
  return base_create(args);
}

static PJRT_Error* PlatformVersion(PJRT_Client_PlatformVersion_Args* args) {
  args->platform_version = memory.text;
  args->platform_version_size = length;
  return NULL;
}

static PJRT_Error* Kind(PJRT_DeviceDescription_Kind_Args* args) {
  args->device_kind = memory.text;
  args->device_kind_size = length;
  return NULL;
}

static PJRT_Error* DebugString(PJRT_DeviceDescription_DebugString_Args* args) {
  args->debug_string = memory.text;
  args->debug_string_size = length;
  return NULL;
}

static void Message(PJRT_Error_Message_Args* args) {
  const char* size = getenv("TALKER_SIZE");
  args->message = memory.text;
  args->message_size = size ? strtoull(size, NULL, 10) : length;
}

const PJRT_Api* GetPjrtApi(void) {
  FILE* file = fopen(getenv("TALKER_FILE"), "r");
  length = fread(memory.text, 1, sizeof(memory.text), file);
  fclose(file);
  void* base = dlopen(getenv("TALKER_BASE"), RTLD_NOW);
  memcpy(&table, ((const PJRT_Api* (*)(void))dlsym(base, "GetPjrtApi"))(), sizeof(table));
  base_create = table.PJRT_Client_Create;
  table.PJRT_Client_Create = Create;
  table.PJRT_Client_PlatformVersion = PlatformVersion;
  table.PJRT_DeviceDescription_Kind = Kind;
  table.PJRT_DeviceDescription_DebugString = DebugString;
  table.PJRT_Error_Message = Message;
  return &table;
}
