import type { ComponentChildren } from 'preact';

/** Toggle buttons under a label, which only screen readers announce unless `shown` is set. */
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
