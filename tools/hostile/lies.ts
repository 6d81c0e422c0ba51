/**
 * `npm run check:lies`: plugins that are right but for one field of one function, of which there is one for each count, number
 * and pointer that the functions of the C API return. Whatever is answered is a result of the plugin: no case may end in an
 * internal error, and each that fails names a function.
 */
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { Abi, type Field, NEWEST_MINOR } from '../../harness/knowledge/abi/index.ts';
import type { CaseRun } from '../../harness/model/run.ts';
import { caseMatcher } from '../../harness/suite/case-glob.ts';
import { buildKey, cached, compile } from '../../tests/support/c-compiler.ts';
import { manifestOf } from '../designs/plugin.ts';
import { runOn } from '../designs/run.ts';
import { resolveHere } from '../resolve-here.ts';
import { runTool } from '../run-tool.ts';

const USAGE = `usage: check:lies [--lie GLOB]… [-- options of run]
  --lie  only these: PJRT_Buffer_Dimensions.num_dims=-1
Options of run are --profile smoke by default. Exit code 1 when a case ends in an internal error, or fails without a function.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { lie: { type: 'string', multiple: true, default: ['*'] }, help: { type: 'boolean', default: false } },
});

/** Deadlines: lies lead to waiting for what never comes. */
const SOON = ['--timeout-call', '5s', '--timeout-first', '5s', '--timeout-case', '10s', '--timeout-client', '10s'];

const isInternal = ({ result }: CaseRun): boolean => result?.status === 'error';

/** A failed check of an answer without the function that gave it. */
const isNameless = ({ result }: CaseRun): boolean =>
  (result?.findings ?? []).some(
    ({ type, call, calls }) => /^pjrt\.(?:AssertionFailed|BadData|NullHandle)$/.test(type) && !call && !calls,
  );

const buildLiar = (): Promise<string> => {
  const source = packagePath('fixtures', 'hostile', 'liar.c');
  const flags = ['-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', '-fvisibility=hidden'];
  return cached(packagePath('build', 'hostile', 'liar.so'), buildKey([source], flags), (target) =>
    compile([...flags, '-o', target, source, '-ldl']),
  );
};

/** Every lie: its name, and what liar.c is to do. */
function lies(): { name: string; what: string }[] {
  const abi = Abi.at(NEWEST_MINOR);
  const functions = abi.struct('PJRT_Api').fields.filter(({ name }) => returnsError(abi, name));
  return functions.flatMap(({ name, offset }) => {
    const { fields } = abi.argsOf(name);
    return fields
      .filter((field) => field.out && !field.inOut && !field.given)
      .flatMap((field) =>
        valuesOf(field).map(([word, value]) => ({
          name: `${name}.${field.name}=${word}`,
          what: `${offset} ${field.offset} ${field.size} ${value}`,
        })),
      );
  });
}

const returnsError = (abi: Abi, name: string): boolean =>
  name.startsWith('PJRT_') && !name.startsWith('PJRT_Error_') && abi.returnType(name) !== 'void';

/** 2^62: no memory has so many bytes, and sums of it overflow. */
const HUGE = String(2n ** 62n);

/** What a field may say instead of the truth. */
function valuesOf({ name, depth, type, size }: Field): [word: string, value: number | string][] {
  if (depth > 0 && size !== 8) return [];
  if (depth === 1 && /^(?:const )?(?:int64_t|size_t)\*$/.test(type)) {
    return [
      ['null', 0],
      ['all 2^62', `${HUGE} *`],
      ['all -1', '-1 *'],
    ];
  }
  if (depth > 0) return [['null', 0]];
  if (!/^(?:u?int64_t|size_t|int|int32_t|PJRT_\w+)$/.test(type) || (size !== 4 && size !== 8)) return [];
  const sizes: [string, string][] = size === 8 && /num|size|count|dim/.test(name) ? [['2^62', HUGE]] : [];
  return [['0', 0], ['1', 1], ['-1', -1], size === 8 ? ['2^40', 2 ** 40] : ['2^30', 2 ** 30], ...sizes];
}

await runTool(USAGE, values.help, async () => {
  const library = await buildLiar();
  const reference = await resolveHere('reference');
  const manifest = manifestOf(undefined, { name: 'reference', plugin: reference }, library);
  const wanted = values.lie.map(caseMatcher);
  let good = true;
  for (const { name, what } of lies().filter(({ name }) => wanted.some((is) => is(name)))) {
    const env = { PJRT_LIES_BASE: reference.library, PJRT_LIE: what };
    const more = [...(positionals.length > 0 ? positionals : ['--profile', 'smoke']), ...SOON];
    const run = await runOn({ command: packagePath('dist', 'cli', 'main.js'), manifest: { ...manifest, env }, more });
    const wrong = [...run.cases.values()].filter((item) => isInternal(item) || isNameless(item));
    console.log(`${wrong.length === 0 ? 'good' : 'BAD '}  ${name}: ${run.counts.fail} fail, ${run.counts.crash} crash`);
    for (const { plan, result } of wrong)
      console.log(`  ${plan.id}: ${result!.findings[0]?.message ?? result!.reason}`);
    good &&= wrong.length === 0;
  }
  return good;
});
