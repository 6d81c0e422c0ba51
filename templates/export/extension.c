/* The struct of an extension. */
static UNUSED void *extension(int type) {
  for (PJRT_Extension_Base *one = (PJRT_Extension_Base *)api->extension_start; one; one = (PJRT_Extension_Base *)one->next)
    if ((int)one->type == type) return one;
  fprintf(stderr, "the plugin has no extension %d\n", type);
  exit(DIVERGES);
}

