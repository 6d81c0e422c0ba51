import { expect, test } from 'vitest';
import { habitsOf, merged, watchedIn } from './calls.ts';

test('a call belongs to the phase in progress', () => {
  const log = [
    '{"begins": "import"}',
    '{"begins": "client creation"}',
    '{"calls": "Client_Create"}',
    '{"devices": []}',
    '{"calls": "Client_Devices"}',
    '{"destroysNull": "Error_Destroy"}',
    '{"begins": "exit"}',
    '{"calls": "Client_Destroy"}',
    '',
  ].join('\n');
  expect(watchedIn(log)).toEqual({
    calls: { 'client creation': ['Client_Create', 'Client_Devices'], exit: ['Client_Destroy'] },
    nullError: 'client creation',
  });
});

test('of several plugins, the earliest phase counts', () => {
  const calls = merged([
    { 'first transfer': ['Event_OnReady'], exit: ['Client_Destroy'] },
    { 'first compile': ['Event_OnReady', 'Client_Compile'], exit: ['Client_Destroy'] },
  ]);
  expect(calls).toEqual({
    'first transfer': ['Event_OnReady'],
    'first compile': ['Client_Compile'],
    exit: ['Client_Destroy'],
  });
});

test('calls that depend on the location of the memory are listed separately, and so are those with other conditions', () => {
  const inPlace = { calls: { 'first transfer': ['Event_OnReady', 'Buffer_UnsafePointer'] } };
  const copied = { calls: { 'first transfer': ['Event_OnReady', 'Buffer_ToHostBuffer'] }, nullError: 'exit' as const };
  const other = { calls: { 'first transfer': ['Event_OnReady', 'Buffer_ToHostBuffer', 'Device_MemoryStats'] } };
  expect(habitsOf([{ onCpu: inPlace, notOnCpu: copied }, { notOnCpu: other }])).toEqual({
    onCpu: { 'first transfer': ['Buffer_UnsafePointer', 'Event_OnReady'] },
    notOnCpu: { 'first transfer': ['Buffer_ToHostBuffer', 'Device_MemoryStats', 'Event_OnReady'] },
    sometimes: ['Device_MemoryStats'],
    nullError: 'exit',
  });
});
