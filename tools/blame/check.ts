// Checks what is said of crashes: which memory, which call, which requirement.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import type { CaseResult } from '../../harness/model/case-result.ts';
import type { Event } from '../../harness/model/events.ts';
import { loadRequirements } from '../../harness/suite/requirements.ts';
import { baseName, loadDesign } from '../designs/design.ts';
import { buildDesigns, manifestOf } from '../designs/plugin.ts';
import { loadCatalogue } from '../mutation/catalogue.ts';
import { buildFaults } from '../mutation/library.ts';
import { resolveHere } from '../resolve-here.ts';
import { runTool } from '../run-tool.ts';
import { buildCrashes } from './crash-plugin.ts';
import { type Crash, HANDLED, OVERRUNS, UNRELATED } from './crashes.ts';
import { type Request, run } from './run.ts';

const USAGE = `usage: check:blame [--design NAME] [--part NAME]… [--crashes N] [--workers N]
  --design   on a plugin of this design instead of the reference plugin itself
  --part     only this part: overruns, unrelated, handled, assert, catalogue (repeatable)
  --crashes  how many crashes of the catalogue to look at (default 200)
  --workers  runs at the same time (default 2)
Exit code 0: everything that is said is right. 1: it is not.`;

const { values } = parseArgs({
  options: {
    design: { type: 'string' },
    part: { type: 'string', multiple: true },
    crashes: { type: 'string', default: '200' },
    workers: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});

/** Runs jobs, some at the same time. @returns what is wrong in each */
async function all<T>(jobs: readonly T[], check: (job: T) => Promise<string[]>): Promise<string[]> {
  const waiting = [...jobs];
  const wrong: string[] = [];
  const lane = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) wrong.push(...(await check(job)));
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, lane));
  return wrong;
}

const resultsOf = (events: readonly Event[]): [id: string, result: CaseResult][] =>
  events.flatMap((event) => (event.type === 'case' ? [[event.id, event.result] as [string, CaseResult]] : []));

/** What is wrong with the result of a crash that was made on purpose. */
function misjudged({ text, block, once, handler }: Crash, result: CaseResult | undefined): string[] {
  const { access, sporadic } = result ?? {};
  const named = access?.kind === 'overrun' ? access.block : undefined;
  const wrong: string[] = [];
  if (result?.status !== 'crash') wrong.push(`ends as ${result?.status}`);
  if (named !== block) wrong.push(`is said to be beside ${named}, not ${block}`);
  if (
    block === undefined &&
    result?.findings.some(({ type, message }) => type === 'pjrt.MemoryOverrun' || / past /.test(message))
  )
    wrong.push('is called an overrun');
  if ((sporadic ?? false) !== (once ?? false)) wrong.push(once ? 'is not called sporadic' : 'is called sporadic');
  const blamed = result?.findings.flatMap(({ requirements = [] }) => requirements) ?? [];
  if (blamed.length !== 1) wrong.push(`violates ${blamed.join(' and ') || 'nothing'}`);
  const setting = [...(once ? ['once'] : []), ...(handler ? ['with a handler'] : [])];
  return wrong.map((what) => `${[text, ...setting].join(', ')}: ${what} (${result?.findings[0]?.message})`);
}

const requirements = loadRequirements();
/** What any call may violate, wherever it dies. */
const ANYWHERE = [
  'HYG-END-001',
  'HYG-FD-001',
  'ABI-ARGS-002',
  'ABI-ARGS-013',
  'BUF-D2H-002',
  'CLI-DDA-002',
  'RUN-OUT-001',
];

/** The requirements that a result of a dead process names although the process never came to them. */
function neverReached(
  id: string,
  covers: readonly string[],
  { findings, inFlight = '', access }: CaseResult,
): string[] {
  const blamed = findings.flatMap(({ requirements: named = [] }) => named);
  const isReached = (one: string): boolean => {
    const { api = '', form, refusal } = requirements.get(one) ?? {};
    if (ANYWHERE.includes(one)) return one.startsWith('HYG') || access?.kind === 'overrun' || covers.includes(one);
    const words = api.split(/\W+/).filter((word) => word.length > 3);
    const isCall = words.some(
      (word) => inFlight === word || inFlight.endsWith(`_${word}`) || inFlight.startsWith(`${word}.`),
    );
    return (
      isCall ||
      (covers.includes(one) && (form || refusal || words.some((word) => word.includes('_') || word === 'dims')))
    );
  };
  return blamed
    .filter((one) => !isReached(one))
    .map((one) => `${id} dies in ${inFlight || 'no call'} and is said to violate ${one}`);
}

