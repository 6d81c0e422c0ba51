/** A session as a case, and as text in the language of suites. */
import { stringify } from 'yaml';
import { expandCase } from '../../suite/expand.ts';
import type { RawCase, RawStep } from '../../suite/raw.ts';
import type { Requirements } from '../../suite/requirements.ts';
import type { Case } from '../../suite/types.ts';
import { typesOf } from './needs.ts';
import { lanesOf, type Session } from './session.ts';

/** What every session is about, where its steps do not say. */
const ABOUT = 'RUN-BAS-001';

function rawCase(id: string, description: string, session: Session): RawCase {
  const lanes = stepsOf(session);
  const steps = lanes.flat();
  const covers = [...new Set(steps.flatMap(breaksOf))].sort();
  const requires = requiresOf(session, steps);
  return {
    id,
    description,
    covers: covers.length > 0 ? covers : [ABOUT],
    isolation: 'quarantine',
    ...(requires ? { requires } : {}),
    steps:
      lanes.length === 1 ? steps : [{ 'on-threads': 'each', steps: lanes.map((own) => ({ repeat: 1, steps: own })) }],
  };
}

/** The steps of each lane. */
const stepsOf = (session: Session): RawStep[][] => lanesOf(session).map((own) => own.flatMap(({ turn }) => turn.steps));

/** What a step and the steps in it break. */
const breaksOf = (step: RawStep): string[] => [
  ...((step.breaks as string[] | undefined) ?? []),
  ...['steps', 'meanwhile', 'if-offered'].flatMap((key) =>
    ((step[key] as RawStep[] | undefined) ?? []).flatMap(breaksOf),
  ),
];

function requiresOf({ devices, actions }: Session, steps: readonly RawStep[]): Case['requires'] | undefined {
  const types = actions.flatMap(typesOf);
  const dtypes = [...new Set(types.map(({ dtype }) => dtype))].filter((dtype) => dtype !== 'f32').sort();
  const empty = types.filter(({ shape }) => shape.includes(0)).map(({ shape }) => [...shape]);
  const requires = {
    ...(devices > 1 ? { devices } : {}),
    ...(steps.some((step) => step.call === 'PJRT_Buffer_CopyToMemory') ? { memories: 2 } : {}),
    ...(dtypes.length > 0 ? { dtypes } : {}),
    ...(empty.length > 0 ? { shapes: [...new Map(empty.map((shape) => [shape.join(), shape])).values()] } : {}),
  };
  return Object.keys(requires).length > 0 ? requires : undefined;
}

/** A step is a line. */
const stepLines = (steps: readonly RawStep[], indent: number): string[] =>
  steps.map((step) => `${' '.repeat(indent)}- ${flow(step)}`);

/** A session as a case, whose lines are those of its turns, from 1. */
export function asCase(suite: string, id: string, session: Session, requirements: Requirements): Case {
  const raw = rawCase(id, 'A random session.', session);
  const turns = lanesOf(session).map((own) => own.flatMap(({ turn, place }) => turn.steps.map(() => place + 1)));
  const lineAt = ([, , , first, , lane, , step]: readonly unknown[]): number | undefined =>
    turns.length === 1 ? turns[0]![Number(first ?? 0)] : turns[Number(lane ?? 0)]?.[Number(step ?? 0)];
  const path = ['cases', 0];
  const combinations = [{ params: {}, covers: raw.covers as string[] }];
  const places = {
    file: suite,
    at: (where: readonly unknown[]) => ({ line: lineAt(where) ?? 1, column: 1 }),
  };
  return expandCase({ suite }, { raw, path, combinations }, places, requirements)[0]!;
}

const flow = (value: unknown): string =>
  stringify(value, {
    collectionStyle: 'flow',
    lineWidth: 0,
    flowCollectionPadding: false,
    aliasDuplicateObjects: false,
  }).trim();

/** A suite of sessions. @param suite its id */
export function suiteText(
  suite: string,
  description: string,
  sessions: readonly { id: string; about: string; session: Session }[],
): string {
  const lines = [`suite: ${suite}`, `description: ${flow(description)}`, 'cases:'];
  for (const { id, about, session } of sessions) {
    const { steps: _, ...head } = rawCase(id, about, session);
    lines.push(...Object.entries(head).map(([key, value], i) => `  ${i === 0 ? '- ' : '  '}${key}: ${flow(value)}`));
    const lanes = stepsOf(session);
    lines.push('    steps:');
    if (lanes.length === 1) lines.push(...stepLines(lanes[0]!, 6));
    else {
      lines.push('      - on-threads: each', '        steps:');
      for (const own of lanes) lines.push('          - repeat: 1', '            steps:', ...stepLines(own, 14));
    }
  }
  return `${lines.join('\n')}\n`;
}
