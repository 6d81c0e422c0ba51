/**
 * Writes frameworks/*.json from a collection of facts about framework releases: `from-facts.ts releases.json`. The facts come
 * from the frameworks' histories, from runs of their packages, and from fault injection; each release keeps its evidence.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import type {
  AbortingFunction,
  Extension,
  Fault,
  Framework,
  Gate,
  MeasuredCalls,
  OnError,
  PlatformGate,
  Promised,
  Release,
  Use,
} from '../../harness/verdict/frameworks/types.ts';

interface RawGate {
  name: string;
  how: string;
  min_minor?: number;
  null_checked?: boolean;
  if_absent: string;
}

interface RawFunctions {
  fatal_on_error: string[];
  fatal_unless_unimplemented: string[];
  error_propagated: string[];
  unimplemented_ok: string[];
  result_ignored: string[];
  gated: RawGate[];
  tolerance: Record<string, string>;
  ungated_added_after_0_31: { name: string; added_minor: number }[];
}

interface RawExtensions {
  looked_up_by_client: string[];
  looked_up_elsewhere: string[];
}

interface RawFault {
  process_dies: string[];
  /** With the first step that failed, if recorded. */
  python_error: Record<string, string> | string[];
  no_effect: string[];
}

interface RawRelease {
  framework: string;
  version: string;
  date: string;
  date_from: string;
  pjrt_api: [number, number];
  status: string;
  xla_commit: string | null;
  rule: { env_unset_means: 'exact' | 'compatible' };
  stablehlo_writes: string | null;
  stablehlo_fallback_target: string | null;
  stablehlo_policy: {
    reads_stablehlo_current_version: boolean;
    clamps_to_own_version: boolean;
    shardy_ops_in_program: string;
  };
  notes?: string[];
  functions?: RawFunctions;
  functions_from?: string;
  extensions?: RawExtensions;
  measured?: {
    one_function_returns_UNIMPLEMENTED?: RawFault;
    one_function_returns_INTERNAL?: RawFault;
    runs: {
      plugin: string;
      ENABLE_PJRT_COMPATIBILITY: 'unset' | '1' | '0';
      outcome: string;
      reached: string;
      message: string;
    }[];
  };
}

interface Raw {
  sources: Record<string, string>;
  phase_of: Record<string, string>;
  extension_absence: Record<string, string>;
  extension_fatal_on_error_when_present: Record<string, string[]>;
  observations: {
    called_in_core_workload: Record<string, string[]>;
    stubs_above_0_81: {
      null_ok_error_aborts: string[];
      null_crashes_error_ok: string[];
      null_and_error_crash_at_first_error: string[];
    };
  };
  releases: RawRelease[];
}

const NAMES: Record<string, { name: string; title: string; hlo: boolean }> = {
  jax: { name: 'jax', title: 'JAX', hlo: false },
  torch_xla: { name: 'pytorch-xla', title: 'PyTorch/XLA', hlo: true },
  tensorflow: { name: 'tensorflow', title: 'TensorFlow', hlo: true },
};

/** Compatibility promises for plugins older than the framework, which the facts about single releases do not contain. */
const PROMISES: Record<string, Promised> = {
  jax: {
    weeks: 12,
    source:
      'openxla/xla, xla/pjrt/pjrt_api.cc, comment above kMinPjRtMinor: at least 12 weeks; what is enforced is minor 29 alone',
  },
};

const release = (raw: RawRelease, hlo: boolean): Release => ({
  version: raw.version,
  date: raw.date,
  dateFrom: raw.date_from,
  minor: raw.pjrt_api[1],
  status: raw.status,
  xlaCommit: raw.xla_commit,
  rule: raw.rule.env_unset_means,
  stablehlo: {
    writes: raw.stablehlo_writes,
    fallback: raw.stablehlo_fallback_target,
    readsAttribute: raw.stablehlo_policy.reads_stablehlo_current_version,
    clamps: raw.stablehlo_policy.clamps_to_own_version,
    shardyOps: raw.stablehlo_policy.shardy_ops_in_program,
  },
  ...(hlo ? { sendsHlo: true } : {}),
  notes: raw.notes ?? [],
  measured: (raw.measured?.runs ?? []).map((run) => ({
    plugin: run.plugin,
    compatibilityVariable: run.ENABLE_PJRT_COMPATIBILITY,
    outcome: run.outcome,
    reached: run.reached,
    message: run.message,
  })),
});

const faults = ({ version, measured }: RawRelease): Fault[] =>
  (['UNIMPLEMENTED', 'INTERNAL'] as const).flatMap((answer) => {
    const raw = measured?.[`one_function_returns_${answer}`];
    if (!raw) return [];
    return [
      {
        release: version,
        answer,
        dies: raw.process_dies,
        error: Array.isArray(raw.python_error)
          ? Object.fromEntries(raw.python_error.map((name) => [name, 'workload']))
          : raw.python_error,
        harmless: raw.no_effect,
      },
    ];
  });

