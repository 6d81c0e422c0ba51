import type { RawStep } from './raw.ts';

/** The element of a list that a call is made for. No step of a suite can have this name. */
const ELEMENT = 'Element';

/** Of the name of an array that a step reads and checks without naming it. */
const UNNAMED = 'Contents_of_';

/**
 * How messages call what a reference leads to: `$y` is y, and the contents of buffer x, if nothing named them, x.
 * @param members the cases that the case runs together
 */
export function shownName(reference: string, members: readonly string[] = []): string {
  const [, place, name] = new RegExp(`^\\$?(?:Member(\\d+)_)?(?:${UNNAMED})?(.*)$`, 's').exec(reference)!;
  return place === undefined ? name! : `${name} of ${members[Number(place)]}`;
}

/**
 * The steps that a step stands for which says two things in one: a call for each element of a list, a compilation with the name
 * of what is behind the executable, a copy to the host with what it must be. Undefined for every other step.
 */
export function inOneStep(step: RawStep): RawStep[] | undefined {
  if (step.each !== undefined) return [forEach(step)];
  const { executable, ...compiled } = (step.compile ?? {}) as { as?: string; executable?: string };
  if (executable !== undefined) return compileAndGet(step, compiled, executable);
  return (step.get as Get | undefined)?.equals === undefined ? undefined : getAndExpect(step);
}

/** A call for each element of a list; what it binds are the lists of what each call has bound. */
function forEach({ each, ...call }: RawStep): RawStep {
  const [[field, list]] = Object.entries(each as Record<string, unknown>) as [[string, unknown]];
  const names = Object.keys((call.as ?? {}) as object);
  return {
    'for-each': { [ELEMENT]: list },
    steps: [{ ...call, with: { [field]: `$${ELEMENT}`, ...(call.with as object) } }],
    ...(names.length > 0 ? { collect: Object.fromEntries(names.map((name) => [name, `$${name}`])) } : {}),
  };
}

/** A compilation, and what is behind the executable that it loads. */
const compileAndGet = (step: RawStep, body: { as?: string }, executable: string): RawStep[] => [
  { ...step, compile: body },
  {
    call: 'PJRT_LoadedExecutable_GetExecutable',
    with: { loaded_executable: `$${body.as}` },
    as: { [executable]: 'executable' },
  },
];

interface Get {
  buffer: string;
  as?: string;
  equals?: unknown;
  compare?: unknown;
  level?: unknown;
}

/** A copy to the host, and what it must be. Without a name of its own the array has one that no step of a suite can have. */
function getAndExpect(step: RawStep): RawStep[] {
  const { equals, compare, level, ...get } = step.get as Get;
  const name = get.as ?? `${UNNAMED}${get.buffer.replace(/\W+/g, '_').replace(/^_|_$/g, '')}`;
  const { breaks, precondition } = step;
  const rules = { ...(compare === undefined ? {} : { compare }), ...(level === undefined ? {} : { level }) };
  return [
    { ...step, get: { ...get, as: name } },
    {
      expect: { actual: `$${name}`, equals, ...rules },
      ...(breaks === undefined ? {} : { breaks }),
      ...(precondition === undefined ? {} : { precondition }),
    },
  ];
}
