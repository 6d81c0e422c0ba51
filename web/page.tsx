import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Search } from './data/filter.ts';
import type { Report } from './data/report.ts';
import { formatRoute, parseRoute, type Route, route, VIEWS, type View } from './state/route.ts';
import { Announcer } from './ui/announce.tsx';
import { type App, AppContext, useApp } from './ui/app.ts';
import { number } from './ui/format.ts';
import { useKeys } from './ui/keys.ts';
import { Link } from './ui/link.tsx';
import { StatusIcon } from './ui/status.tsx';
import { ThemeButton } from './ui/theme.tsx';
import { CapabilityMatrix } from './views/capabilities.tsx';
import { Cases } from './views/cases.tsx';
import { Failures } from './views/failures.tsx';
import { Numerics } from './views/numerics.tsx';
import { Overview } from './views/overview.tsx';
import { Requirements } from './views/requirements.tsx';
import { RunFacts } from './views/run-facts.tsx';
import { Timeline } from './views/timeline.tsx';

const TITLES: Readonly<Record<View, string>> = {
  overview: 'Overview',
  failures: 'Failures',
  cases: 'Cases',
  capabilities: 'Capabilities',
  requirements: 'Requirements',
  numerics: 'Numerics',
  timeline: 'Timeline',
  run: 'Run',
};

/** The whole page: navigation, the current view, and global keys. */
export function Page({ report }: { report: Report }) {
  const [here, setHere] = useState(() => parseRoute(location.hash));
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    const listen = (): void => setHere(parseRoute(location.hash));
    window.addEventListener('hashchange', listen);
    return () => window.removeEventListener('hashchange', listen);
  }, []);
  const go = (to: Route, how?: 'replace'): void => {
    if (how !== 'replace') {
      location.hash = formatRoute(to);
      return;
    }
    history.replaceState(null, '', formatRoute(to));
    setHere(to);
  };
  const search = useMemo(() => new Search(report.rows), [report]);
  const app: App = { report, search, route: here, go };
  const { verdict, plugins } = report.head;
  const name = plugins.map((plugin) => plugin.name).join(' + ');
  useEffect(() => {
    document.title = `${here.id ?? TITLES[here.view]} · ${name || 'PJRT conformance'}`;
  }, [here.view, here.id]);
  useEffect(() => main.current?.scrollTo(0, 0), [here.view]);
  const help = useRef<HTMLDialogElement>(null);
  useKeys({
    '/': () => {
      const focus = (): void => document.getElementById('search')?.focus();
      // Immediately if possible: continuous typing would lose letters.
      if (here.view === 'cases') focus();
      else {
        go(route('cases'));
        requestAnimationFrame(() => requestAnimationFrame(focus));
      }
    },
    '?': () => help.current?.showModal(),
  });
  return (
    <AppContext.Provider value={app}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header>
        <Link to={route('overview')} class={`brand ${verdict.exitCode === 0 ? 'good' : 'bad'}`}>
          <StatusIcon status={verdict.exitCode === 0 ? 'pass' : 'fail'} />
          <span>
            PJRT conformance <b>{name}</b>
          </span>
        </Link>
        <Navigation />
        <button type="button" class="quiet" onClick={() => help.current?.showModal()} title="Keyboard shortcuts (?)">
          Keys
        </button>
        <ThemeButton />
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <Shown view={here.view} />
      </main>
      <dialog ref={help} aria-labelledby="keys-title">
        <Keys />
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
      <Announcer />
    </AppContext.Provider>
  );
}

function Shown({ view }: { view: View }) {
  switch (view) {
    case 'overview':
      return <Overview />;
    case 'failures':
      return <Failures />;
    case 'cases':
      return <Cases />;
    case 'capabilities':
      return <CapabilityMatrix />;
    case 'requirements':
      return <Requirements />;
    case 'numerics':
      return <Numerics />;
    case 'timeline':
      return <Timeline />;
    case 'run':
      return <RunFacts />;
  }
}

function Navigation() {
  const { report, route: here } = useApp();
  const counts: Partial<Record<View, number>> = {
    failures: useMemo(() => report.rows.filter(({ fails }) => fails).length, [report]),
    cases: report.rows.length,
  };
  return (
    <nav aria-label="Views">
      {VIEWS.map((view) => (
        <Link key={view} to={route(view)} {...(view === here.view ? { 'aria-current': 'page' as const } : {})}>
          {TITLES[view]}
          {counts[view] !== undefined && counts[view] > 0 && <span class="pill">{number(counts[view])}</span>}
        </Link>
      ))}
    </nav>
  );
}

const Keys = () => (
  <>
    <h2 id="keys-title">Keyboard</h2>
    <dl class="keys">
      {(
        [
          ['/', 'search cases'],
          ['j or ↓, k or ↑', 'next and previous case'],
          ['Enter', 'open the case'],
          ['Escape', 'close the case, leave the search'],
          ['+ − ← →', 'zoom and move the timeline, when it has the focus'],
          ['?', 'this list'],
        ] as const
      ).map(([key, does]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </>
);
