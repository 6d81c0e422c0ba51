// A caller that gives structs sizes of no header: odd-sizes PLUGIN. The layouts of its reads have what was in memory, as those of
// XLA's client have, and the arguments of a call end where the memory ends that can be read.
#include "record.h"

#include <sys/mman.h>
#include <unistd.h>

#define COUNT 16

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  load(argv[1]);
  PJRT_Client* client = create_client();
  float data[COUNT], back[COUNT];
  for (int i = 0; i < COUNT; ++i) data[i] = (float)i;
  PJRT_Buffer* buffer = upload(client, data, COUNT);

  const size_t sizes[] = {0, 7, 70, 79, (size_t)1 << 20, (size_t)0x7ffc12345678};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); ++i) {
    const int64_t order[] = {0};
    PJRT_Buffer_MemoryLayout layout = {.struct_size = sizes[i], .type = PJRT_Buffer_MemoryLayout_Type_Tiled};
    layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
    layout.tiled.minor_to_major = order;
    layout.tiled.minor_to_major_size = 1;
    ARGS(PJRT_Buffer_ToHostBuffer, get);
    get.src = buffer;
    get.host_layout = &layout;
    get.dst = back;
    get.dst_size = sizeof(back);
    CALL(PJRT_Buffer_ToHostBuffer, get);
    await(get.event);
    if (memcmp(back, data, sizeof(data)) != 0) return 6;
  }

  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0) return 7;
  PJRT_Buffer_IsDeleted_Args* cut = (PJRT_Buffer_IsDeleted_Args*)(pages + page - 16);
  cut->struct_size = 16;
  PJRT_Error* error = api->PJRT_Buffer_IsDeleted(cut);
  if (error == NULL) return 8;
  PJRT_Error_Destroy_Args end = {PJRT_Error_Destroy_Args_STRUCT_SIZE, NULL, error};
  api->PJRT_Error_Destroy(&end);

  destroy(buffer);
  destroy_client(client);
  return 0;
}
