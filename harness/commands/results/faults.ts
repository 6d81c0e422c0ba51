import type { Rule } from '../verify/rules.ts';

/** What a submission can have wrong: `results --help` and docs/conformance-programme.md show this table. */
export const FAULTS = {
  layout:
    'A submission is a directory VENDOR/PRODUCT/VERSION with statement.yaml, bundle.zip and, if there are any, waivers.yaml.',
  statement: 'statement.yaml is valid against schemas/statement.schema.json.',
  'statement-place': 'The statement names the vendor, product and version of its directory.',
  'statement-differs': 'The statement in the bundle is the one beside it.',
  bundle: 'The bundle can be read, and `verify` finds no violated rule; each is named, as in bundle:log-seal.',
  'no-submission': 'The run was made with --mustpass, in one piece, with one plugin.',
  options:
    'The run has no option that selects cases, repeats them, excuses failures or changes how the plugin is called.',
  numerics: 'The accuracy is that of the list: the profile standard as the default, whatever a manifest says.',
  'list-unknown': 'The list is one that was frozen.',
  'list-differs': 'The list of the run has the SHA-256 and the number of cases that were published.',
  'list-expired': 'The run began while the list was accepted.',
  'list-early': 'The run began after the list was frozen.',
  'suites-differ': 'The cases of the list have the definitions that were published: no suite was changed.',
  tool: 'The run was made with a version of this tool that the list accepts.',
  'tool-altered': 'The files of the tool have the digest of this version.',
  environment:
    'No variable and no option of Node let code of others into the harness: LD_PRELOAD, LD_AUDIT, NODE_OPTIONS with --require and the like, in the environment or the manifest.',
  'files-changed':
    'The plugin, its libraries and its manifest stayed the same from the beginning to the end of the run.',
  resumed: 'A run that was resumed has all that came before: it had been stopped, not killed, and its log was not cut.',
  'cases-missing': 'Every case of the list was planned.',
  'cases-extra': 'No other case was planned.',
  unfinished: 'The run came to its end: no planned case is without a result.',
  'plugin-differs': 'The plugin of the run has the SHA-256 that the statement gives.',
  'claim-differs': 'The run is of the list and profile that the statement claims.',
  waivers: 'waivers.yaml is valid against schemas/waivers.schema.json.',
  'waiver-product': 'Every waiver is for this product and version.',
  'waiver-expired': 'Every waiver was valid when the run began.',
  'waiver-idle': 'Every waiver permits the failure of a case that failed.',
  attestation:
    'bundle.zip.sigstore.json, if there is one, is a valid attestation of the bundle or of the log in it, by authorities of the trusted root.',
  duplicate: 'No other submission has the same run.',
  'not-passing': 'With --passing: the run passes the list.',
} as const;

type FaultKind = keyof typeof FAULTS;

/** A reason to refuse a submission. */
export interface SubmissionFault {
  kind: FaultKind | `bundle:${Rule}`;
  /** Where and what, on one line. */
  message: string;
}
