import type { DocumentPath, LocatedYaml } from './located-yaml.ts';
import type { RawStep, RawSuite } from './raw.ts';

/** A suite whose cases have the steps of `defaults.first` and `defaults.last` around their own, which stay where they stand. */
export function withStepsAround(document: LocatedYaml): LocatedYaml {
  const suite = document.value as Partial<RawSuite> | null;
  const first = listIn(suite?.defaults?.first);
  const last = listIn(suite?.defaults?.last);
  if (first.length + last.length === 0 || !Array.isArray(suite?.cases)) return document;
  const own = suite.cases.map((one) => listIn(one?.steps));
  const placeOf = (path: DocumentPath): DocumentPath => {
    const [root, index, key, step, ...rest] = path;
    const steps = root === 'cases' && key === 'steps' ? own[index as number] : undefined;
    if (!steps || typeof step !== 'number') return path;
    const position = step - first.length;
    if (position < 0) return ['defaults', 'first', step, ...rest];
    if (position < steps.length) return ['cases', index!, 'steps', position, ...rest];
    return ['defaults', 'last', position - steps.length, ...rest];
  };
  const cases = suite.cases.map((one, i) =>
    own[i]!.length === 0 ? one : { ...one, steps: [...first, ...own[i]!, ...last] },
  );
  return {
    ...document,
    value: { ...suite, cases },
    at: (path) => document.at(placeOf(path)),
    keyAt: (path) => document.keyAt(placeOf(path)),
    source: (path) => document.source(placeOf(path)),
    problem: (path, message, more) => document.problem(placeOf(path), message, more),
  };
}

const listIn = (value: unknown): RawStep[] => (Array.isArray(value) ? value : []);
