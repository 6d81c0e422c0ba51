import { expect, test } from 'vitest';
import { Comeback } from './comeback.ts';
import { inEffect } from './deadlines.ts';
import { Leniency } from './leniency.ts';
import { LiveWorker } from './live-worker.ts';
import { WatchClock } from './watch-clock.ts';
import type { WorkerProcess } from './worker-process.ts';

test('time that passed without a look does not count', () => {
  let time = 100;
  const clock = new WatchClock(() => time);
  const after = (ms: number): number => {
    time += ms;
    clock.tick();
    return clock.now;
  };
  expect([after(25), after(900), after(3_600_000), after(25)]).toEqual([125, 1025, 2025, 2050]);
  time += 10;
  expect(clock.now).toBe(2060);
});

test('while this process is stopped, no deadline of a worker passes', () => {
  let time = 0;
  const clock = new WatchClock(() => time);
  const kills: string[] = [];
  const process = {
    send: () => {},
    crumb: () => undefined,
    kill: (why: string) => kills.push(why),
    ended: new Promise(() => {}),
  };
  const kind = { clients: true, round: 1, quarantine: false };
  const knows = { leniency: new Leniency(() => {}), comeback: new Comeback() };
  const live = new LiveWorker(process as unknown as WorkerProcess, kind, [], knows, clock);
  void live.ask({ type: 'check' }, inEffect({ case: 10_000 }));
  const pass = (ms: number): void => {
    time += ms;
    clock.tick();
    live.enforceDeadlines();
  };
  pass(3_600_000);
  expect(kills).toEqual([]);
  for (let i = 0; i < 10; i++) pass(1000);
  expect(kills).toEqual(['the deadline of 10 s for one case passed']);
});
