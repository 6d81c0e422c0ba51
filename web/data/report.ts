import type { PlannedCase } from '../../harness/model/events.ts';
import type { NumericRecord } from '../../harness/model/numeric-record.ts';
import type { Status } from '../../harness/model/status.ts';
import type { ProgramSource, SourceText } from '../../harness/report/case-source.ts';
import type { CaseColumns } from '../../harness/report/html-columns.ts';
import type { CaseDetail, HtmlHead, HtmlSources } from '../../harness/report/html-data.ts';
import type { Blocks } from './blocks.ts';

type Level = PlannedCase['level'];
export type Suite = HtmlHead['suites'][number];

/** Fields of a case for lists. */
export interface Row {
  /** Index among all cases. */
  index: number;
  id: string;
  /** The id without its suite. */
  name: string;
  title: string;
  suite: Suite;
  /** The file of the case. */
  file: string;
  line: number;
  level: Level;
  covers: string[];
  tags: string[];
  status: Status;
  /** Level of the violation, whatever the level of the case. */
  breach: 'must' | 'should' | null;
  fails: boolean;
  accepted: boolean;
  informative: boolean;
  known: boolean;
  detailed: boolean;
  durationMs: number;
  nativeMs: number;
  calls: number;
  startMs: number | null;
  endMs: number | null;
  worker: number | null;
  message: string;
  about: string[];
  breaks: string[];
  /** Number of its root cause, or 0. */
  cause: number;
}

/** What a case is made of. */
export interface CaseSources {
  steps?: SourceText;
  programs: ProgramSource[];
}

/** A root cause with its cases: failed ones first. */
export type Cause = HtmlHead['rootCauses'][number] & { rows: readonly Row[] };

type ListedNumber =
  | 'what'
  | 'maxUlp'
  | 'allowedUlp'
  | 'index'
  | 'expectedBits'
  | 'actualBits'
  | 'nanMismatches'
  | 'infinityMismatches'
  | 'signMismatches'
  | 'withinAbsolute';

/** Largest deviation in one numeric comparison. */
export interface Numeric extends Required<Pick<NumericRecord, ListedNumber>> {
  row: Row;
  /** Whether it exceeds its bound. */
  beyond: boolean;
  /** Accuracy profile that it needs; null if its bound does not depend on the profile. */
  meets: NumericRecord['meets'] | null;
  /** Of which operation and type; null if the log is too old to have it. */
  op: string | null;
  dtype: string | null;
}

/** Numbers of cases about a native call. */
interface Abouts {
  cases: number;
  crashes: number;
  timeouts: number;
}

/** The contents of a file, as far as they are decompressed. */
export class Report {
  readonly head: HtmlHead;
  readonly rows: readonly Row[];
  readonly byId: ReadonlyMap<string, Row>;
  /** Most severe first: number 1 is at index 0. */
  readonly causes: readonly Cause[];
  /** Functions that have a place among the capabilities. */
  readonly functions: ReadonlySet<string>;
  readonly #blocks: Blocks;
  readonly #details = new Map<number, Promise<ReadonlyMap<number, CaseDetail>>>();
  #numerics: Promise<Numeric[]> | undefined;
  #sources: Promise<HtmlSources> | undefined;
  readonly #programs = new Map<number, Promise<ProgramSource[]>>();
  #abouts: Map<string, Abouts> | undefined;

  private constructor(blocks: Blocks, head: HtmlHead, rows: Row[]) {
    this.#blocks = blocks;
    this.head = head;
    this.rows = rows;
    this.byId = new Map(rows.map((row) => [row.id, row]));
    this.causes = causesOf(head, rows);
    this.functions = new Set(
      head.capabilities.flatMap(({ functions, extensions }) => [
        ...Object.keys(functions),
        ...extensions.flatMap(({ name, slots }) => slots.map((slot) => `${name}.${slot.name}`)),
      ]),
    );
  }

  static async load(blocks: Blocks): Promise<Report> {
    const head = await blocks.read('head');
    const rows: Row[] = [];
    for (let at = 0; at < blocks.count('rows'); at++) appendRows(rows, await blocks.read('rows', at), head.suites);
    return new Report(blocks, head, rows);
  }