function blameOf(events: readonly Event[]): { deaths: number; wrong: string[]; blamed: Set<string> } {
  const covers = new Map(
    events.flatMap((event) => (event.type === 'suite' ? event.cases.map((one) => [one.id, one.covers] as const) : [])),
  );
  const dead = resultsOf(events).filter(([, { status }]) => status === 'crash');
  const wrong = dead.flatMap(([id, result]) => neverReached(id, covers.get(id) ?? [], result));
  const blamed = new Set(dead.flatMap(([, { findings }]) => findings.flatMap((one) => one.requirements ?? [])));
  return { deaths: dead.length, wrong, blamed };
}

await runTool(USAGE, values.help, async () => {
  const plugin = await resolveHere('reference');
  const design = values.design === undefined ? undefined : loadDesign(values.design);
  const base = { name: baseName('reference'), plugin };
  const below = design ? await buildDesigns() : plugin.library;
  const manifest = (library: string): Request['manifest'] => manifestOf(design, base, library);
  const ours = (await import('../designs/plugin.ts')).environmentOf;
  const env = design ? ours(design, plugin.library) : {};
  const library = await buildCrashes();
  const crashing = (text: string, handler = false): Pick<Request, 'manifest' | 'env'> => {
    const set = { PJRT_CRASHES_BASE: below, PJRT_CRASH: text, ...(handler ? { PJRT_CRASH_HANDLER: '1' } : {}) };
    return { manifest: { ...manifest(library), env: { ...env, ...set } }, env: {} };
  };
  const made = (crashes: readonly Crash[]) =>
    all(crashes, async (crash) => {
      const { text, id, once, handler } = crash;
      const events = await run({ ...crashing(text, handler), cases: [id], ...(once ? { once } : {}) });
      return misjudged(crash, new Map(resultsOf(events)).get(id));
    });
  const parts: Record<string, () => Promise<{ what: string; wrong: string[] }>> = {
    overruns: async () => ({ what: `${OVERRUNS.length} overruns`, wrong: await made(OVERRUNS) }),
    unrelated: async () => ({
      what: `${UNRELATED.length} sporadic or unrelated crashes`,
      wrong: await made(UNRELATED),
    }),
    handled: async () => ({
      what: `${HANDLED.length} crashes of a plugin with its own handler`,
      wrong: await made(HANDLED),
    }),
    assert: async () => {
      const cases = [
        'client/*',
        'errors/*',
        'abi/arguments:*LookupDevice*',
        'resources/leaks:*',
        'resources/threads:*',
        'topology/client-topology:*',
      ];
      const events = await run({ ...crashing('PJRT_Client_LookupDevice refused abort'), cases });
      const { deaths, wrong, blamed } = blameOf(events);
      const others = [...blamed].filter((id) => id !== 'CLI-LKP-002').map((id) => `the assert violates ${id}`);
      return {
        what: `one assert in PJRT_Client_LookupDevice, ${deaths} crashes`,
        wrong: [...wrong, ...others, ...(deaths === 0 ? ['none'] : [])],
      };
    },
    catalogue: async () => {
      const faults = await buildFaults();
      const score = JSON.parse(readFileSync(packagePath('plugins', 'faults', 'score.json'), 'utf8')) as {
        faults: Record<string, { finding?: string; failing: string[] }>;
      };
      const dies = /the process (died|exited)/;
      const chosen = loadCatalogue().filter(
        ({ name, base: of, plugins, asApi, build }) =>
          dies.test(score.faults[name]?.finding ?? '') && of !== 'inside' && plugins === 1 && !asApi && !build,
      );
      let seen = 0;
      const wrong = await all(chosen, async ({ name, env: own }) => {
        if (seen >= Number(values.crashes)) return [];
        const set = { PJRT_FAULTS_BASE: below, PJRT_FAULT: name, ...own };
        const cases = score.faults[name]!.failing.filter((id) => id.includes(':'));
        const events = await run({ manifest: { ...manifest(faults), env: { ...env, ...set } }, cases, env: {} });
        const { deaths, wrong: here } = blameOf(events);
        seen += deaths;
        return here.map((text) => `${name}: ${text}`);
      });
      return { what: `${seen} crashes of the catalogue`, wrong };
    },
  };
  let right = true;
  for (const [name, part] of Object.entries(parts)) {
    if (values.part && !values.part.includes(name)) continue;
    const { what, wrong } = await part();
    console.log(`${what}: ${wrong.length} wrong`);
    for (const text of wrong) console.log(`  ${text}`);
    right &&= wrong.length === 0;
  }
  return right;
});
