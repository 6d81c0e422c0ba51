import { readFileSync, realpathSync } from 'node:fs';
import { type FileIdentity, identityOf, isSameIdentity } from '../base/file-identity.ts';
import { packagePath } from '../base/paths.ts';
import { buildIdOf } from '../knowledge/binary/elf-build-id.ts';
import type { NoteFact } from '../model/note-fact.ts';
import type { MappedFile } from '../model/plugin-facts.ts';
import { hashFile } from './plugins/library-file.ts';

/** A file that a run relies on: a plugin, or its manifest. */
export interface WatchedFile {
  path: string;
  sha256: string;
  /** Of the file that was hashed; default: that of the file when the run begins. */
  identity?: FileIdentity | undefined;
  /** Workers map it. */
  loaded?: true;
}

export interface Watched {
  files: readonly WatchedFile[];
  /** Whether every file is hashed at the end of the run, and not only those that seem to have changed. */
  hash: boolean;
  /** What was mapped before the run was resumed. */
  before?: readonly MappedFile[] | undefined;
}

type Warn = (message: string, more: { breach: boolean; fact: NoteFact }) => void;

/** A file as it was at first. */
interface Known {
  path: string;
  identity: FileIdentity | undefined;
  sha256?: string;
  mapped?: MappedFile;
  loaded?: true;
  changed?: true;
}

/** More are of no use to readers; a compiler may map one for each program. */
const MOST = 200;

/** What the kernel adds to the path of a file that was removed, or replaced by another. */
const DELETED = ' (deleted)';

/**
 * Watches that a plugin, its libraries and its manifest stay what they were. What a worker has mapped is read from the kernel by
 * the parent: the plugin has no part in it.
 */
export class FilesWatch {
  readonly #hash: boolean;
  readonly #before: readonly MappedFile[];
  readonly #warn: Warn;
  readonly #began = BigInt(Date.now()) * 1_000_000n;
  readonly #known = new Map<string, Known>();
  readonly #ours = new Set(mappedBy('self')?.keys());
  readonly #comparisons: Promise<void>[] = [];

  /** @param warn receives what is said of a file that did not stay the same, at most once of each */
  constructor({ files, hash, before = [] }: Watched, warn: Warn) {
    this.#before = before;
    this.#hash = hash;
    this.#warn = warn;
    for (const { path: given, sha256, identity, loaded } of files) {
      const path = identity?.path ?? realPath(given);
      this.#known.set(path, { path, sha256, identity: identity ?? identityOf(path), loaded });
    }
  }

