import type { HostArray } from '../../../../knowledge/numerics/array.ts';
import { fetchArray } from '../../../steps/transfer.ts';
import { probe } from '../../probe.ts';
import { hashed, same, violated } from '../../support/checks.ts';
import { contentsOf, EXECUTE, writeResult } from './call-frame.ts';
import { doubled } from './doubled.ts';
import { Handler } from './handler.ts';

const ATTRIBUTES = 'EXT-FFI-004';

/** What the two calls of the program pass, sorted by name. */
const SITES = [
  [
    { name: 'flag', type: 'pred', value: 1 },
    { name: 'fraction', type: 'f32', value: 0.5 },
    { name: 'list', type: 's64 list', value: [3, 1, 2] },
    { name: 'number', type: 's64', value: 1 },
    { name: 'text', type: 'text', value: 'site 1' },
  ],
  [
    { name: 'number', type: 's64', value: 2 },
    { name: 'text', type: 'text', value: 'site 2' },
  ],
];

/** A handler that is called twice in a program gets the attributes of each call, sorted by name. */
export const ffiHandlerAttributes = probe('ffi-handler-attributes', {}, async (context) => {
  let onHost = false;
  let site = 0;
  const input = hashed('f32', [4]);
  const made: HostArray[] = [hashed('f32', [4], 7), hashed('f32', [4], 9)];
  const handler = await Handler.register(context, (frame) => {
    const [operand] = frame.operands();
    const [result] = frame.results();
    if (!operand || !result) violated('a call with an operand and a result lacks one', EXECUTE, 'EXT-FFI-002');
    const [seen, expected] = [frame.attributes(), SITES[site] ?? []];
    if (JSON.stringify(seen) !== JSON.stringify(expected)) {
      violated(`the attributes of call ${site + 1} are not those of the program`, EXECUTE, ATTRIBUTES, {
        detail: `expected ${JSON.stringify(expected)}\ngot      ${JSON.stringify(seen)}`,
      });
    }
    if (onHost) {
      const before = site === 0 ? doubled(input) : made[0]!;
      same(`the operand of call ${site + 1}`, before, contentsOf(operand!), EXECUTE, 'EXT-FFI-003');
      writeResult(result!, made[site]!);
    }
    site++;
    return undefined;
  });
  const executable = await handler.compile('custom_call/handler_attributes');
  const args = handler.put([input]);
  onHost = args.onHost;
  const [output] = await handler.executeWell(executable, args);
  handler.expectCalls(2);
  if (onHost) same('the output', made[1]!, fetchArray(context, output!), EXECUTE, 'EXT-FFI-003');
});
