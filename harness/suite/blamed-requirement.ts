import { Abi, NEWEST_MINOR } from '../knowledge/abi/index.ts';
import { type InvalidAccess, isStruct } from '../model/invalid-access.ts';
import type { Requirement, Requirements } from './requirements.ts';
import type { Case, Step } from './types.ts';

/** Where and how a process ended. */
export interface End {
  /** The call in which it did; undefined if in none, or if the call need not be the cause. */
  call: string | undefined;
  /** Line of the step. */
  line: number | undefined;
  /** Whether the plugin had to refuse the call. */
  wrong: boolean;
  access: InvalidAccess | undefined;
}

const NEWEST = Abi.at(NEWEST_MINOR);

/** No call may end the process, or fail to return, whatever it is given. */
export const ANY_CALL = 'HYG-END-001';
/** What is given to a call has an end. */
const [STRUCTS, INPUTS] = ['ABI-ARGS-002', 'ABI-ARGS-013'];
/** What a call writes has one too. */
const OUTPUTS: Readonly<Record<string, string>> = {
  dst: 'BUF-D2H-002',
  default_assignment: 'CLI-DDA-002',
  output_lists: 'RUN-OUT-001',
  device_complete_events: 'RUN-OUT-001',
};

/**
 * The one requirement that the end of a process in a call violates: what forbids it of that call, called like that. The case
 * knows better than the catalogue what is special about its arguments; what it covers besides was not reached.
 */
export function blamedRequirement(
  all: Requirements,
  { covers, steps }: Pick<Case, 'covers' | 'steps'>,
  end: End,
): string {
  const { call, line, access } = end;
  if (access?.kind === 'overrun') return isStruct(access) ? STRUCTS : (OUTPUTS[access.block!] ?? INPUTS);
  if (call === undefined) return ANY_CALL;
  const about = ofCall(all, call);
  const wrong = end.wrong && about.some(({ refusal }) => refusal);
  const fits = ({ refusal }: Requirement): boolean => (refusal ?? false) === wrong;
  const known = [...(stepAt(steps, line)?.breaks ?? []), ...covers].flatMap((id) => all.get(id) ?? []);
  const special =
    known.find((one) => fits(one) && (about.includes(one) || isAboutField(one, call))) ??
    known.find((one) => one.refusal && end.wrong && NEWEST.functions.every((name) => length(one, name) === 0)) ??
    known.find(({ form, refusal }) => form && (refusal || !end.wrong));
  const general = about.filter((one) => fits(one) && !one.special);
  return special?.id ?? (general.length === 1 ? general[0]!.id : ANY_CALL);
}

/** The requirements whose `api` names a function most precisely: `Buffer_Device` rather than `Device`. */
function ofCall(all: Requirements, call: string): Requirement[] {
  const named = [...all.values()].filter(({ level }) => level !== 'caller' && level !== 'may');
  const longest = Math.max(...named.map((one) => length(one, call)));
  return longest === 0 ? [] : named.filter((one) => length(one, call) === longest);
}

/** How much of the name of a function, or its extension, the `api` of a requirement has; 0 if it is about something else. */
function length({ api }: Requirement, call: string): number {
  const [extension, slot = call] = call.includes('.') ? call.split('.') : [undefined, call];
  const words = api
    .split(/\W+/)
    .filter((word) => word !== '' && (word === extension || `_${slot}`.endsWith(`_${word}`)));
  return Math.max(0, ...words.map((word) => word.length));
}

/** Whether it is about an argument of a function, by its name: `byte_strides`. */
function isAboutField({ api }: Requirement, call: string): boolean {
  const fields = api.split(' ').filter((word) => word.includes('_') || word === 'dims');
  return NEWEST.slotOffset(call) !== undefined && fields.some((field) => NEWEST.argsOf(call).has(field));
}

/**
 * The level of a case that waits for ever for what only should come, as its step says: that is no more than that it does not come.
 * @param call in which it waits; undefined: in none, as for a callback
 */
export function levelOfWait(
  all: Requirements,
  { level, steps }: Pick<Case, 'level' | 'steps'>,
  { call, line }: Pick<End, 'call' | 'line'>,
): Case['level'] {
  const { breaks = [] } = stepAt(steps, line) ?? {};
  const waits = call === undefined || call === 'PJRT_Event_Await';
  return waits && breaks.length > 0 && breaks.every((id) => all.get(id)?.level === 'should') ? 'should' : level;
}

/** The innermost step of a line. */
function stepAt(steps: readonly Step[], line: number | undefined): Step | undefined {
  for (const step of steps) {
    const inner = stepAt('steps' in step ? (step.steps ?? []) : [], line);
    if (inner) return inner.breaks || !step.breaks ? inner : { ...inner, breaks: step.breaks };
    if (step.line === line) return step;
  }
  return undefined;
}
