import { BREADCRUMB } from '../../host/wire/breadcrumb-layout.ts';

const { records: RECORDS, recordBytes, words: WORDS } = BREADCRUMB.lent;
const PER_RECORD = recordBytes / 8;
const STATE = { lent: 1n, takenBack: 2n } as const;

/** The table of what the plugin was given, in memory of this process until it is shared with the parent. */
let table = new Uint8Array(RECORDS * recordBytes);
let words = new BigUint64Array(table.buffer);
let used = 0;
const names = new Map<string, Uint8Array>();

/** Moves the table to memory that the parent reads when the process has died. */
export function shareLentBlocks(memory: ArrayBuffer): void {
  const shared = new Uint8Array(memory);
  shared.set(table);
  table = shared;
  words = new BigUint64Array(memory);
}

/** Gives pages a place in the table. @returns it, which is outside the table once that is full */
export function track(from: bigint, to: bigint): number {
  if (used < RECORDS) words.set([from, to], used * PER_RECORD);
  return used++;
}

/** A part of these pages goes to the plugin under the name of an argument, or of a struct. */
export function lend(record: number, address: bigint, length: number, name: string): void {
  if (record >= RECORDS) return;
  const at = record * PER_RECORD;
  words[at + 2] = address;
  words[at + 3] = BigInt(length);
  let text = names.get(name);
  if (!text) {
    text = new Uint8Array(recordBytes - WORDS * 8);
    text.set(Buffer.from(name, 'latin1').subarray(0, text.length - 1));
    names.set(name, text);
  }
  table.set(text, record * recordBytes + WORDS * 8);
  words[at + 4] = STATE.lent;
}

/** The plugin has no right to it any more. */
export function takeBack(record: number): void {
  if (record < RECORDS) words[record * PER_RECORD + 4] = STATE.takenBack;
}
