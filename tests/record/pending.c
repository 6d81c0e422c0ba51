// A caller with many reads at the same time: pending PLUGIN COUNT [unseen]. With `unseen` each second event is awaited and destroyed
// through the plugin's own table, of which a recorder sees nothing, so that its address is soon that of another event.
#include "record.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  void* library = load(argv[1]);
  const PJRT_Api* seen = api;
  const size_t count = (size_t)atol(argv[2]);
  PJRT_Client* client = create_client();
  float data[4] = {1, 2, 3, 4};
  PJRT_Buffer* buffer = upload(client, data, 4);
  float(*read)[4] = calloc(count, sizeof(*read));
  PJRT_Event** events = calloc(count, sizeof(*events));
  const int unseen = argc > 3 && strcmp(argv[3], "unseen") == 0;
  for (size_t i = 0; i < count; ++i) {
    events[i] = begin_read(buffer, read[i], 4);
    if (unseen) {
      if (i % 2 == 0) api = own_table(library);
      await(events[i]);
      api = seen;
    }
  }
  for (size_t i = 0; i < count && !unseen; ++i) await(events[i]);
  free(read);
  free(events);
  destroy(buffer);
  destroy_client(client);
  return 0;
}
