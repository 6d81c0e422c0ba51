import { expect, test } from 'vitest';
import { UsageError } from '../../base/usage-error.ts';
import { PluginError } from '../../host/plugins/plugin-error.ts';
import { SuiteError } from '../../suite/problem.ts';
import { withPlaces } from './option.ts';

const configPlaces = new Map([
  ['plugin', { place: 'c.yaml:1:9', paths: ['./a.so'] }],
  ['suites', { place: 'c.yaml:2:9', paths: ['mine', 'others'] }],
]);

test.each<[string, Error, string]>([
  ['names an option', new UsageError('m', { options: ['plugin'] }), 'm\n--plugin comes from c.yaml:1:9'],
  ['names a path', new UsageError('m', { paths: ['others'] }), 'm\n--suites others comes from c.yaml:2:9'],
  [
    'is about a plugin',
    new PluginError('plugin-not-found', { where: 'w', what: 'x', options: ['plugin'] }),
    'w: x\n--plugin comes from c.yaml:1:9',
  ],
  [
    'is about a whole file',
    new SuiteError([{ file: 'mine', path: '', message: 'bad' }]),
    'mine: bad\n--suites mine comes from c.yaml:2:9',
  ],
  [
    'is about a place',
    new SuiteError([{ file: 'mine', position: { line: 1, column: 2 }, path: '', message: 'bad' }]),
    'mine:1:2: bad',
  ],
  ['has words like options only', new UsageError('others: --plugin'), 'others: --plugin'],
])('an error that %s says where that came from, if the file set it', async (_, error, message) => {
  await expect(withPlaces({ configPlaces }, () => Promise.reject(error))).rejects.toThrow(
    expect.objectContaining({ message }),
  );
});
