import { mappingAt, readMappings } from '../../ffi/mappings.ts';
import { type ProcessState, readProcessState } from '../../ffi/process-state.ts';
import type { Client } from '../../pjrt/client.ts';
import { errorOf } from '../../pjrt/errors.ts';
import type { CaseContext, Subject } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';
import { type Change, changesBetween, whose } from '../process/process-changes.ts';
import { hashed } from '../support/checks.ts';
import { compileFor, download, runAddOne, upload } from '../support/client-work.ts';
import { clientOf, onBehalf, othersOf } from './company.ts';

/** Of the requirements on the process, those whose breach the other plugins feel, and how severe that is in company. */
const SEVERITY: Readonly<Record<string, 'must' | 'should'>> = {
  'HYG-FP-001': 'must',
  'HYG-LOC-001': 'must',
  'HYG-CWD-001': 'must',
  'HYG-LIM-001': 'must',
  'HYG-FD-001': 'must',
  'HYG-SIG-002': 'must',
  'HYG-ENV-001': 'must',
  'HYG-SIG-001': 'should',
  'HYG-SCH-001': 'should',
  'HYG-TMR-001': 'should',
};

/**
 * The process is looked at after each step of each plugin, from loading to the end of its client: what a step changes is the
 * doing of that plugin. What comes back to the state before all plugins harms nobody.
 */
export const stateByPlugin = probe('state-by-plugin', {}, (context) => {
  const start = context.instrument.processAtStart;
  if (!start) throw new NotSupported('this system does not show the state of a process');
  const journal = new Journal(context, start);
  for (const { plugin, what, state } of context.instrument.processAfter) journal.add(plugin, what, state);
  const clients = new Map<Subject, Client>();
  const step = (subject: Subject, what: string, run: () => void): void => {
    // Between steps nobody is to blame: this is the harness.
    journal.rest();
    onBehalf(context, subject, `beside ${othersOf(context, subject)}`, run);
    journal.add(subject.setup.name, what, readProcessState());
  };
  for (const subject of context.subjects) {
    step(subject, 'PJRT_Client_Create', () => {
      const client = clientOf(context, subject);
      if (client) clients.set(subject, client);
    });
  }
  for (const subject of [...clients.keys(), ...clients.keys()]) use(context, subject, clients.get(subject)!, step);
  for (const [subject, client] of clients) step(subject, 'PJRT_Client_Destroy', () => client.destroy());
});

/** What programs do all the time, and a call that fails. */
function use(
  context: CaseContext,
  subject: Subject,
  client: Client,
  step: (subject: Subject, what: string, run: () => void) => void,
): void {
  step(subject, 'transfers', () => {
    const array = hashed('f32', [5, 7], 3);
    const buffer = upload(context.arena, client, array);
    download(context.arena, buffer, array);
    buffer.destroy();
  });
  step(subject, 'an error', () => {
    errorOf(() =>
      client.api.invoke('PJRT_Client_LookupDevice', (call) => {
        call.setWord('client', client.pointer);
        call.setInt('id', -1);
      }),
    );
  });
  let executable: ReturnType<typeof compileFor> | undefined;
  step(subject, 'PJRT_Client_Compile', () => {
    executable = compileFor(context, client, 'misc/add_one');
  });
  if (!executable) return;
  const compiled = executable;
  step(subject, 'PJRT_LoadedExecutable_Execute', () => {
    for (let i = 0; i < 3; i++) runAddOne(context, client, compiled);
    compiled.destroy();
  });
}

/** Looks at the process and reports what each step changed, once for each plugin and requirement. */
class Journal {
  readonly #context: CaseContext;
  readonly #start: ProcessState;
  #last: ProcessState;
  readonly #known = new Set<string>();

  constructor(context: CaseContext, start: ProcessState) {
    this.#context = context;
    this.#start = start;
    this.#last = start;
  }

  rest(): void {
    this.#last = readProcessState();
  }

  add(plugin: string, what: string, now: ProcessState): void {
    for (const change of this.#changes(now)) {
      const [id] = change.requirements;
      const level = SEVERITY[id];
      if (level === undefined || this.#known.has(`${plugin} ${id}`)) continue;
      this.#known.add(`${plugin} ${id}`);
      this.#report(plugin, level, `since ${what} of ${plugin}, ${change.message}`, change.detail, id);
    }
    if (now.globalEntry !== this.#last.globalEntry) {
      const message = `since ${what} of ${plugin}, the symbols of a plugin are visible to all libraries that are loaded later (RTLD_GLOBAL)`;
      const detail = `GetPjrtApi is ${whose(now.globalEntry)}`;
      this.#report(plugin, 'should', message, detail, 'COX-SYM-001');
    }
    this.#last = now;
  }

  #report(plugin: string, level: 'must' | 'should', message: string, detail: string | undefined, id: string): void {
    this.#context.report({
      type: 'pjrt.ProcessChanged',
      level,
      message,
      ...(detail === undefined ? {} : { detail }),
      plugin,
      culprit: plugin,
      requirements: [id],
    });
  }

  /** What is not as before the step, and not as before all plugins either. */
  #changes(now: ProcessState): Change[] {
    const ids = (changes: readonly Change[]) => new Set(changes.map(({ requirements }) => requirements[0]));
    const sinceStart = ids(changesBetween(this.#comparable(this.#start), now));
    const changes = changesBetween(this.#comparable(this.#last), now).filter(
      ({ requirements: [id] }) => sinceStart.has(id) || id === 'HYG-SIG-001',
    );
    return changes.flatMap((change) => {
      if (change.requirements[0] === 'HYG-SIG-001') return signals(change, this.#last, now);
      return change.requirements[0] === 'HYG-ENV-001' ? variables(change, this.#last, now) : [change];
    });
  }

  /** Threads that plugins started set themselves up as they like. New variables are for the plugin that sets them. */
  #comparable(state: ProcessState): ProcessState {
    const own = [...state.threadStates].filter(([id]) => this.#start.threadStates.has(id));
    return { ...state, threadStates: new Map(own) };
  }
}

/** A variable that was not there is for the plugin that sets it; to change or remove one disturbs who set it. */
function variables(change: Change, then: ProcessState, now: ProcessState): Change[] {
  const names = Object.keys(then.environment).filter((name) => then.environment[name] !== now.environment[name]);
  if (names.length === 0) return [];
  return [{ ...change, message: `environment variables are changed or removed: ${names.sort().join(', ')}` }];
}

/** A handler of another plugin that is replaced is worse than the default action. */
function signals(change: Change, then: ProcessState, now: ProcessState): Change[] {
  const mappings = readMappings() ?? [];
  const taken = [...now.signalHandlers].filter(([name, handler]) => {
    const before = then.signalHandlers.get(name)!;
    const file = before > 1n && handler !== before ? mappingAt(mappings, before)?.file : undefined;
    return file !== undefined && /\.so/.test(file);
  });
  if (taken.length === 0) return [change];
  return [
    {
      ...change,
      message: `the handlers of ${taken.map(([name]) => name).join(', ')} that another library had set are replaced`,
    },
  ];
}
