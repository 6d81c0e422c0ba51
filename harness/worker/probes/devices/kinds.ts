import { probe } from '../probe.ts';
import { violated } from '../support/checks.ts';

/** Two memories have the same kind id exactly when they have the same kind. */
export const memoryKindIds = probe('memory-kind-ids', {}, (context) => {
  const kinds = new Map<string, number>();
  const ids = new Map<number, string>();
  for (const memory of context.client.addressableMemories()) {
    const kind = memory.memoryKind();
    const id = memory.kindId();
    if ((kinds.get(kind) ?? id) !== id)
      violated(`two memories of the kind ${JSON.stringify(kind)} have different kind ids`, 'PJRT_Memory_Kind_Id');
    if ((ids.get(id) ?? kind) !== kind)
      violated(
        `memories of the kinds ${JSON.stringify(ids.get(id))} and ${JSON.stringify(kind)} have the same kind id`,
        'PJRT_Memory_Kind_Id',
      );
    kinds.set(kind, id);
    ids.set(id, kind);
  }
});

/** Devices that differ in nothing but their numbers are taken for the same hardware, so they are of one kind. */
export const deviceKindsAgree = probe('device-kinds-agree', {}, (context) => {
  const kinds = new Map<string, string>();
  for (const description of context.client.devices().map((d) => d.description())) {
    const names = description.attributes().map((a) => a.name);
    const appearance = [description.debugString().replace(/\d+/g, '#'), ...names].join();
    const kind = description.deviceKind();
    const before = kinds.get(appearance);
    if (before !== undefined && before !== kind)
      violated(
        `devices that look the same are of the kinds ${JSON.stringify(before)} and ${JSON.stringify(kind)}`,
        'PJRT_DeviceDescription_Kind',
      );
    kinds.set(appearance, kind);
  }
});
