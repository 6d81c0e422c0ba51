import { checkedDocument } from '../../suite/checked-document.ts';

/** What a vendor states about a submission (schemas/statement.schema.json). */
export interface Statement {
  product: { vendor: string; name: string; version: string; url?: string };
  /** The library that was tested. */
  plugin: { file: string; sha256: string };
  /** The list that it is submitted for. */
  mustpass: { version: string; profile: string };
  /** Devices it ran on, or `none`. */
  hardware: string;
  /** Driver, firmware and runtime versions, or `none`. */
  driver: string;
  /** An address of a person or a team, or a page. */
  contact: string;
  /** Anything that readers of the result should know. */
  notes?: string;
}

/** Reads a statement. @throws SuiteError with every problem at `file:line:column` */
export function parseStatement(text: string, file: string): Statement {
  const document = checkedDocument(text, file, 'statement.schema.json');
  return document.value as Statement;
}
