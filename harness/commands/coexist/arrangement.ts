/** Which plugins share a process: the cells of a coexistence matrix. */

/**
 * What a plugin is put beside. alone: nothing · pair: another plugin, which is loaded after it · same-file: itself, opened
 * twice · copy: a copy of its file · all: all plugins, in the given order or in reverse.
 */
type Company = 'alone' | 'pair' | 'same-file' | 'copy' | 'all';

/** One process layout. */
export interface Arrangement {
  /** Unique, and usable as the name of a directory. */
  name: string;
  company: Company;
  /** Names of the plugins in the order of loading; the same name twice in `same-file` and `copy`. */
  plugins: string[];
}

/**
 * The arrangements of some plugins: each alone, each twice, every ordered pair, and from three on all at once.
 * @param controls plugins that are only partners: they help to find a culprit, and have no twins
 */
export function arrangements(names: readonly string[], controls: readonly string[] = []): Arrangement[] {
  const all = [...names, ...controls];
  const alone = all.map((name): Arrangement => ({ name: `${name}.alone`, company: 'alone', plugins: [name] }));
  const twins = names.flatMap((name) =>
    (['same-file', 'copy'] as const).map(
      (company): Arrangement => ({ name: `${name}.${company}`, company, plugins: [name, name] }),
    ),
  );
  const pairs = all.flatMap((first) =>
    all
      .filter((second) => second !== first && !(controls.includes(first) && controls.includes(second)))
      .map((second): Arrangement => ({ name: `${first}+${second}`, company: 'pair', plugins: [first, second] })),
  );
  const together = (name: string, plugins: readonly string[]): Arrangement => ({
    name,
    company: 'all',
    plugins: [...plugins],
  });
  const everyone = names.length > 2 ? [together('all', names), together('all-reversed', names.toReversed())] : [];
  return [...alone, ...twins, ...pairs, ...everyone];
}
