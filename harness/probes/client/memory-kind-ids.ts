import type { Probe } from '../../steps/steps.ts';
import { broken } from './support.ts';

const FUNCTION = 'PJRT_Memory_Kind_Id';

/** Two memories have the same kind id exactly when they have the same kind. */
export const memoryKindIds: Probe = (context) => {
  const kinds = new Map<string, number>();
  const ids = new Map<number, string>();
  for (const memory of context.client.addressableMemories()) {
    const kind = memory.memoryKind();
    const id = memory.kindId();
    if ((kinds.get(kind) ?? id) !== id)
      broken(`two memories of the kind ${JSON.stringify(kind)} have different kind ids`, FUNCTION);
    if ((ids.get(id) ?? kind) !== kind)
      broken(
        `memories of the kinds ${JSON.stringify(ids.get(id))} and ${JSON.stringify(kind)} have the same kind id`,
        FUNCTION,
      );
    kinds.set(kind, id);
    ids.set(id, kind);
  }
};
