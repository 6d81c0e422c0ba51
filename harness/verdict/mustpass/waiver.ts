import type { Waiver } from '../../model/judgement.ts';
import { matchesCase, matchesGlob } from '../../suite/case-glob.ts';
import { checkedDocument } from '../../suite/checked-document.ts';
import type { Statement } from './statement.ts';

/** Reads a waivers file. @throws SuiteError with every problem at `file:line:column` */
export function parseWaivers(text: string, file: string): Waiver[] {
  const document = checkedDocument(text, file, 'waivers.schema.json');
  const { waivers } = document.value as { waivers: Omit<Waiver, 'line'>[] };
  return waivers.map((waiver, at) => ({ line: document.at(['waivers', at]).line, ...waiver }));
}

/** Why a waiver does not apply to a run of a product; undefined if it does. @param date day on which the run began */
export function waiverFault(waiver: Waiver, { product }: Statement, date: string): WaiverFault | undefined {
  const name = `${product.vendor}/${product.name}`;
  if (waiver.product !== name)
    return { kind: 'waiver-product', message: `it is for ${waiver.product}, and this is ${name}` };
  if (!matchesGlob(waiver.versions, product.version)) {
    const message = `it is for versions ${waiver.versions}, and this is ${product.version}`;
    return { kind: 'waiver-product', message };
  }
  if (waiver.expires < date)
    return { kind: 'waiver-expired', message: `it expired on ${waiver.expires}, and the run began on ${date}` };
  return undefined;
}

/** A waiver that must not be used. */
export interface WaiverFault {
  kind: 'waiver-product' | 'waiver-expired';
  message: string;
}

/** The waiver for a case. */
export const waiverOf = (waivers: readonly Waiver[], id: string): Waiver | undefined =>
  waivers.find(({ cases }) => cases.some((glob) => matchesCase(glob, id)));