function onError(name: string, functions: RawFunctions): OnError | undefined {
  if (functions.fatal_unless_unimplemented.includes(name)) return 'abort unless UNIMPLEMENTED';
  if (functions.fatal_on_error.includes(name)) return 'abort';
  if (functions.unimplemented_ok.includes(name)) return 'UNIMPLEMENTED is fine';
  if (functions.error_propagated.includes(name)) return 'error';
  if (functions.result_ignored.includes(name)) return 'ignored';
  return functions.gated.some((g) => g.name === name) ? 'error' : undefined;
}

/** The conditions of a gate, which the facts state in words alone: read here, so that nothing else has to. */
function conditionsIn(how: string): Omit<Gate, 'how' | 'ifAbsent' | 'minMinor' | 'nullChecked'> {
  const [, withExtension] = /(?:reached only with|offers) the (\w+) extension/.exec(how) ?? [];
  const [, withoutExtension] = /when the (\w+) extension is missing/.exec(how) ?? [];
  const [, creator] = /only called when (\w+) gave an event/.exec(how) ?? [];
  return {
    ...(withExtension === undefined ? {} : { withExtension }),
    ...(withoutExtension === undefined ? {} : { withoutExtension }),
    ...(how.includes('struct_size reaches the slot') ? { withinTable: true } : {}),
    ...(how.includes('the caller passes a context') ? { withContext: true } : {}),
    ...(creator === undefined ? {} : { after: `Device_${creator}` }),
  };
}

/** A function that the facts name, with remarks behind its name. */
const aborting = (text: string): AbortingFunction => {
  const [slot] = /^\w+(?= |$)/.exec(text) ?? [];
  return { ...(slot === undefined ? {} : { slot }), text };
};

const gate = (raw: RawGate): Gate => ({
  ...(raw.min_minor === undefined ? {} : { minMinor: raw.min_minor }),
  ...(raw.null_checked ? { nullChecked: true } : {}),
  ...conditionsIn(raw.how),
  how: raw.how,
  ifAbsent: raw.if_absent,
});

function uses(name: string, releases: readonly RawRelease[], of: (r: RawRelease) => RawFunctions): Use[] {
  const spans: Use[] = [];
  let last: string | undefined;
  for (const raw of releases) {
    const functions = of(raw);
    const error = onError(name, functions);
    if (error === undefined) {
      last = undefined;
      continue;
    }
    const raws = functions.gated.find((g) => g.name === name);
    const added = functions.ungated_added_after_0_31.find((u) => u.name === name)?.added_minor;
    const tolerance = functions.tolerance[name];
    const use = {
      onError: error,
      ...(raws ? { gate: gate(raws) } : {}),
      ...(added === undefined ? {} : { addedIn: added }),
      ...(tolerance === undefined ? {} : { tolerance }),
    };
    const key = JSON.stringify(use);
    if (key === last) spans.at(-1)!.to = raw.version;
    else spans.push({ from: raw.version, to: raw.version, ...use });
    last = key;
  }
  return spans;
}

/** Extensions by the releases that look for them. */
function extensions(releases: readonly RawRelease[], of: (r: RawRelease) => RawExtensions): Record<string, Extension> {
  const names = releases.flatMap((r) => [...of(r).looked_up_by_client, ...of(r).looked_up_elsewhere]);
  return Object.fromEntries(
    [...new Set(names)].sort().map((name) => {
      const looking = releases.filter((r) =>
        [...of(r).looked_up_by_client, ...of(r).looked_up_elsewhere].includes(name),
      );
      return [
        name,
        {
          from: looking[0]!.version,
          to: looking.at(-1)!.version,
          ifAbsent: raw.extension_absence[name] ?? 'not known',
          abortOnError: (raw.extension_fatal_on_error_when_present[name] ?? []).map(aborting),
        },
      ];
    }),
  );
}

/** Measurements of tools/compat/trace.ts. */
function calls(): MeasuredCalls[] {
  const { command, releases } = JSON.parse(readFileSync(packagePath('tools', 'frameworks', 'calls.json'), 'utf8')) as {
    command: string;
    releases: Record<string, Omit<MeasuredCalls, 'release' | 'status' | 'command'>>;
  };
  return Object.entries(releases).map(([version, habits]) => ({
    release: version,
    status: 'measured',
    command,
    ...habits,
  }));
}

/** Lists of platforms in the sources of releases, of which one serves several releases. */
function platforms(name: string): PlatformGate[] {
  const lists = JSON.parse(readFileSync(packagePath('tools', 'frameworks', 'platforms.json'), 'utf8')) as Record<
    string,
    (Pick<PlatformGate, 'feature' | 'otherwise' | 'source'> & {
      spans: Pick<PlatformGate, 'from' | 'to' | 'names'>[];
    })[]
  >;
  return (lists[name] ?? []).flatMap(({ feature, spans, otherwise, source }) =>
    spans.map((span) => ({ feature, ...span, otherwise, source })),
  );
}

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: from-facts.ts releases.json');
  process.exit(2);
}
const raw = JSON.parse(readFileSync(file, 'utf8')) as Raw;
/** Called by the same workload in plugins that report more than 0.81; version checks of the releases exclude others. */
const { null_ok_error_aborts, null_crashes_error_ok, null_and_error_crash_at_first_error } =
  raw.observations.stubs_above_0_81;
