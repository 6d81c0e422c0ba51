/* Named values as text, a line each. */
static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static char *line_of(const PJRT_NamedValue *value) {
  char *line;
  size_t size;
  FILE *out = open_memstream(&line, &size);
  fprintf(out, "%.*s, type %d, size %zu:", (int)value->name_size, value->name, (int)value->type, value->value_size);
  for (size_t i = 0; value->type == PJRT_NamedValue_kString && i < value->value_size; i++)
    fprintf(out, " %02x", (unsigned char)value->string_value[i]);
  for (size_t i = 0; value->type == PJRT_NamedValue_kInt64List && i < value->value_size; i++)
    fprintf(out, " %" PRId64, value->int64_array_value[i]);
  if (value->type == PJRT_NamedValue_kInt64) fprintf(out, " %" PRId64, value->int64_value);
  if (value->type == PJRT_NamedValue_kFloat) {
    uint32_t bits;
    memcpy(&bits, &value->float_value, sizeof bits);
    fprintf(out, " %08" PRIx32, bits);
  }
  if (value->type == PJRT_NamedValue_kBool) fprintf(out, " %d", value->bool_value);
  fputc('\n', out);
  fclose(out);
  return line;
}

/* Whether they are as they were when this was recorded, in any order. */
static bool values_are(const PJRT_NamedValue *values, size_t count, const char *then) {
  char *lines[1024], *now;
  size_t size;
  if (count > 1024) return false;
  for (size_t i = 0; i < count; i++) lines[i] = line_of(values + i);
  qsort(lines, count, sizeof *lines, by_text);
  FILE *out = open_memstream(&now, &size);
  for (size_t i = 0; i < count; i++) fputs(lines[i], out);
  fclose(out);
  fprintf(stderr, "%s", now);
  return !strcmp(now, then);
}
