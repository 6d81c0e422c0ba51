/** What a plugin must do, as far as a recording of its calls shows it. */
export const PLUGIN_RULES = {
  'input-changed': 'ABI-ARGS-010',
  'answer-changed': 'ABI-QRY-001',
  'not-ready-again': 'EVT-RDY-002',
  'called-back-twice': 'EVT-CB-001',
  'two-endings': 'EVT-CB-001',
  'buffer-deleted-unasked': 'BUF-DEL-005',
  'executable-deleted-unasked': 'LEX-DEL-002',
  'buffer-not-deleted': 'BUF-DEL-005',
  'executable-not-deleted': 'LEX-DEL-002',
} as const;

/** Those of level should: they are shown, and no reason to fail. */
export const SHOULD: ReadonlySet<string> = new Set(['input-changed', 'answer-changed']);

export type PluginRule = keyof typeof PLUGIN_RULES;

/** Answers that change with what happens to the object. */
export const STATES: ReadonlySet<string> = new Set([
  'PJRT_Event_IsReady',
  'PJRT_Buffer_IsDeleted',
  'PJRT_LoadedExecutable_IsDeleted',
]);

/** Functions besides queries that leave the buffers and executables that they are given as they are. */
export const KEEPS: ReadonlySet<string> = new Set([
  'PJRT_Buffer_ReadyEvent',
  'PJRT_Buffer_ToHostBuffer',
  'PJRT_Buffer_CopyToDevice',
  'PJRT_Buffer_CopyToMemory',
  'PJRT_Buffer_CopyRawToHost',
  'PJRT_Buffer_IncreaseExternalReferenceCount',
  'PJRT_Buffer_DecreaseExternalReferenceCount',
  'PJRT_LoadedExecutable_GetExecutable',
  'PJRT_LoadedExecutable_Execute',
]);

/** Types whose end is not that of objects that live with them. */
export const ALONE: ReadonlySet<string> = new Set(['PJRT_Buffer', 'PJRT_Event', 'PJRT_Error']);

/** After these an object is deleted. */
export const DELETES: ReadonlySet<string> = new Set(['PJRT_Buffer_Delete', 'PJRT_LoadedExecutable_Delete']);