const CALLED_ABOVE = [...null_ok_error_aborts, ...null_crashes_error_ok, ...null_and_error_crash_at_first_error].map(
  (text) => text.split(' ')[0]!,
);
mkdirSync(packagePath('frameworks'), { recursive: true });
const write = (framework: Framework): void =>
  writeFileSync(packagePath('frameworks', `${framework.name}.json`), text(framework));
for (const [id, { name, title, hlo }] of Object.entries(NAMES)) {
  const releases = raw.releases.filter((r) => r.framework === id);
  const of = (r: RawRelease): RawFunctions =>
    r.functions ?? of(raw.releases.find((o) => o.framework === id && o.version === r.functions_from)!);
  const extensionsOf = (r: RawRelease): RawExtensions =>
    r.extensions ??
    extensionsOf(raw.releases.find((o) => o.framework === id && o.version === (r.functions_from ?? ''))!);
  const promise = PROMISES[name];
  const called = [
    ...new Set(
      releases
        .flatMap((r) => [of(r)])
        .flatMap((f) => [
          ...f.fatal_on_error,
          ...f.fatal_unless_unimplemented,
          ...f.error_propagated,
          ...f.unimplemented_ok,
          ...f.result_ignored,
          ...f.gated.map((g) => g.name),
        ]),
    ),
  ].sort();
  const framework: Framework = {
    name,
    title,
    sources: Object.fromEntries(Object.entries(raw.sources).filter(([key]) => key !== 'abi')),
    ...(promise ? { promise } : {}),
    releases: releases.map((r) => release(r, hlo)),
    functions: Object.fromEntries(called.map((fn) => [fn, uses(fn, releases, of)])),
    extensions: extensions(releases, extensionsOf),
    platforms: platforms(name),
    phases: Object.fromEntries(called.map((fn) => [fn, raw.phase_of[fn] ?? 'other'])),
    core: Object.entries(raw.observations.called_in_core_workload).map(([version, functions]) => ({
      minor: raw.releases.find((r) => r.framework === 'jax' && r.version === version)!.pjrt_api[1],
      functions: [...functions, ...CALLED_ABOVE.filter((name) => !functions.includes(name))].sort(),
    })),
    calls: name === 'jax' ? calls() : [],
    faults: releases.flatMap(faults),
  };
  write(framework);
  if (name === 'jax') write(torchTpu(framework));
}

/** torch_tpu has the client of JAX's newest release: the same functions, of which it calls others. */
function torchTpu(jax: Framework): Framework {
  const known = JSON.parse(readFileSync(packagePath('tools', 'frameworks', 'torch-tpu.json'), 'utf8')) as {
    sources: Record<string, string>;
    release: Release;
    calls: MeasuredCalls;
  };
  const { version } = known.release;
  const newest = jax.releases.at(-1)!.version;
  const functions = Object.entries(jax.functions).flatMap(([name, uses]): [string, Use[]][] => {
    const last = uses.at(-1)!;
    return last.to === newest ? [[name, [{ ...last, from: version, to: version }]]] : [];
  });
  const extensions = Object.entries(jax.extensions).flatMap(([name, extension]): [string, Extension][] =>
    extension.to === newest ? [[name, { ...extension, from: version, to: version }]] : [],
  );
  return {
    name: 'torch-tpu',
    title: 'torch_tpu',
    sources: known.sources,
    releases: [known.release],
    functions: Object.fromEntries(functions),
    extensions: Object.fromEntries(extensions),
    platforms: [],
    phases: Object.fromEntries(functions.map(([name]) => [name, jax.phases[name]!])),
    core: jax.core,
    calls: [known.calls],
    faults: [],
  };
}

/** JSON with one release, function or list per line, for readable diffs. */
function text(framework: Framework): string {
  const line = (value: unknown): string => JSON.stringify(value);
  const rows = (object: object): string =>
    Object.entries(object)
      .map(([key, value]) => `    ${line(key)}: ${line(value)}`)
      .join(',\n');
  const list = (values: readonly unknown[]): string => values.map((v) => `    ${line(v)}`).join(',\n');
  return `{
  "$schema": "../schemas/framework.schema.json",
  "name": ${line(framework.name)},
  "title": ${line(framework.title)},
  "sources": {
${rows(framework.sources)}
  },
${framework.promise ? `  "promise": ${line(framework.promise)},\n` : ''}  "releases": [
${list(framework.releases)}
  ],
  "functions": {
${rows(framework.functions)}
  },
  "extensions": {
${rows(framework.extensions)}
  },
  "platforms": ${framework.platforms.length === 0 ? '[]' : `[\n${list(framework.platforms)}\n  ]`},
  "phases": {
${rows(framework.phases)}
  },
  "core": [
${list(framework.core)}
  ],
  "calls": [
${list(framework.calls)}
  ],
  "faults": [
${list(framework.faults)}
  ]
}
`;
}
