import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { matchesCase } from '../../harness/suite/case-glob.ts';
import { loadRequirements } from '../../harness/suite/requirements.ts';
import { loadCatalogue, loadKinds, RUN } from './catalogue.ts';
import { IDLE_FILE, idleTemplates, loadIdleCases } from './idle-cases.ts';
import { means } from './judge.ts';
import { insideFaults, registeredFaults } from './library.ts';
import { casesById, selected } from './plan.ts';
import { loadProfileScores } from './profile-score.ts';
import { loadScore, templateOf } from './report.ts';

const catalogue = loadCatalogue();
const ids = [...casesById.keys()];

describe('the catalogue', () => {
  it('has every fault of the library, and no others', () => {
    const wrapped = catalogue.filter(({ base }) => base !== 'inside').map(({ name }) => name);
    expect(wrapped.sort()).toEqual(registeredFaults().sort());
  });

  it('has every fault point of the reference plugin, and no others', () => {
    const inside = catalogue.filter(({ base }) => base === 'inside').map(({ name }) => name);
    expect(inside.sort()).toEqual(insideFaults());
  });

  it('has each name only once', () => {
    expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length);
  });

  it('has at least eight faults of each kind, and no other kinds', () => {
    const counts = new Map([...loadKinds().keys()].map((kind) => [kind, 0]));
    for (const { kind } of catalogue) if (kind !== undefined) counts.set(kind, counts.get(kind)! + 1);
    expect([...counts].filter(([, count]) => !(count >= 8))).toEqual([]);
  });

  it('names requirements that exist', () => {
    const requirements = loadRequirements();
    const unknown = catalogue.flatMap(({ name, breaks }) =>
      breaks.filter((id) => !requirements.has(id)).map((id) => [name, id]),
    );
    expect(unknown).toEqual([]);
  });

  it('names cases that exist', () => {
    const idle = catalogue.flatMap(({ name, suites, cases }) =>
      [...suites, ...cases]
        .filter((glob) => glob !== RUN && !ids.some((id) => means(glob, id)))
        .map((glob) => [name, glob]),
    );
    expect(idle).toEqual([]);
  });

  it('has a case for each fault that could detect it', () => {
    const undetectable = catalogue.filter((fault) => {
      const covering = selected(fault, ids).some((id) =>
        casesById.get(id)!.covers.some((requirement) => fault.breaks.includes(requirement)),
      );
      return !covering && fault.cases.length === 0;
    });
    expect(undetectable.map(({ name }) => name)).toEqual([]);
  });
});

const recorded = existsSync(packagePath('plugins', 'faults', 'score.json'));

describe.skipIf(!recorded)(
  recorded ? 'the recorded result' : 'the recorded result (skipped: none was recorded yet)',
  () => {
    const score = recorded ? loadScore() : ({ faults: {} } as ReturnType<typeof loadScore>);

    it('matches the current catalogue', () => {
      expect(
        Object.keys(score.faults).sort(),
        '`npm run mutation -- --fault NAME --record` records a new fault',
      ).toEqual(catalogue.map(({ name }) => name).sort());
    });

    it('detects nearly all of it, and every undetected fault is explained', () => {
      const judged = catalogue;
      const open = judged.filter(({ name }) => !['detected', 'absent'].includes(score.faults[name]!.outcome));
      expect(open.filter(({ survives }) => survives === undefined).map(({ name }) => name)).toEqual([]);
      expect(open.length).toBeLessThanOrEqual(judged.length * 0.02);
    });

    it('explains each case that detects no fault', () => {
      const reasons = loadIdleCases();
      const silent = idleTemplates([...new Set(ids.map(templateOf))], score, loadProfileScores());
      expect(
        silent.filter((id) => !reasons.some(({ cases }) => matchesCase(cases, id))),
        'no recorded fault makes these cases fail: run `npm run mutation -- --fault NAME --record` with one that should, or write into plugins/faults/idle-cases.yaml why none can',
      ).toEqual([]);
      const stale = reasons.filter(({ cases }) => !silent.some((template) => matchesCase(cases, template)));
      expect(stale, IDLE_FILE).toEqual([]);
    });
  },
);

it('matches its files', () => {
  expect(readFileSync(IDLE_FILE, 'utf8')).toContain('cases');
});
