import { route } from '../state/route.ts';
import { useApp } from './app.ts';
import { LevelChip } from './level.tsx';
import { Link } from './link.tsx';

/** A requirement: its id as a link to its place among them, its level and its text. */
export function RequirementText({ id, violated }: { id: string; violated: boolean }) {
  const { report } = useApp();
  return (
    <>
      <Link to={route('requirements', { id })}>{id}</Link>
      {report.head.levels[id] && (
        <>
          {' '}
          <LevelChip level={report.head.levels[id]} />
        </>
      )}
      {violated && ' '}
      {violated && <span class="tag strong">violated</span>} <span>{report.head.requirements[id] ?? ''}</span>
      {report.head.bases[id] !== undefined && <p class="dim">Source: {report.head.bases[id]}</p>}
    </>
  );
}