  /**
   * Compares the files with what they were, and reads what a worker has mapped.
   * @param loaded whether it has loaded its plugins
   * @returns what all workers have mapped so far
   */
  look({ pid, number }: { pid: number; number: number }, loaded: boolean): MappedFile[] {
    const when = `when worker ${number} had ${loaded ? 'loaded the plugin' : 'ended'}`;
    const mappings = mappedBy(pid);
    for (const [path, mapping] of mappings ?? []) if (!this.#ours.has(path)) this.#add(path, mapping);
    for (const known of this.#known.values()) {
      if (known.loaded && loaded && mappings) this.#compareMapping(known, mappings, number);
      this.#compare(known, when);
    }
    return this.#mapped();
  }

  /** Compares everything for the last time. @returns what all workers have mapped */
  async end(): Promise<MappedFile[]> {
    for (const known of this.#known.values()) this.#compare(known, 'at the end of the run', this.#hash);
    await Promise.all(this.#comparisons);
    for (const { path, identity, mapped } of this.#hash ? this.#known.values() : [])
      if (mapped && identity) mapped.sha256 = await hashFile(path, Number(identity.size)).catch(() => undefined);
    return this.#mapped();
  }

  #mapped = (): MappedFile[] => [...this.#known.values()].flatMap(({ mapped }) => (mapped ? [{ ...mapped }] : []));

  #add(mappedPath: string, { inode, code }: Mapping): void {
    const path = mappedPath.endsWith(DELETED) ? mappedPath.slice(0, -DELETED.length) : mappedPath;
    const known = this.#known.get(path);
    if (known?.mapped || (!known && (!code || this.#known.size >= MOST))) return;
    const identity = path === mappedPath ? identityOf(path) : undefined;
    const mapped: MappedFile = { path, inode, ...(identity ? factsOf(path, identity) : {}) };
    const then = this.#before.find((one) => one.path === path);
    if (then && isOlder(identity, this.#began) && !isSameBuild(then, mapped))
      this.#report({ path, identity }, `${buildWords(then)} before it was resumed, ${buildWords(mapped)} now`, false);
    if (known) known.mapped = mapped;
    // What is written while the plugin runs is of its own making: compiled programs.
    else this.#known.set(path, { path, identity: isOlder(identity, this.#began) ? identity : undefined, mapped });
  }

  /** The path may lead to what it led to, while the worker has loaded something else. */
  #compareMapping(known: Known, mappings: ReadonlyMap<string, Mapping>, worker: number): void {
    const { path, mapped } = known;
    if (!mapped || mappings.has(path)) return;
    const gone = mappings.get(path + DELETED)?.inode;
    // At its first sight nobody knows what was there.
    if (gone !== mapped.inode || mapped.sizeBytes === undefined)
      this.#report(known, `worker ${worker} loaded a file that is no longer there, and which may have been another`);
  }

  #compare(known: Known, when: string, always = false): void {
    const { path, identity, sha256, changed, mapped } = known;
    if (changed || (!identity && !sha256)) return;
    const now = identityOf(path);
    if (now && identity && isSameIdentity(now, identity) && !(always && sha256)) return;
    if (!now) {
      if (sha256) this.#report(known, `it was removed; seen ${when}`);
      return;
    }
    // The next look compares with the file of now, whose content is being compared.
    known.identity = now;
    const compare = async (): Promise<void> => {
      const found = sha256 && (await hashFile(path, Number(now.size)).catch(() => 'that of no file'));
      const same = sha256
        ? found === sha256
        : now.size === identity?.size && (now.mtimeNs === identity.mtimeNs || isSameId(mapped?.buildId, path));
      if (!same) {
        const [then, later] = sha256 ? [`SHA-256 ${sha256}`, found] : [buildWords(mapped), 'it is another build'];
        this.#report(known, `at first ${then}, now ${later}; seen ${when}`);
      } else if (now.mtimeNs !== identity?.mtimeNs) {
        this.#report(known, `it was written, and its content is the same; seen ${when}`, false);
      }
    };
    this.#comparisons.push(compare());
  }

  #report(known: Known, what: string, breach = true): void {
    if (known.changed) return;
    known.changed = true;
    const message = `${known.path} changed during the run: ${what}. Run again, with files that nothing changes`;
    this.#warn(message, { breach, fact: { kind: 'changed', path: known.path } });
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const isOlder = (identity: FileIdentity | undefined, began: bigint): boolean =>
  identity !== undefined && BigInt(identity.mtimeNs) < began;

const factsOf = (path: string, { size, mtimeNs }: FileIdentity): Partial<MappedFile> => ({
  sizeBytes: Number(size),
  modifiedAt: new Date(Number(BigInt(mtimeNs) / 1_000_000n)).toISOString(),
  buildId: buildIdIn(path),
});

function buildIdIn(path: string): string | undefined {
  try {
    return buildIdOf(path);
  } catch {
    return undefined;
  }
}

const isSameId = (buildId: string | undefined, path: string): boolean =>
  buildId !== undefined && buildId === buildIdIn(path);

const isSameBuild = (a: Partial<MappedFile>, b: Partial<MappedFile>): boolean =>
  a.sizeBytes === b.sizeBytes && a.buildId === b.buildId;

const buildWords = (mapped: MappedFile | undefined): string =>
  mapped?.buildId ? `build id ${mapped.buildId}` : `of ${mapped?.modifiedAt}`;

interface Mapping {
  inode: string;
  code: boolean;
}

/** Whether the harness itself brings a file into a worker. */
const isOurs = (path: string): boolean => path.startsWith(packagePath('dist')) || path.endsWith('/koffi.node');

const MAPPING = /^\S+ (\S+) \S+ (\S+) (\d+) +(\/.*)$/gm;

/** The files that a process has mapped, by path; undefined if the system does not say it. */
function mappedBy(pid: number | 'self'): Map<string, Mapping> | undefined {
  try {
    const found = new Map<string, Mapping>();
    for (const [, access, device, inode, path] of readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(MAPPING)) {
      const code = access!.includes('x') || found.get(path!)?.code === true;
      if (!isOurs(path!)) found.set(path!, { inode: `${device}:${inode}`, code });
    }
    // One that has ended has none.
    return found.size > 0 ? found : undefined;
  } catch {
    return undefined;
  }
}
