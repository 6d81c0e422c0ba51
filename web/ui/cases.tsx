import type { ComponentChildren } from 'preact';
import type { Filter } from '../data/filter.ts';
import type { Row } from '../data/report.ts';
import { route } from '../state/route.ts';
import { Link } from './link.tsx';
import { STATUS, StatusIcon } from './status.tsx';

/** Cases as links, one or two lines each; they open in a filtered list. */
export const CaseLinks = ({
  rows,
  filter,
  tags,
}: {
  rows: readonly Row[];
  filter: Partial<Filter>;
  tags?: (row: Row) => ComponentChildren;
}) => (
  <ul class="failing">
    {rows.map((row) => (
      <li key={row.id}>
        <Link to={route('cases', { id: row.id, filter })}>
          <StatusIcon status={row.status} />
          <span>
            <span class="unseen">{STATUS[row.status].word}: </span>
            <span class="case-name">{row.id}</span>
            {tags?.(row)}
            <span class="case-title">{row.message}</span>
          </span>
        </Link>
      </li>
    ))}
  </ul>
);
