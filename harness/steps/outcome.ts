import type { Finding } from '../report/events.ts';

/** A check of the case did not hold: the case ends here, with this finding. */
export class CheckFailure extends Error {
  override name = 'CheckFailure';
  readonly finding: Omit<Finding, 'level'> & { level?: Finding['level'] };

  constructor(finding: Omit<Finding, 'level'> & { level?: Finding['level'] }) {
    super(finding.message);
    this.finding = finding;
  }
}

/** The plugin does not have what the case is about: nothing was proven either way. */
export class NotSupported extends Error {
  override name = 'NotSupported';
}

/** The suite asks for something that makes no sense: a fault of the suite, not of the plugin. */
export class SuiteFault extends Error {
  override name = 'SuiteFault';
}
