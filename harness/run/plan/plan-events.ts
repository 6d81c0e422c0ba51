import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { displaySuite } from '../../base/display.ts';
import { idleDeviations } from '../../host/plugins/deviations.ts';
import { formatOptionArgument } from '../../host/plugins/options.ts';
import type { Event } from '../../model/events.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { LoadedSuite } from '../../suite/load.ts';
import type { Case } from '../../suite/types.ts';
import { type ForeignCode, foreignCode } from '../../verdict/mustpass/foreign-code.ts';
import { pythonNote } from '../plugin/python-host.ts';
import { overruled, type TimeoutOptions } from '../plugin/timeouts.ts';
import type { SelectionOptions } from '../suites/selection.ts';

/** The cases to run, one event per suite. */
export function* suiteEvents(
  suites: readonly LoadedSuite[],
  cases: readonly Case[],
  cwd: string,
  informative: (testCase: Case) => boolean,
): Generator<Extract<Event, { type: 'suite' }>> {
  const wanted = new Set(cases.map((c) => c.id));
  for (const suite of suites) {
    const places = new Map(suite.cases.map((c, index) => [c.id, index]));
    const chosen = suite.cases.filter((c) => wanted.has(c.id));
    if (chosen.length === 0) continue;
    const path = resolve(cwd, suite.file);
    yield {
      type: 'suite',
      suite: suite.id,
      file: displaySuite(cwd, path),
      title: suite.description,
      sha256: suite.sha256 ?? createHash('sha256').update(readFileSync(path)).digest('hex'),
      cases: chosen.map((testCase) => ({
        id: testCase.id,
        name: testCase.id.slice(testCase.id.indexOf(':') + 1),
        index: places.get(testCase.id)!,
        ...(testCase.file === suite.file ? {} : { file: displaySuite(cwd, resolve(cwd, testCase.file)) }),
        line: testCase.line,
        title: testCase.title || `${testCase.name} ${JSON.stringify(testCase.params)}`,
        level: testCase.level,
        covers: testCase.covers,
        tags: testCase.tags,
        ...(informative(testCase) ? { informative: true } : {}),
      })),
    };
  }
}

/** Notes before the first case: about the plugins' manifests and options. */
export function* planNotes(
  options: TimeoutOptions & Pick<SelectionOptions, 'collection' | 'suite'>,
  resolved: readonly ResolvedPlugin[],
  suites: readonly LoadedSuite[],
  foreign: readonly ForeignCode[] = [],
): Generator<Event> {
  for (const { name, what } of foreign) yield foreignNote(name, `${name} is set: ${what}`);
  const ids = suites.flatMap((s) => s.cases.map((c) => c.id));
  for (const plugin of resolved) {
    for (const { name, what } of foreignCode(plugin.env))
      yield foreignNote(name, `the manifest of ${plugin.name} sets ${name} for its workers: ${what}`);
    for (const message of plugin.warnings) yield { type: 'note', level: 'warning', message };
    const python = pythonNote(plugin);
    if (python !== undefined) yield { type: 'note', level: 'info', message: python };
    yield* overruled(options, plugin.name, plugin.manifest?.deadlines);
    // Deviations are about suites; where some of these were not even loaded, nothing is idle.
    for (const idle of options.collection || options.suite ? [] : idleDeviations(plugin.manifest, ids)) {
      yield {
        type: 'note',
        level: 'warning',
        message: `the known deviation ${idle.cases} of ${plugin.name} matches no case`,
      };
    }
    if (Object.keys(plugin.options).length > 0) {
      const text = Object.entries(plugin.options).map(([name, option]) => formatOptionArgument(name, option));
      yield { type: 'note', level: 'info', message: `create options of ${plugin.name}: ${text.join(' ')}` };
    }
  }
}

const foreignNote = (name: string, message: string): Event => ({
  type: 'note',
  level: 'warning',
  message: `${message}; code of others can change what this run says`,
  fact: { kind: 'foreign', name },
});

/** Cases that need no client first, then those that share one; the runner takes isolated ones last. */
export const orderCases = (cases: readonly Case[]): Case[] => [
  ...cases.filter((c) => c.client === 'none'),
  ...cases.filter((c) => c.client !== 'none'),
];
