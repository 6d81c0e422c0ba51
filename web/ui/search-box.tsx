import { useEffect, useRef, useState } from 'preact/hooks';

/** Typing changes the URL, and so the list, after a pause. */
const PAUSE_MS = 120;

interface SearchBoxProps {
  value: string;
  label: string;
  placeholder: string;
  onChange: (value: string) => void;
}

/** A search of the view, which is part of the URL. */
export function SearchBox({ value, label, placeholder, onChange }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const sent = useRef(value);
  useEffect(() => {
    // The URL was changed by something else: a link, the back button.
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = next;
      onChange(next);
    }, PAUSE_MS);
  };
  return (
    <input
      type="search"
      class="search"
      id="search"
      placeholder={placeholder}
      aria-label={label}
      spellcheck={false}
      autocomplete="off"
      value={text}
      onInput={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
    />
  );
}
