/** Keys of earlier versions of the language, and what to write instead. */
export const REPLACED_KEYS: Readonly<Record<string, string>> = {
  include: 'write each combination as an entry of `rows`',
};

/** Probes of earlier versions, and what replaces them (CHANGELOG.md, Suites). */
export const REPLACED_PROBES: Readonly<Record<string, string>> = {
  ...named('a step `call` with `stable`', 'stable-answer'),
  ...named('a step `call` with `overwritten: true`', 'compile-memory-overwritten', 'error-buffer-memory'),
  ...named('a step `call` of `Extension.function`', 'extension-abi-version', 'extension-layouts', 'extension-stream'),
  ...named('a step `get` with `layout` and `order`', 'to-host-layout'),
  ...named('a step `get` with `extra`', 'to-host-destination'),
  ...named('a step `get` with steps under `meanwhile`', 'read-then-end'),
  ...named('a step `get` with `from: address`', 'host-readable'),
  ...named('a step `put` with `reused: true`', 'host-memory-reuse'),
  ...named('a step `put` with `overwritten: true`', 'call-arguments-reuse'),
  ...named('the steps `pending` and `complete`', 'copy-of-pending', 'late-contents'),
  ...named('a step `execute` with `checked: true`', 'execute-lists', 'failed-execution'),
  ...named('a step `execute` with steps under `meanwhile`', 'execute-before-data'),
  ...named('the step `layout`', 'memory-layout'),
  ...named('the step `read`', 'held-memory'),
  ...named('the step `program`', 'declared-outputs'),
  ...named('the step `decode` with `message: shape`', 'canonical-shape'),
  ...named('the step `decode` with `message: compile-options`', 'compile-options-come-back'),
  ...named('the step `for-each`', 'device-descriptions', 'memory-relations', 'topology-devices'),
  ...named('the step `repeat`', 'client-cycles', 'repeated-execution'),
  ...named('bytes that are `damaged`', 'damaged-executable'),
  ...named('`payload` in the `error` of a step', 'error-payload'),
  ...named('`refusable` in the step `compile`', 'portable-executable'),
  ...named('the predicate `unique`', 'distinct-elements'),
  ...named('the predicates `names`, `types` and `sized`', 'cost-properties', 'device-attributes', 'plugin-attributes'),
  ...named('the step `valid-call` with `struct`', 'call-larger-struct', 'call-small-struct', 'call-padded-struct'),
  ...named('the step `valid-call` with `struct: older`', 'call-older-struct', 'older-memory-stats'),
  ...named('the step `valid-call` with `extensions`', 'call-unknown-extension', 'call-profiler-extension'),
  ...named('the step `valid-call` with `larger`', 'call-larger-nested-struct'),
  ...named('the step `valid-call` with `strings: unterminated`', 'call-unterminated-strings'),
  ...named('the step `valid-call` with `fields: checked`', 'call-fields'),
  ...named('the step `valid-call` with `mayFail: true`', 'offered'),
  ...named(
    'the step `valid-call` with `error: {must: UNIMPLEMENTED, or: success}`',
    'works-or-unimplemented',
    'list-or-unimplemented',
  ),
  ...named('the step `soak`', 'leak-loop', 'resource-cycle', 'handles-of-clients'),
  ...named('a step `call` with `unread`', 'error-outlives-buffer', 'error-outlives-client', 'error-without-visitor'),
  ...named('a step `call` with `{greatestOf: $list}`', 'lookup-after-last'),
  ...named('a step `call` of PJRT_Client_Load', 'load-elsewhere'),
  ...named('the step `on-threads`', 'concurrent-work', 'concurrent-use'),
};

function named(replacement: string, ...probes: string[]): Record<string, string> {
  return Object.fromEntries(probes.map((probe) => [probe, `write ${replacement}`]));
}
