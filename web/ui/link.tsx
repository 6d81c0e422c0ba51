import type { ComponentChildren } from 'preact';
import { formatRoute, type Route } from '../state/route.ts';

interface Props {
  to: Route;
  class?: string;
  title?: string;
  tabIndex?: number;
  'aria-current'?: 'page' | 'true';
  'data-case'?: string;
  children?: ComponentChildren;
}

/** A link to another view: an ordinary URL that can be opened in a new tab. */
export const Link = ({ to, children, ...rest }: Props) => (
  <a {...rest} href={formatRoute(to)}>
    {children}
  </a>
);
