import { useEffect, useState } from 'preact/hooks';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const KEY = 'pjrt-conformance-theme';

/** Cycles through the system, light and dark themes, and stores the choice if the browser allows it. */
export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(stored);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    window.dispatchEvent(new Event('themechange'));
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Pages from disk may have no storage.
    }
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  return (
    <button type="button" class="quiet" title={`Switch to ${next} colours`} onClick={() => setTheme(next)}>
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <path fill-rule="evenodd" d="M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zm0 2v10A5 5 0 0 0 8 3z" />
      </svg>
      <span class="unseen">Colours: </span>
      {theme}
    </button>
  );
}

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY) as Theme;
    return THEMES.includes(value) ? value : 'system';
  } catch {
    return 'system';
  }
}
