import { useEffect, useState } from 'preact/hooks';

const listeners = new Set<(text: string) => void>();

/** Announces a text to users of screen readers. */
export function announce(text: string): void {
  for (const listener of listeners) listener(text);
}

/** Live region for announcements; one per page. */
export function Announcer() {
  const [text, setText] = useState('');
  useEffect(() => {
    listeners.add(setText);
    return () => void listeners.delete(setText);
  }, []);
  return (
    <p class="unseen" role="status" aria-live="polite">
      {text}
    </p>
  );
}
