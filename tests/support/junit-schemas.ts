import { existsSync, readFileSync } from 'node:fs';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { packagePath } from '../../harness/paths.ts';

const validators = [packagePath('schemas', 'junit-strict.xsd'), packagePath('..', 'shared', 'xsd', 'junit-10.xsd')]
  .filter((path) => existsSync(path))
  .map((path) => {
    using schema = XmlDocument.fromBuffer(readFileSync(path));
    return XsdValidator.fromDoc(schema);
  });

/** Checks a JUnit file against the strict schema of the package, and against that of Jenkins where it is at hand. */
export function validateJunit(xml: string): void {
  using document = XmlDocument.fromString(xml);
  for (const validator of validators) validator.validate(document);
}
