import { route } from '../state/route.ts';
import { useApp } from './app.ts';
import { Link } from './link.tsx';

/** A requirement: its id as a link to its cases, and its text. */
export function RequirementText({ id, violated }: { id: string; violated: boolean }) {
  const { report } = useApp();
  return (
    <>
      <Link to={route('cases', { filter: { requirement: id } })}>{id}</Link>
      {violated && <span class="tag strong">violated</span>} <span>{report.head.requirements[id] ?? ''}</span>
    </>
  );
}
