import { useEffect, useState } from 'preact/hooks';

/** The value of a promise, undefined until it resolves. */
export function useLoaded<T>(load: () => Promise<T>, key: string): T | undefined {
  const [value, setValue] = useState<T>();
  useEffect(() => {
    let gone = false;
    void load().then((loaded) => {
      if (!gone) setValue(() => loaded);
    });
    return () => {
      gone = true;
    };
  }, [key]);
  return value;
}
