import { useState } from 'preact/hooks';
import { announce } from './announce.tsx';

const SHOWN_MS = 1500;

/** Copies a text to the clipboard, and announces it. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    const copied = await toClipboard(text);
    announce(copied ? 'Copied.' : 'The browser does not allow copying.');
    setDone(copied);
    if (copied) setTimeout(() => setDone(false), SHOWN_MS);
  };
  return (
    <button type="button" class="copy" aria-label={label} title={label} onClick={() => void copy()}>
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <path
          fill-rule="evenodd"
          d={
            done
              ? 'M13.2 2.8 15 4.6 6.4 13.2 1 7.8 2.8 6l3.6 3.6z'
              : 'M5 1h9v11h-3v3H2V4h3zm1.500 1.500V4H11v6.500h1.500v-8zM3.500 5.500v8h6v-8z'
          }
        />
      </svg>
      {done ? 'Copied' : 'Copy'}
    </button>
  );
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

// In some browsers pages from disk have no clipboard, but may still copy a selection.
function copiedBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
