import { expect, test } from 'vitest';
import { parseAs } from '../../../tests/support/json-schemas.ts';
import type { Event } from '../../model/events.ts';
import { emptyRun, foldRun } from '../../model/run.ts';
import { footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { compareDevices, type DeviceComparison, type DeviceRun, deviceLines } from './device-comparison.ts';

const finding = { type: 'pjrt.X', level: 'must' as const, message: 'it says no', line: 9 };

/** A device on which a case passes or fails, and another one always passes. */
function device(name: string, status: 'pass' | 'fail'): DeviceRun {
  const own = result(status, status === 'fail' ? { findings: [finding] } : {});
  const cases = suiteEvents('s', [
    { name: 'a', result: own },
    { name: 'b', result: result('pass') },
  ]);
  const run = foldRun([header(), ...(cases as Event[]), footer({ exitCode: status === 'pass' ? 0 : 1 })]);
  return { name, env: { CARD: name }, run, exitCode: status === 'pass' ? 0 : 1, log: `out/${name}/events.jsonl` };
}

const absent: DeviceRun = { name: '2', env: { CARD: '2' }, run: emptyRun(), failure: 'in use' };

test('devices.json has what its schema says, with and without differences and runs', () => {
  const compared = compareDevices([device('0', 'pass'), device('1', 'fail'), absent]);
  const read = parseAs<DeviceComparison>('devices', JSON.stringify(compared));
  expect(read).toEqual(compared);
  expect(read.differences).toEqual([
    { case: 's:a', file: 'suites/s.yaml', statuses: { 0: 'pass', 1: 'fail' }, messages: { 1: 'it says no' } },
  ]);
  expect(read.devices.map(({ exitCode, counts }) => [exitCode, counts])).toEqual([
    [0, { pass: 2 }],
    [1, { pass: 1, fail: 1 }],
    [undefined, {}],
  ]);
  const alike = compareDevices([device('0', 'pass'), device('1', 'pass')]);
  expect(parseAs<DeviceComparison>('devices', JSON.stringify(alike)).differences).toEqual([]);
});

test('the schema refuses what is no status, and a difference of one device', () => {
  const [difference] = compareDevices([device('0', 'pass'), device('1', 'fail')]).differences;
  const wrong = (statuses: object) =>
    parseAs(
      'devices',
      JSON.stringify({ ...compareDevices([device('0', 'pass')]), differences: [{ ...difference, statuses }] }),
    );
  expect(() => wrong({ 0: 'pass', 1: 'well' })).toThrow('differences/0/statuses/1');
  expect(() => wrong({ 0: 'pass' })).toThrow('differences/0/statuses');
});

test('people see the devices that differ', () => {
  expect(deviceLines(compareDevices([device('0', 'pass'), device('1', 'fail')])).slice(-4)).toEqual([
    '1 case has different statuses:',
    '  s:a',
    '    0  pass',
    '    1  fail: it says no',
  ]);
});
