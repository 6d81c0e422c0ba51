import { useEffect, useRef } from 'preact/hooks';

/** Handles keys while no text is being typed and no modifier is held. */
export function useKeys(actions: Readonly<Record<string, () => unknown>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const action = latest.current[event.key];
      if (!action || (event.key.startsWith('Arrow') && scrolls(event.target))) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, select, textarea, dialog') !== null;

/** Arrow keys belong to a focused scrollable element: output, tables, the page of a case. */
const scrolls = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('pre, .table, .case-page, canvas') !== null;
