/** Deadlines of a plugin, in milliseconds. */
export interface Deadlines {
  /** The loader and GetPjrtApi, where only constructors run. */
  load: number;
  /** PJRT_Plugin_Initialize and PJRT_Client_Create: some plugins compile kernels there for a minute. */
  clientCreate: number;
  /** A call that uses the device (compile, execute, transfer, wait), until its function has succeeded once in its process. */
  first: number;
  /** One native call. */
  call: number;
  /** One case. */
  case: number;
  /** From the last case to the exit of the process, including static destructors. */
  exit: number;
}

/** Deadlines requested by a user, a manifest or a suite. */
export type AskedDeadlines = Partial<Deadlines>;

/** The functions that have the deadline `clientCreate`. */
export const CLIENT_CALLS: ReadonlySet<string> = new Set(['PJRT_Plugin_Initialize', 'PJRT_Client_Create']);

const DEFAULTS = { load: 60_000, clientCreate: 300_000, call: 60_000, case: 120_000, exit: 20_000 } as const;

/** Default ratio of the deadline of first calls to that of others. */
const FIRST_CALL = 5;

/** The largest request for each deadline. */
export function largest(...asked: readonly AskedDeadlines[]): AskedDeadlines {
  const all: AskedDeadlines = {};
  for (const [key, ms] of asked.flatMap((one) => Object.entries(one) as [keyof Deadlines, number][])) {
    all[key] = Math.max(ms, all[key] ?? 0);
  }
  return all;
}

/**
 * The deadlines in effect. A request for cases alone also affects their calls, and vice versa.
 * @param asked by the user and by manifests
 * @param suite by the case itself
 */
export function inEffect(asked: AskedDeadlines, suite: AskedDeadlines = {}): Deadlines {
  const both = largest(asked, suite);
  const call = both.call ?? both.case ?? DEFAULTS.call;
  const whole = both.case ?? DEFAULTS.case;
  const ordinary = Math.min(DEFAULTS.call, asked.call ?? Infinity, asked.case ?? Infinity);
  return {
    load: both.load ?? DEFAULTS.load,
    clientCreate: both.clientCreate ?? DEFAULTS.clientCreate,
    first: Math.max(both.first ?? FIRST_CALL * ordinary, call),
    call,
    case: asked.case === undefined ? Math.max(whole, asked.call ?? 0) : whole,
    exit: both.exit ?? DEFAULTS.exit,
  };
}

/** A deadline that has passed. */
export interface Missed {
  deadline: keyof Deadlines;
  ms: number;
}

const WHAT: Record<keyof Deadlines, string> = {
  load: 'loading',
  clientCreate: 'one native call',
  first: 'the first call of a function',
  call: 'one native call',
  case: 'one case',
  exit: 'the end of a process',
};

/** A missed deadline as a sentence that continues with where it was missed. */
export const missedText = ({ deadline, ms }: Missed): string =>
  `the deadline of ${seconds(ms)} for ${WHAT[deadline]} passed`;

export const seconds = (ms: number): string => `${Number((ms / 1000).toFixed(3))} s`;
