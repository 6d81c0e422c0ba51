/* What the table of functions and the chain of extensions are like. */

/* Of a word where a function should be: 0 for NULL, x for code, - for anything else. */
static char kind_of(uint64_t word) {
  static struct { uint64_t from, to; } code[1024];
  static size_t count;
  FILE *maps = count == 0 ? fopen("/proc/self/maps", "r") : NULL;
  char line[4352], rights[5];
  while (maps && count < 1024 && fgets(line, sizeof line, maps)) {
    int read = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &code[count].from, &code[count].to, rights);
    if (read == 3 && rights[2] == 'x') count++;
  }
  if (maps) fclose(maps);
  if (word == 0) return '0';
  for (size_t i = 0; i < count; i++)
    if (word >= code[i].from && word < code[i].to) return 'x';
  return '-';
}

static void write_kinds(FILE *out, const void *words, size_t bytes) {
  for (size_t i = 0; i + 8 <= bytes; i += 8) fputc(kind_of((uint64_t)(uintptr_t)word_at(words, i / 8)), out);
  fputc('\n', out);
}

/* Whether they are as they were when this was recorded, of a table with so many bytes that are known. */
static bool tables_are(const char *then, size_t bytes) {
  char *now;
  size_t size, head = offsetof(PJRT_Api, pjrt_api_version) + sizeof(PJRT_Api_Version);
  FILE *out = open_memstream(&now, &size);
  fprintf(out, "struct_size %zu, version %d.%d of %zu bytes: ", api->struct_size, api->pjrt_api_version.major_version,
          api->pjrt_api_version.minor_version, api->pjrt_api_version.struct_size);
  write_kinds(out, (const char *)api + head, bytes - head);
  for (PJRT_Extension_Base *one = (PJRT_Extension_Base *)api->extension_start; one; one = (PJRT_Extension_Base *)one->next) {
    fprintf(out, "extension %d, struct_size %zu: ", (int)one->type, one->struct_size);
    write_kinds(out, one + 1, one->struct_size - sizeof *one);
  }
  fclose(out);
  fprintf(stderr, "%s", now);
  return !strcmp(now, then);
}

