import { expect, test } from 'vitest';
import { callsOf, merged } from './calls.ts';

test('a call belongs to the moment that had begun', () => {
  const log = [
    '{"begins": "import"}',
    '{"begins": "client creation"}',
    '{"calls": "Client_Create"}',
    '{"devices": []}',
    '{"calls": "Client_Devices"}',
    '{"begins": "exit"}',
    '{"calls": "Client_Destroy"}',
    '',
  ].join('\n');
  expect(callsOf(log)).toEqual({ 'client creation': ['Client_Create', 'Client_Devices'], exit: ['Client_Destroy'] });
});

test('of several plugins, the earliest moment counts', () => {
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
