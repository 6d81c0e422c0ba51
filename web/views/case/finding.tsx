import type { HtmlFinding } from '../../../harness/report/html-data.ts';
import type { Row } from '../../data/report.ts';
import { route } from '../../state/route.ts';
import { useApp } from '../../ui/app.ts';
import { FunctionLink } from '../../ui/function-link.tsx';
import { HeatMap } from '../../ui/heat-map.tsx';
import { LevelChip } from '../../ui/level.tsx';
import { Link } from '../../ui/link.tsx';
import { Verbatim } from '../../ui/scroll.tsx';
import { MismatchedNumbers } from './numbers.tsx';

/** One finding: what is wrong, what it violates, where, and the evidence. */
export function FindingBlock({ finding, row }: { finding: HtmlFinding; row: Row }) {
  const { report } = useApp();
  const { message, level, call, detail = '', requirements = [], line, type, numbers, said } = finding;
  const listed = numbers?.elements !== undefined;
  const levels = requirements.flatMap((id) => report.head.levels[id] ?? []);
  return (
    <section class={`finding level-${level}`}>
      <h3>{message}</h3>
      <p class="finding-facts">
        {requirements.map((requirement) => {
          const own = report.head.levels[requirement];
          return (
            <span key={requirement}>
              <Link to={route('requirements', { id: requirement })}>{requirement}</Link>
              {own && <LevelChip level={own} />}
            </span>
          );
        })}
        {levels.length === 0 && level !== 'info' && <LevelChip level={level} />}
        {call !== undefined && (
          <span>
            in <FunctionLink call={call} />{' '}
            <Link to={route('cases', { filter: { call } })} class="dim">
              cases about it
            </Link>
          </span>
        )}
        <code>
          {row.file}:{line ?? row.line}
        </code>
        <span class="dim">{type}</span>
      </p>
      {said !== undefined && !message.includes(said) && (
        <p>
          <b>The plugin says:</b> {said}
        </p>
      )}
      <HeatMap finding={finding} />
      {numbers && <MismatchedNumbers numbers={numbers} />}
      {detail.trim() !== '' &&
        (listed ? (
          <details>
            <summary>As in the text reports</summary>
            <Verbatim text={detail.trimEnd()} />
          </details>
        ) : (
          <Verbatim text={detail.trimEnd()} />
        ))}
    </section>
  );
}
