import type { ComponentChildren } from 'preact';
import type { Status } from '../../harness/model/status.ts';
import { Announcer } from './announce.tsx';
import { StatusIcon } from './status.tsx';
import { ThemeButton } from './theme.tsx';

interface VerdictPageProps {
  /** What the page is: `comparison`. */
  kind: string;
  /** Names of the plugins that it is about. */
  plugins: readonly string[];
  good: boolean;
  eyebrow: string;
  heading: string;
  /** What the verdict says, below its heading. */
  verdict: ComponentChildren;
  /** The sections below. */
  children: ComponentChildren;
}

/** A document of one page, which begins with its verdict. */
export function VerdictPage({ kind, plugins, good, eyebrow, heading, verdict, children }: VerdictPageProps) {
  const tone = good ? 'good' : 'bad';
  const icon: Status = good ? 'pass' : 'fail';
  document.title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} · ${plugins.join(' + ')}`;
  return (
    <>
      <header>
        <span class={`brand ${tone}`}>
          <StatusIcon status={icon} />
          <span>
            PJRT conformance <b>{kind}</b>
          </span>
        </span>
        <span class="spacer" />
        <ThemeButton />
      </header>
      <main id="main" tabIndex={-1}>
        <div class="page">
          <section class={`card verdict ${tone}`} aria-labelledby="verdict">
            <StatusIcon status={icon} />
            <div>
              <p class="eyebrow">{eyebrow}</p>
              <h1 id="verdict">{heading}</h1>
              {verdict}
            </div>
          </section>
          {children}
        </div>
      </main>
      <Announcer />
    </>
  );
}
