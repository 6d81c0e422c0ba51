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
          <LevelChip level={report.head.levels[id]} violated={violated} />
        </>
      )}
      {violated && ' '}
      {violated && <span class="tag strong">violated</span>} <span>{report.head.requirements[id] ?? ''}</span>
      <Source id={id} />
    </>
  );
}

/** Why plugins are held to a requirement, with a link to the document if it is public. */
function Source({ id }: { id: string }) {
  const { bases, links } = useApp().report.head;
  if (bases[id] === undefined) return null;
  return (
    <p class="dim source">
      Source: {bases[id]}{' '}
      {links[id] !== undefined && (
        <a href={links[id]} rel="noreferrer">
          {links[id].split('/').at(-1)}
        </a>
      )}
    </p>
  );
}
