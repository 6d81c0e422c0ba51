import { existsSync, readFileSync } from 'node:fs';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs';
import { packagePath } from '../../harness/base/paths.ts';
import type { JunitFlavor } from '../../harness/report/index.ts';

// The schema of the common flavour includes the strict one, which is a file beside it.
xmlRegisterFsInputProviders();

const FILES: Record<JunitFlavor, string[]> = {
  strict: [packagePath('schemas', 'junit-strict.xsd'), packagePath('..', 'shared', 'xsd', 'junit-10.xsd')],
  common: [packagePath('schemas', 'junit-common.xsd')],
};

const validators = new Map<JunitFlavor, XsdValidator[]>();

/**
 * Validates a JUnit file against the schema of the package, and a strict one also against that of Jenkins if it is available.
 * Throws on an error, else returns the document for queries; the caller disposes of it.
 */
export function validJunit(xml: string, flavor: JunitFlavor = 'strict'): XmlDocument {
  if (!validators.has(flavor)) validators.set(flavor, FILES[flavor].filter(existsSync).map(validator));
  const document = XmlDocument.fromString(xml);
  try {
    for (const validator of validators.get(flavor)!) validator.validate(document);
  } catch (error) {
    document.dispose();
    throw error;
  }
  return document;
}

/** The same without queries. */
export const validateJunit = (xml: string, flavor?: JunitFlavor): void => validJunit(xml, flavor).dispose();

function validator(path: string): XsdValidator {
  using schema = XmlDocument.fromBuffer(readFileSync(path), { url: path });
  return XsdValidator.fromDoc(schema);
}
