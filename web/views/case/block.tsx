import type { ComponentChildren } from 'preact';
import { CopyButton } from '../../ui/copy.tsx';

interface BlockProps {
  title: string;
  note?: string;
  /** A text to copy. */
  copy?: string;
  children: ComponentChildren;
}

/** A part of the page of a case. */
export const Block = ({ title, note, copy, children }: BlockProps) => (
  <section class="block">
    <h3>
      {title} {note !== undefined && <small>{note}</small>}
      {copy !== undefined && <CopyButton text={copy} label={`Copy ${title}`} />}
    </h3>
    {children}
  </section>
);
