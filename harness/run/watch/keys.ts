import type { Input } from '../../base/environment.ts';

/** What the user can ask for, by key. */
const KEYS = {
  a: { wish: 'all', help: 'all cases' },
  f: { wish: 'failed', help: 'only what failed' },
  '\r': { wish: 'changed', help: 'again, as after a change', name: 'Enter' },
  q: { wish: 'quit', help: 'quit' },
} as const;

export type Wish = (typeof KEYS)[keyof typeof KEYS]['wish'];

/** `a all cases · f only what failed …`. */
export const keysText = (): string =>
  Object.entries(KEYS)
    .map(([key, entry]) => `${'name' in entry ? entry.name : key} ${entry.help}`)
    .join(' · ');

/**
 * Reads keys as they are pressed, from a terminal.
 * @param onInterrupt Ctrl-C, which a terminal in this mode does not turn into a signal
 * @returns ends it
 */
export function readKeys(input: Input, onWish: (wish: Wish) => void, onInterrupt: () => void): () => void {
  const read = (text: Buffer): void => {
    for (const key of text.toString('latin1').toLowerCase()) {
      if (key === '\x03' || key === '\x04') onInterrupt();
      else if (key === '\n') onWish(KEYS['\r'].wish);
      else if (key in KEYS) onWish(KEYS[key as keyof typeof KEYS].wish);
    }
  };
  input.setRawMode(true);
  input.on('data', read);
  input.resume();
  return () => {
    input.off('data', read);
    input.setRawMode(false);
    input.pause();
  };
}
