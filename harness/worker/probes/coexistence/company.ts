/** What probes of several plugins share: clients of each, and findings that say whose they are. */
import type { Finding } from '../../../model/finding.ts';
import { Client } from '../../pjrt/client.ts';
import { AbsentError, PjrtError } from '../../pjrt/errors.ts';
import type { CaseContext, Subject } from '../../steps/context.ts';
import { CheckFailure, firstLine, NotSupported } from '../../steps/outcome.ts';

/** A plugin that has a client. */
export interface Member {
  subject: Subject;
  client: Client;
}

/** The names of all plugins but one. */
export const othersOf = (context: CaseContext, subject: Subject): string =>
  context.subjects
    .filter((other) => other !== subject)
    .map(({ setup }) => setup.name)
    .join(', ');

/**
 * Makes a client. A plugin that makes none alone either, as without a device, has none; nor has the second of two that are
 * one library or two copies of it, which may share one device.
 * @returns undefined if the plugin need not make one
 */
export function clientOf(context: CaseContext, subject: Subject): Client | undefined {
  try {
    return Client.create(subject.plugin.api, context.arena, subject.setup.options);
  } catch (error) {
    if (error instanceof PjrtError && (mayRefuse(subject) || isTwin(context, subject))) return undefined;
    throw error;
  }
}

/** Whether it is alone, which shows whether it makes a client at all, or was when it made none. */
const mayRefuse = ({ setup: { alone } }: Subject): boolean => alone?.keeps === true || alone?.refusesClients === true;

/** Whether another plugin of the process is the same one: the same file, or a copy of it. */
const isTwin = (context: CaseContext, { plugin, setup }: Subject): boolean =>
  context.subjects.some(
    (other) =>
      other.plugin !== plugin &&
      (other.plugin.path === plugin.path || (setup.sha256 !== undefined && other.setup.sha256 === setup.sha256)),
  );

/** Runs something on behalf of one plugin: what fails in it is a finding about that plugin, which does not end the case. */
export function onBehalf(context: CaseContext, subject: Subject, doing: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (isNotOffered(error)) return;
    const finding = findingOf(error, doing);
    if (!finding) throw error;
    context.report({ ...finding, plugin: subject.setup.name });
  }
}

/** What a plugin does not offer, it does not offer alone either. */
const isNotOffered = (error: unknown): boolean =>
  error instanceof NotSupported ||
  error instanceof AbsentError ||
  (error instanceof PjrtError && error.codeName === 'UNIMPLEMENTED');

function findingOf(error: unknown, doing: string): Finding | undefined {
  if (error instanceof CheckFailure) return { ...error.finding, level: 'must' };
  if (!(error instanceof PjrtError)) return undefined;
  const said = firstLine(error.text);
  return {
    type: 'pjrt.UnexpectedError',
    level: 'must',
    message: `${doing}, ${error.call} failed with ${error.codeName}`,
    detail: `message: ${error.text}`,
    call: error.call,
    code: error.codeName,
    ...(said ? { said } : {}),
  };
}
