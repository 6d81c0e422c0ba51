// A small caller of a plugin: uploads, executes and reads, again and again. caller PLUGIN PROGRAM OPTIONS ROUNDS [fork|chain]
// chain: each result is the argument of one more execution.
// Prints a sum of all that it read, so that runs can be compared.
#include "record.h"

#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  load(argv[1]);
  PJRT_Client* client = create_client();
  PJRT_LoadedExecutable* executable = compile_program(client, argv[2], argv[3]);

  // A child that records nothing of its parent's, and the parent goes on.
  if (argc > 5 && strcmp(argv[5], "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      ARGS(PJRT_Client_PlatformName, name);
      name.client = client;
      CALL(PJRT_Client_PlatformName, name);
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status != 0) return 6;
  }

  float data[1024], read[1024];
  double sum = 0;
  for (long round = 0, rounds = atol(argv[4]); round < rounds; ++round) {
    for (int i = 0; i < 1024; ++i) data[i] = (float)(i * 0.25 + round);
    PJRT_Buffer* input = upload(client, data, 1024);
    PJRT_Buffer* output = execute(executable, input);
    if (argc > 5 && strcmp(argv[5], "chain") == 0) {
      PJRT_Buffer* first = output;
      output = execute(executable, first);
      destroy(first);
    }
    await(begin_read(output, read, 1024));
    for (int i = 0; i < 1024; ++i) sum += read[i];
    destroy(input);
    destroy(output);
    if (round == 0) fprintf(stderr, "first round done\n");
  }
  unload(executable);
  destroy_client(client);
  char text[64];
  snprintf(text, sizeof(text), "%a", sum);
  puts(text);
  return 0;
}
