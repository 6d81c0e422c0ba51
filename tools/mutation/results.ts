import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Status } from '../../harness/model/status.ts';
import type { Judgement, Outcome } from './judge.ts';

/** Result of one fault, under a digest of everything that it depends on. */
export interface FaultRecord extends Judgement {
  kind: 'fault';
  key: string;
  name: string;
  cases: number;
  seconds: number;
  /** For a fault that affects another consumer: the result with the default one. */
  byDefault?: Outcome;
}

/** Result of a case on the clean base. */
interface CleanRecord {
  kind: 'clean';
  key: string;
  id: string;
  status: Status;
}

type StoredRecord = FaultRecord | CleanRecord;

/** An append-only file of results, which need not be computed again. The last record of a key counts. */
export class ResultStore {
  readonly #file: string;
  readonly #faults = new Map<string, FaultRecord>();
  readonly #clean = new Map<string, Status>();

  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const record = parsed(line);
      if (record?.kind === 'fault') this.#faults.set(record.key, record);
      else if (record) this.#clean.set(record.key, record.status);
    }
  }

  fault = (key: string): FaultRecord | undefined => this.#faults.get(key);
  clean = (key: string): Status | undefined => this.#clean.get(key);

  addFault(record: FaultRecord): void {
    this.#faults.set(record.key, record);
    this.#append([record]);
  }

  addClean(records: readonly Omit<CleanRecord, 'kind'>[]): void {
    for (const { key, status } of records) this.#clean.set(key, status);
    this.#append(records.map((record) => ({ kind: 'clean', ...record })));
  }

  #append(records: readonly StoredRecord[]): void {
    if (records.length > 0)
      appendFileSync(this.#file, `${records.map((record) => JSON.stringify(record)).join('\n')}\n`);
  }
}

/** A line of the file; a killed run may have left an incomplete one. */
function parsed(line: string): StoredRecord | undefined {
  try {
    return line === '' ? undefined : (JSON.parse(line) as StoredRecord);
  } catch {
    return undefined;
  }
}
