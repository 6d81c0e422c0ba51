import { availableParallelism, hostname, totalmem } from 'node:os';
import type { CommandEnvironment } from '../../base/environment.ts';
import { TOOL } from '../../base/tool.ts';
import { libcName } from '../../host/plugins/libc-name.ts';
import { type Caller, callerText } from '../../knowledge/abi/caller.ts';
import { EVENTS_VERSION, type Event } from '../../model/events.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { weighingOf } from '../../verdict/breach.ts';
import type { Submission } from '../files/submission.ts';
import { numericsOf } from '../plugin/plugin-setup.ts';
import { timeoutWords } from '../plugin/timeouts.ts';
import type { Selected } from '../suites/selection.ts';
import { jobWords } from './job-options.ts';
import type { RunOptions } from './run-options.ts';

/** The header of a run that begins now. */
export function headerOf(
  options: RunOptions,
  environment: CommandEnvironment,
  resolved: readonly ResolvedPlugin[],
  profile: string,
  caller: Caller,
  {
    selection,
    shard,
    submission,
  }: Pick<Selected, 'selection' | 'shard'> & { submission?: Submission | undefined } = {},
): Extract<Event, { type: 'header' }> {
  const libc = libcName();
  return {
    type: 'header',
    version: EVENTS_VERSION,
    tool: { ...TOOL, ...(submission?.toolSha256 ? { sha256: submission.toolSha256 } : {}) },
    startedAt: new Date().toISOString(),
    argv: [...environment.argv],
    host: {
      name: options.junitHostname ?? hostname(),
      os: process.platform,
      arch: process.arch,
      node: process.version,
      ...(process.execArgv.length > 0 ? { nodeArgv: [...process.execArgv] } : {}),
      libc,
      cpus: availableParallelism(),
      memoryBytes: totalmem(),
    },
    profile,
    numerics: numericsOf(options, resolved),
    plugins: resolved.map((p) => ({ name: p.name, path: p.library })),
    reproduce: shellWords([
      ...commandName(environment.env),
      ...commandWords(options.collection),
      // Has everything that matters of the configuration file.
      ...(options.configUse ? ['--no-config'] : []),
      ...options.plugin.flatMap((spec) => ['--plugin', spec]),
      ...(options.option ?? []).flatMap((o) => ['--option', o]),
      ...(options.deviceEnv ?? []).flatMap((row) => ['--device-env', row]),
      ...(options.suites ?? []).flatMap((s) => ['--suites', s]),
      ...(options.host ? ['--host', options.host] : []),
      ...(options.binding === 'lazy' ? ['--binding', 'lazy'] : []),
      ...(options.numerics ? ['--numerics', options.numerics] : []),
      ...jobWords(options),
      ...timeoutWords(options),
      // A single case is repeated as it ran; the gate of a release needs all cases.
      ...(Object.keys(caller).length > 0 ? ['--as-api', callerText(caller)] : []),
      ...(profile === 'full' || options.collection || profile.includes('@') ? [] : ['--profile', profile]),
      '--tests',
    ]),
    config: options.configUse,
    options: weighingOf(options),
    selection,
    mustpass: submission?.header,
    ...(shard ? { shard: { ...shard, ...options.task } } : {}),
  };
}

/**
 * The words with which the user starts this program: those of `PJRT_CONFORMANCE_COMMAND`, which other packagings than npm's set.
 */
export const commandName = (variables: CommandEnvironment['env']): string[] =>
  variables.PJRT_CONFORMANCE_COMMAND?.split(' ').filter(Boolean) ?? ['npx', TOOL.name];

/** The command that makes these cases. */
function commandWords(collection: RunOptions['collection']): string[] {
  if (!collection) return ['run'];
  const { directory, seed, oracle, convert, from, to } = collection;
  const option = (name: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [name, String(value)];
  if (collection.kind === 'trace') return ['replay', directory, ...option('--from', from), ...option('--to', to)];
  if (collection.kind === 'corpus') return ['corpus', 'stablehlo', '--dir', directory];
  return [
    'programs',
    directory,
    ...option('--seed', seed),
    ...option('--oracle', oracle),
    ...(convert ? ['--convert'] : []),
  ];
}

/** Words as one command line of a shell. */
export const shellWords = (words: readonly string[]): string =>
  words.map((w) => (/^[\w@%+=:,./~-]+$/.test(w) ? w : `'${w.replaceAll("'", `'\\''`)}'`)).join(' ');
