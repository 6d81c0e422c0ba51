import { route } from '../state/route.ts';
import { useApp } from './app.ts';
import { Link } from './link.tsx';

/** A native call; a function of the plugin as a link to its capability. */
export function FunctionLink({ call }: { call: string }) {
  const { report } = useApp();
  return report.functions.has(call) ? (
    <Link to={route('capabilities', { how: { fn: call } })} class="mono">
      {call}
    </Link>
  ) : (
    <code>{call}</code>
  );
}
