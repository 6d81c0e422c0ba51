/* A call on a stack that AddressSanitizer learns of (asan-stacks.ts). Without the C library, as recorder.c. */
typedef __UINTPTR_TYPE__ word;

struct known_call {
  void *(*function)(void *arguments);
  void *arguments;
  /* Those of sanitizer/common_interface_defs.h. */
  void (*start)(void **saved, const void *bottom, word bytes);
  void (*finish)(void *saved, const void **bottom, word *bytes);
  /* Of the stack, at whose end the arguments of this function are. */
  word bytes, page;
};

__attribute__((visibility("default"))) void *pjrt_call_on_known_stack(struct known_call *call) {
  void *saved = 0;
  const void *bottom = 0;
  word bytes = 0;
  word top = ((word)__builtin_frame_address(0) + call->page - 1) / call->page * call->page;
  call->start(&saved, (const void *)(top - call->bytes), call->bytes);
  call->finish(saved, &bottom, &bytes);
  void *answer = call->function(call->arguments);
  call->start(&saved, bottom, bytes);
  call->finish(saved, 0, 0);
  return answer;
}
