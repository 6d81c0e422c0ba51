import type { Status } from '../../harness/model/status.ts';
import { type Filter, NO_FILTER } from '../data/filter.ts';

export const VIEWS = [
  'overview',
  'failures',
  'cases',
  'capabilities',
  'requirements',
  'numerics',
  'timeline',
  'run',
] as const;
export type View = (typeof VIEWS)[number];

/** What is shown: the URL of a view, in the hash of the page so that it can be linked. */
export interface Route {
  view: View;
  /** The open case, or the requirement to show. */
  id?: string;
  filter: Filter;
  /** Presentation of the view: `sort`, `group`, `ability`; what to show in it: `fn` (a function), `op`. */
  how: Readonly<Record<string, string>>;
}

/** Names of the filter's fields in the URL. */
const FIELDS = {
  q: 'q',
  suite: 'suite',
  level: 'level',
  requirement: 'req',
  tag: 'tag',
  call: 'call',
  cause: 'cause',
} as const;
const HOW = ['sort', 'group', 'ability', 'fn', 'op'] as const;

export const route = (
  view: View,
  more: Partial<Omit<Route, 'view' | 'filter'>> & { filter?: Partial<Filter> } = {},
): Route => ({
  view,
  how: {},
  ...more,
  filter: { ...NO_FILTER, ...more.filter },
});

/** The route of a hash; an invalid one leads to the overview. */
export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#\/?/, '');
  const at = text.indexOf('?');
  const [view = '', ...rest] = (at === -1 ? text : text.slice(0, at)).split('/');
  if (!VIEWS.includes(view as View)) return route('overview');
  const params = new URLSearchParams(at === -1 ? '' : text.slice(at + 1));
  const fields = Object.entries(FIELDS).map(([field, name]) => [field, params.get(name) ?? '']);
  const how = HOW.flatMap((name) => (params.has(name) ? [[name, params.get(name)!]] : []));
  const id = decoded(rest.join('/'));
  return {
    view: view as View,
    ...(id === '' ? {} : { id }),
    filter: {
      ...NO_FILTER,
      ...Object.fromEntries(fields),
      status: params.getAll('status') as Status[],
      fails: params.has('fails'),
    },
    how: Object.fromEntries(how),
  };
}

/** The hash of a route, with the characters of ids left readable. */
export function formatRoute({ view, id, filter, how }: Route): string {
  const params = new URLSearchParams();
  for (const status of filter.status) params.append('status', status);
  for (const [field, name] of Object.entries(FIELDS)) {
    const value = filter[field as keyof typeof FIELDS];
    if (value !== '') params.set(name, value);
  }
  if (filter.fails) params.set('fails', '1');
  for (const [name, value] of Object.entries(how)) params.set(name, value);
  const query = String(params).replaceAll('%2F', '/').replaceAll('%3A', ':');
  return `#/${view}${id === undefined ? '' : `/${readable(id)}`}${query === '' ? '' : `?${query}`}`;
}

const readable = (id: string): string =>
  encodeURIComponent(id).replace(/%(?:2F|3A|5B|5D|3D|2C|2B|40)/g, (code) => decodeURIComponent(code));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
