import type { ComponentChildren } from 'preact';

/** Wide tables and long texts scroll in a frame that the keyboard can reach. */

export const TableFrame = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus, or keys cannot scroll it.
  <section class="table" tabIndex={0} aria-label={label}>
    {children}
  </section>
);

/** Preformatted text. */
export const Verbatim = ({ text, wrap = false }: { text: string; wrap?: boolean }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus, or keys cannot scroll it.
  <pre class={wrap ? 'wrap' : ''} tabIndex={0}>
    {text}
  </pre>
);

/** Scrolls the view, and nothing around it, until an element is in its middle. */
export function scrollToMiddle(element: HTMLElement | null): void {
  const view = element?.closest('main');
  if (!element || !view) return;
  const [own, frame] = [element.getBoundingClientRect(), view.getBoundingClientRect()];
  view.scrollTop += own.top - frame.top - (frame.height - own.height) / 2;
}