  /** Contents of the page of a case beyond its row. */
  async detail({ index, detailed }: Row): Promise<CaseDetail> {
    if (!detailed) return {};
    const at = this.#blocks.holding('details', index);
    if (!this.#details.has(at)) this.#details.set(at, this.#readDetails(at));
    return (await this.#details.get(at)!).get(index) ?? {};
  }

  /** Steps and programs of a case, as far as the report has them. */
  async source({ index }: Row): Promise<CaseSources> {
    if (this.#blocks.count('sources') === 0) return { programs: [] };
    this.#sources ??= this.#blocks.read('sources');
    const { steps, cases } = await this.#sources;
    const [own = -1, ...programs] = cases[index] ?? [];
    return {
      ...(steps[own] ? { steps: steps[own] } : {}),
      programs: await Promise.all(programs.map((at) => this.#program(at))),
    };
  }

  async #program(number: number): Promise<ProgramSource> {
    const at = this.#blocks.holding('programs', number);
    if (!this.#programs.has(at)) this.#programs.set(at, this.#blocks.read('programs', at));
    return (await this.#programs.get(at)!)[number - this.#blocks.from('programs', at)]!;
  }

  /** Numbers of cases with a finding about a native call, or that ended in it. */
  casesAbout(call: string): Abouts {
    if (!this.#abouts) {
      this.#abouts = new Map();
      for (const { about, status } of this.rows) {
        for (const name of about) {
          const abouts = this.#abouts.get(name) ?? { cases: 0, crashes: 0, timeouts: 0 };
          this.#abouts.set(name, abouts);
          abouts.cases++;
          if (status === 'crash') abouts.crashes++;
          if (status === 'timeout') abouts.timeouts++;
        }
      }
    }
    return this.#abouts.get(call) ?? { cases: 0, crashes: 0, timeouts: 0 };
  }

  /** Whether any numeric comparison was recorded. */
  get hasNumerics(): boolean {
    return this.#blocks.count('numerics') > 0;
  }

  /** All numeric comparisons, in planned order. */
  numerics(): Promise<Numeric[]> {
    this.#numerics ??= this.#readNumerics();
    return this.#numerics;
  }

  async #readDetails(at: number): Promise<ReadonlyMap<number, CaseDetail>> {
    return new Map(await this.#blocks.read('details', at));
  }

  async #readNumerics(): Promise<Numeric[]> {
    const found: Numeric[] = [];
    for (let at = 0; at < this.#blocks.count('numerics'); at++) {
      const block = await this.#blocks.read('numerics', at);
      block.case.forEach((index, i) => {
        found.push({
          row: this.rows[index]!,
          what: block.what[i]!,
          maxUlp: block.maxUlp[i] ?? Number.POSITIVE_INFINITY,
          allowedUlp: block.allowedUlp[i] ?? Number.POSITIVE_INFINITY,
          index: block.index[i]!,
          expectedBits: block.expectedBits[i]!,
          actualBits: block.actualBits[i]!,
          beyond: block.beyond[i] === 1,
          nanMismatches: block.nanMismatches[i]!,
          infinityMismatches: block.infinityMismatches[i]!,
          signMismatches: block.signMismatches[i]!,
          withinAbsolute: block.withinAbsolute[i]!,
          meets: block.meets[i] ?? null,
          op: block.op[i] ?? null,
          dtype: block.dtype[i] ?? null,
        });
      });
    }
    return found;
  }
}

function causesOf({ rootCauses }: HtmlHead, rows: readonly Row[]): Cause[] {
  const members = rootCauses.map(() => ({ failed: [] as Row[], blocked: [] as Row[] }));
  for (const row of rows) {
    members[row.cause - 1]?.[row.status === 'unsupported' ? 'blocked' : 'failed'].push(row);
  }
  return rootCauses.map((cause, at) => ({ ...cause, rows: [...members[at]!.failed, ...members[at]!.blocked] }));
}

function appendRows(rows: Row[], columns: CaseColumns, suites: readonly Suite[]): void {
  columns.id.forEach((id, i) => {
    const suite = suites[columns.suite[i]!]!;
    rows.push({
      index: rows.length,
      id,
      name: id.startsWith(`${suite.suite}:`) ? id.slice(suite.suite.length + 1) : id,
      title: columns.title[i]!,
      suite,
      file: columns.file?.[i] ?? suite.file,
      line: columns.line[i]!,
      level: columns.level[i]!,
      covers: columns.covers[i]!,
      tags: columns.tags[i]!,
      status: columns.status[i]!,
      breach: columns.breach[i] ?? null,
      fails: columns.fails[i] === 1,
      accepted: columns.accepted[i] === 1,
      informative: columns.informative[i] === 1,
      known: columns.known[i] === 1,
      detailed: columns.detailed[i] === 1,
      durationMs: columns.durationMs[i]!,
      nativeMs: columns.nativeMs[i]!,
      calls: columns.calls[i]!,
      startMs: columns.startMs[i]!,
      endMs: columns.endMs[i]!,
      worker: columns.worker[i]!,
      message: columns.message[i]!,
      about: columns.about[i]!,
      breaks: columns.breaks[i]!,
      cause: columns.cause[i]!,
    });
  });
}
