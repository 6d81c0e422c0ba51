import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Search } from '../data/filter.ts';
import type { Report } from '../data/report.ts';
import type { Route } from '../state/route.ts';

/** Context for all parts of the page. */
export interface App {
  report: Report;
  search: Search;
  route: Route;
  /** Navigates; `replace`: without an entry in the browser's history. */
  go(route: Route, how?: 'replace'): void;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('used outside the page');
  return app;
}
