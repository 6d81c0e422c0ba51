/** `npm run freeze`: writes a list of mustpass/ from the suites. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { TOOL } from '../../harness/base/tool.ts';
import { UsageError } from '../../harness/base/usage-error.ts';
import { loadAllSuites } from '../../harness/run/suites/load-suites.ts';
import type { Case } from '../../harness/suite/types.ts';
import { definitionsDigest, definitionsIn } from '../../harness/verdict/mustpass/definition.ts';
import {
  formatTable,
  type ListedCase,
  mustpassFile,
  parseIds,
  parseTable,
  sha256Of,
  TABLE,
} from '../../harness/verdict/mustpass/list.ts';
import { MUSTPASS_INDEX, type MustpassRelease, mustpassReleases } from '../../harness/verdict/mustpass/release.ts';
import { runTool } from '../run-tool.ts';
import { listsOf } from './choose.ts';

const USAGE = `usage: freeze VERSION [--remake | --patch WHY]
  VERSION     of the list, such as 1.0: writes mustpass/VERSION/ and its entry in mustpass/index.yaml; the list before it is
              accepted for half a year from then on
  --remake    write it again from the suites; only before the first release of the tool that carries it
  --patch WHY the suites correct cases of a frozen list without adding or removing any: their definitions are accepted too`;

const DAYS_ACCEPTED = 183;
const HEADER =
  '# The lists of cases that conformant plugins pass; written by `npm run freeze` (docs/conformance-programme.md).\n# yaml-language-server: $schema=../schemas/mustpass.schema.json\n';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { remake: { type: 'boolean' }, patch: { type: 'string' }, help: { type: 'boolean' } },
});

await runTool(USAGE, values.help === true, async () => {
  const [version] = positionals;
  if (version === undefined || !/^\d+\.\d+$/.test(version)) throw new UsageError(USAGE);
  const cases = (await loadAllSuites()).flatMap((suite) => suite.cases);
  const releases = existsSync(MUSTPASS_INDEX) ? [...mustpassReleases()] : [];
  const old = releases.find((release) => release.version === version);
  if (values.patch !== undefined) {
    if (!old) throw new UsageError(`--patch: there is no list ${version}`);
    patch(old, values.patch, cases);
  } else {
    if (old && !values.remake)
      throw new UsageError(
        `the list ${version} is frozen: --patch corrects its cases, --remake is for a list that was never released`,
      );
    const now = frozen(version, old?.frozen ?? today(), cases);
    if (old) releases.splice(releases.indexOf(old), 1, now);
    else {
      const before = releases.at(-1);
      if (before) before.acceptedUntil ??= today(DAYS_ACCEPTED);
      releases.push(now);
    }
  }
  write(releases);
  return true;
});

/** A day, as YYYY-MM-DD. */
function today(later = 0): string {
  return new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10);
}

/** Writes the files of a list. @returns its entry in the index */
function frozen(version: string, day: string, cases: readonly Case[]): MustpassRelease {
  const lists = listsOf(cases);
  const all = new Map<string, ListedCase>(Object.values(lists).flatMap((list) => list.map((one) => [one.id, one])));
  const table = formatTable(
    [...all.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    `# Cases of mustpass ${version}: id, first minor of the C API, whether every plugin must offer it, digest of the definition.\n`,
  );
  save(version, TABLE, table);
  const texts = Object.entries(lists).map(([profile, list]): [string, string, ListedCase[]] => [
    profile,
    `# mustpass ${version}, profile ${profile}: ${list.length} cases that a conformant plugin passes.\n# Suites ${version}.0. Frozen: mustpass/index.yaml has the sha256 of this file.\n${list.map(({ id }) => `${id}\n`).join('')}`,
    list,
  ]);
  for (const [profile, text] of texts) save(version, `${profile}.txt`, text);
  for (const [profile, , list] of texts) console.log(`${profile}: ${list.length} cases`);
  return {
    version,
    frozen: day,
    tools: [TOOL.version],
    cases: sha256Of(table),
    lists: Object.fromEntries(
      texts.map(([profile, text, list]) => [profile, { cases: list.length, sha256: sha256Of(text) }]),
    ),
    definitions: [{ suites: `${version}.0`, sha256: digests(version, Object.keys(lists), cases) }],
  };
}

/** Digests of the definitions that the suites of today have, by profile. */
function digests(
  version: string,
  profiles: readonly string[],
  cases: readonly Case[],
  renames?: Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    profiles.map((profile) => {
      const ids = parseIds(readFileSync(mustpassFile(version, `${profile}.txt`), 'utf8'));
      const found = definitionsIn(cases, ids, renames);
      const lost = ids.filter((id) => !found.has(id));
      if (lost.length > 0)
        throw new UsageError(
          `${lost.length} cases of mustpass ${version} are no longer in the suites, such as ${lost[0]}; add them to renames in mustpass/index.yaml, or freeze a new major version`,
        );
      return [profile, definitionsDigest(found)];
    }),
  );
}

/** Accepts the definitions of the suites of today too. */
function patch(release: MustpassRelease, why: string, cases: readonly Case[]): void {
  const { version, renames, definitions } = release;
  const sha256 = digests(version, Object.keys(release.lists), cases, renames);
  const before = parseTable(readFileSync(mustpassFile(version, TABLE), 'utf8'));
  const now = definitionsIn(cases, [...before.keys()], renames);
  const changed = [...now].filter(([id, definition]) => before.get(id)!.definition !== definition);
  if (changed.length === 0) throw new UsageError(`no case of mustpass ${version} has changed`);
  for (const [id] of changed) console.log(id);
  const table = formatTable(
    [...before.values()].map((one) => ({ ...one, definition: now.get(one.id)! })),
    `${readFileSync(mustpassFile(version, TABLE), 'utf8').split('\n', 1)[0]!}\n`,
  );
  save(version, TABLE, table);
  release.cases = sha256Of(table);
  if (!release.tools.includes(TOOL.version)) release.tools.push(TOOL.version);
  definitions.push({ suites: `${version}.${definitions.length}`, why, sha256 });
  console.log(`${changed.length} cases have changed: suites ${version}.${definitions.length - 1}`);
}

function save(version: string, name: string, text: string): void {
  const file = mustpassFile(version, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function write(releases: readonly MustpassRelease[]): void {
  writeFileSync(MUSTPASS_INDEX, HEADER + stringify({ releases }, { lineWidth: 0 }));
}
