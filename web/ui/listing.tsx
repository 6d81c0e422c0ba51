import { useEffect, useRef } from 'preact/hooks';

interface ListingProps {
  label: string;
  text: string;
  /** Number of the first line. */
  first?: number;
  /** What there is to say of lines, by number. */
  marks?: ReadonlyMap<number, string>;
}

/** A text with numbered lines, scrolled to the first one that is marked. The numbers are not copied with it. */
export function Listing({ label, text, first = 1, marks = new Map() }: ListingProps) {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const marked = frame.current?.querySelector<HTMLElement>('.marked');
    if (frame.current && marked) frame.current.scrollTop = marked.offsetTop - frame.current.clientHeight / 2;
  }, [text]);
  const lines = text.split('\n');
  const width = String(first + lines.length - 1).length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus, or keys cannot scroll it.
    <section class="listing table" tabIndex={0} aria-label={label} ref={frame}>
      <pre>
        {lines.map((line, at) => {
          const mark = marks.get(first + at);
          return (
            <span
              key={at}
              class={mark === undefined ? 'line' : 'line marked'}
              data-n={String(first + at).padStart(width)}
            >
              {line}
              {'\n'}
              {mark !== undefined && <b>↑ {mark}</b>}
            </span>
          );
        })}
      </pre>
    </section>
  );
}
