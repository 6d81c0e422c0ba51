import type { Run } from '../../model/run.ts';

/**
 * Whether a resumed run has everything that came before. A session that was stopped ends its log with a seal; one that was killed
 * looks like one whose end was cut off, with whatever had failed there. Before the first case there is nothing to lose.
 */
export const isWhole = ({ footer, begun }: Pick<Run['resumed'][number], 'footer' | 'begun'>): boolean =>
  footer?.seal !== undefined || !begun;

/** Why it is refused, and what to do. */
export const CUT =
  'it was killed, or its log was cut, and then resumed: what had failed may be missing. Run it again; a run that Ctrl-C or SIGTERM stops may be resumed';
