import type { Order, StepBody } from '../../suite/types.ts';
import { type Buffer, makeLayout, makeStridesLayout } from '../pjrt/buffer.ts';
import type { CaseContext } from './context.ts';
import { reportedOrder } from './device-format.ts';
import { answered } from './origin.ts';
import { NotSupported } from './outcome.ts';

/** `layout`: what a buffer reports about the order in which its elements lie in memory. */
export function layout(context: CaseContext, step: Extract<StepBody, { verb: 'layout' }>): void {
  const reported = reportedLayout(context, context.resolveBuffer(step.buffer));
  const facts = { minor_to_major: reported.order, num_tiles: reported.tiles };
  const asked = context.originsOf(step.buffer)[0];
  for (const [name, fact] of Object.entries(step.as))
    context.bind(name, facts[fact], [answered('PJRT_Buffer_GetMemoryLayout', fact, undefined, asked)]);
}

/** @throws NotSupported if the plugin gives byte strides */
function reportedLayout(context: CaseContext, buffer: Buffer): { order: number[]; tiles: number } {
  const reported = reportedOrder(context, buffer);
  if (!reported) throw new NotSupported('the layout is given by byte strides');
  return reported;
}

/** The minor-to-major order that an order of suites stands for. */
export function orderOf(order: Order, rank: number): number[] {
  if (order === 'reversed') return Array.from({ length: rank }, (_, i) => i);
  if (order === 'row-major') return Array.from({ length: rank }, (_, i) => rank - 1 - i);
  return [...order];
}

/** Address of a layout for a call; 0 if none is asked for. */
export function layoutAddress(
  { arena }: CaseContext,
  api: CaseContext['api'],
  asked: Order | 'none' | { strides: readonly number[] } | undefined,
  rank: number,
): bigint {
  if (asked === undefined || asked === 'none') return 0n;
  if (typeof asked === 'object' && 'strides' in asked) return makeStridesLayout(api, arena, asked.strides);
  return makeLayout(api, arena, orderOf(asked, rank));
}
