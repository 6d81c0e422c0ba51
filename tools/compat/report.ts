import { textTable } from '../../harness/base/text-table.ts';
import type { Prediction } from '../../harness/verdict/frameworks/prediction.ts';
import type { Agreement } from './agreement.ts';
import type { Observation } from './observation.ts';
import type { Subject } from './plugins.ts';

/** One plugin with one release. */
export interface Result {
  subject: Subject;
  release: string;
  /** Undefined: the harness could not load the plugin. */
  prediction: Prediction | undefined;
  observation: Observation;
  agreement: Agreement;
  /** Why they may disagree. */
  limit?: string;
}

const cell = ({ agreement, limit, observation }: Result): string =>
  `${agreement.agrees ? '' : limit ? '(' : '!'}${observation.outcome}${!agreement.agrees && limit ? ')' : ''}`;

const share = (results: readonly Result[]): string => {
  const agreeing = results.filter(({ agreement }) => agreement.agrees).length;
  const explained = results.filter(({ agreement, limit }) => !agreement.agrees && limit).length;
  const percent = ((100 * agreeing) / results.length).toFixed(1);
  return `${agreeing} of ${results.length} agree (${percent} %)${explained > 0 ? `, ${explained} explained` : ''}`;
};

/** What JAX did, one line per plugin; `!` if `compat` predicted something else, parentheses if that is a known limit. */
export function tableOf(results: readonly Result[], releases: readonly string[]): string {
  const groups = [...new Set(results.map(({ subject }) => subject.group))];
  const names = [...new Set(results.map(({ subject }) => subject.name))];
  const width = Math.max(...names.map((name) => name.length), ...groups.map((group) => group.length));
  const atLeast = [width, ...releases.map((release) => Math.max(release.length, '(refuses)'.length))];
  const line = (head: string, cells: readonly string[]): string => textTable([[head, ...cells]], { atLeast })[0]!;
  const lines = [line('', releases)];
  for (const group of groups) {
    const members = results.filter(({ subject }) => subject.group === group);
    for (const name of new Set(members.map(({ subject }) => subject.name))) {
      const own = members.filter(({ subject }) => subject.name === name);
      lines.push(
        line(
          name,
          releases.map((release) => {
            const result = own.find((r) => r.release === release);
            return result ? cell(result) : '-';
          }),
        ),
      );
    }
    lines.push(`  ${group}: ${share(members)}`);
  }
  lines.push('', `all: ${share(results)}`);
  return lines.join('\n');
}
