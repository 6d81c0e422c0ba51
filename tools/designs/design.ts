import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { parseYaml } from '../../harness/suite/located-yaml.ts';
import { throwIfAny } from '../../harness/suite/problem.ts';
import { checkSchema, validator } from '../../harness/suite/schema-check.ts';
import { gapsOf } from './gaps.ts';

export type BaseName = 'xla-cpu' | 'reference';

/** A plugin as a base of designs. @throws DesignError if it cannot be one */
export function baseName(name: string): BaseName {
  if (name === 'xla-cpu' || name === 'reference') return name;
  throw new DesignError(`--base ${name}: expected xla-cpu or reference`);
}

/** Changes that the library with the designs makes to a base, explained in schemas/design.schema.json. */
export interface Wrapping {
  unimplemented?: string[];
  missing?: string[];
  onlyExtensions?: string[];
  withoutExtensions?: string[];
  elementTypes?: string[];
  withoutOps?: string[];
  text?: false;
  onCpu?: false;
  donation?: false;
  answers?: string[];
  outputsOnError?: 'junk' | 'stale';
  /** The first id and the step to the next. */
  deviceIds?: [number, number];
  hardwareIds?: [number, number];
  memoryIds?: [number, number];
  calls?: 'service-thread' | 'recursive-lock' | 'plain-lock';
  clients?: 'one';
  oneProcess?: string;
  oneMemory?: string;
  execute?: 'waits';
  memories?: 'empty';
  sizeQuery?: false;
  compileMilliseconds?: number;
  clientMilliseconds?: number;
}

/** A design: plugins/designs/NAME.yaml, or several combined. */
export interface Design {
  name: string;
  description: string;
  source: string[];
  bases?: BaseName[];
  defect?: string;
  wrapper?: Wrapping;
  environment?: Record<string, string>;
  options?: Partial<Record<BaseName, Record<string, unknown>>>;
  manifest?: Record<string, unknown>;
  cases?: string[];
  workers?: number;
}

/** Designs that cannot be combined, or an unknown one. */
export class DesignError extends Error {
  override name = 'DesignError';
}

export const DESIGNS = packagePath('plugins', 'designs');

/** Names of all designs, in alphabetical order. */
export const designNames = (): string[] =>
  readdirSync(DESIGNS)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .sort();

/** Reads a design, or several whose names are joined by `+`. @throws DesignError, SuiteError */
export function loadDesign(name: string): Design {
  const [first, ...rest] = name.split('+').map(loadOne);
  return rest.reduce(combined, first!);
}

function loadOne(name: string): Design {
  const seed = /^gaps-(\d+)$/.exec(name)?.[1];
  if (seed !== undefined) {
    const description = 'Functions chosen by chance are UNIMPLEMENTED.';
    return { name, description, source: ['chance'], wrapper: { unimplemented: gapsOf(Number(seed)) } };
  }
  const file = packagePath('plugins', 'designs', `${name}.yaml`);
  if (!/^[a-z0-9-]+$/.test(name) || !existsSync(file)) {
    throw new DesignError(`no design is called ${JSON.stringify(name)}; there are ${designNames().join(', ')}`);
  }
  const document = parseYaml(readFileSync(file, 'utf8'), file);
  throwIfAny(document.problems);
  throwIfAny(checkSchema(validator('design.schema.json'), document));
  return { ...(document.value as Omit<Design, 'name'>), name };
}

/** How settings of two designs are combined; all others must be equal if both have them. */
const RULES: Record<string, (a: never, b: never) => unknown> = {
  description: (a: string, b: string) => `${a} ${b}`,
  source: union,
  bases: common,
  defect: (a: string, b: string) => `${a} ${b}`,
  unimplemented: union,
  missing: union,
  onlyExtensions: common,
  withoutExtensions: union,
  elementTypes: common,
  withoutOps: union,
  answers: union,
  compileMilliseconds: Math.max as (a: number, b: number) => number,
  clientMilliseconds: Math.max as (a: number, b: number) => number,
  cases: union,
  workers: Math.min as (a: number, b: number) => number,
};

function union(a: string[], b: string[]): string[] {
  return [...new Set([...a, ...b])];
}

function common(a: string[], b: string[]): string[] {
  return a.filter((one) => b.includes(one));
}

/** A combination of two designs. @throws DesignError if they contradict each other */
function combined(a: Design, b: Design): Design {
  const { name: first, ...left } = a;
  const { name: second, ...right } = b;
  const name = `${first}+${second}`;
  const both = together(left, right, name, '') as Omit<Design, 'name'>;
  if (both.bases?.length === 0) throw new DesignError(`${name}: there is no base that both can be made of`);
  return { ...both, name };
}

type Settings = Record<string, unknown>;

function together(a: Settings, b: Settings, name: string, path: string): Settings {
  const result: Settings = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const old = result[key];
    const where = path === '' ? key : `${path}.${key}`;
    const rule = path === '' || path === 'wrapper' ? RULES[key] : undefined;
    if (old === undefined) result[key] = value;
    else if (rule) result[key] = rule(old as never, value as never);
    else if (isSettings(old) && isSettings(value)) result[key] = together(old, value, name, where);
    else if (!isDeepStrictEqual(old, value)) {
      throw new DesignError(`${name}: one says ${JSON.stringify(old)} for ${where}, one ${JSON.stringify(value)}`);
    }
  }
  return result;
}

const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
