import { AssemblyError, assemble } from '../../knowledge/programs/assemble.ts';
import type { PjrtApi } from '../pjrt/api.ts';
import type { Client } from '../pjrt/client.ts';
import type { CaseContext } from './context.ts';
import { NotSupported } from './outcome.ts';

/** Plugins that are known to read artifacts only, with what they said to text. */
const artifactsOnly = new WeakMap<PjrtApi, NotSupported>();

/** What a plugin that reads artifacts only said to text earlier. */
export const saidToText = (client: Client): NotSupported | undefined => artifactsOnly.get(client.api);

/**
 * A text as an artifact, for a plugin that reads artifacts only.
 * @param name the file of the text, for messages
 * @param said what the plugin said to text
 * @throws NotSupported if the text cannot be made an artifact here
 */
export function assembledFor(
  context: CaseContext,
  client: Client,
  text: Uint8Array,
  name: string,
  said: NotSupported,
): Uint8Array {
  artifactsOnly.set(client.api, said);
  const { plugin } = context.subjects.find((subject) => subject.plugin.api === client.api)!;
  try {
    return assemble(text, name, {
      current: plugin.stablehloVersion('current'),
      minimum: plugin.stablehloVersion('minimum'),
    });
  } catch (error) {
    if (!(error instanceof AssemblyError)) throw error;
    throw new NotSupported(`${said.message}; to send it as an artifact: ${error.message}`, said.cause);
  }
}
