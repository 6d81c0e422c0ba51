import type { ComponentChildren } from 'preact';

/** Buttons that are pressed or not, under a name that is seen by readers of text or, with `shown`, by all. */
export const Chips = ({
  label,
  shown = false,
  children,
}: {
  label: string;
  shown?: boolean;
  children: ComponentChildren;
}) => (
  <fieldset class="chips">
    <legend class={shown ? 'dim' : 'unseen'}>{label}</legend>
    {children}
  </fieldset>
);
