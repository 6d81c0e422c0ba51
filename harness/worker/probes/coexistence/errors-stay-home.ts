import { pjrtFunctionAt } from '../../ffi/function.ts';
import { beginWrongCall, endWrongCall } from '../../ffi/wrong-calls.ts';
import type { CaseContext, Subject } from '../../steps/context.ts';
import { probe } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { doWork } from '../support/client-work.ts';

const FUNCTION = 'PJRT_Client_LookupDevice';
/** Ids that no device has; nothing else in the case looks for them. */
const MINE = -3;
const FOREIGN = -7;

/** Errors of one plugin are kept while the other one makes and reads its own: each stays what it was. */
export const errorsStayHome = probe('errors-stay-home', {}, (context) => {
  const [one, two] = context.subjects as [Subject, Subject];
  for (const [mine, other] of [
    [one, two],
    [two, one],
  ] as const) {
    const control = read(mine, provoke(context, mine, MINE));
    const foreignControl = read(other, provoke(context, other, FOREIGN));
    const kept = provoke(context, mine, MINE);
    const foreign = provoke(context, other, FOREIGN);
    doWork(context, other.client!);
    expectSame(mine, other, control, read(mine, kept));
    doWork(context, other.client!);
    expectSame(other, mine, foreignControl, read(other, foreign));
    doWork(context, mine.client!);
  }
});

function expectSame(owner: Subject, other: Subject, before: string, after: string): void {
  if (before === after) return;
  violated(
    `an error of ${owner.plugin.name} reads differently after ${other.plugin.name} had one`,
    'PJRT_Error_Message',
    'ERR-GEN-003',
    { detail: `before: ${before}\nafter:  ${after}` },
  );
}

/** An error of a plugin, not read yet. */
function provoke(context: CaseContext, { plugin, client }: Subject, id: number): bigint {
  const args = plugin.api.make(context.arena, `${FUNCTION}_Args`);
  args.at(0).setWord('client', client!.pointer);
  args.at(0).setInt('id', id);
  beginWrongCall();
  const error = context.instrument.native(FUNCTION, () => pjrtFunctionAt(plugin.api.demand(FUNCTION))(args.address));
  endWrongCall();
  if (error === null)
    violated(`${FUNCTION} of ${plugin.name} found a device with the id ${id}`, FUNCTION, 'CLI-LKP-002');
  return error;
}

function read({ plugin }: Subject, error: bigint): string {
  const { codeName, text } = plugin.api.takeError(error, FUNCTION);
  return `${codeName}: ${text}`;
}
