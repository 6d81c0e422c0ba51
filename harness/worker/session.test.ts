import { beforeEach, expect, test, vi } from 'vitest';
import type { FromWorker, WorkerSetup } from '../host/wire/protocol.ts';
import type { Options } from '../model/plugin.ts';
import { BadDataError } from './pjrt/errors.ts';
import { Session } from './session.ts';

/** What was done with plugins, in order; every library exists except missing.so, and faulty.so does not initialize. */
const log: string[] = [];

vi.mock('./ffi/breadcrumb.ts', () => ({
  Breadcrumb: class {
    watchExit = () => {};
    idle = () => {};
  },
}));
vi.mock('./pjrt/plugin.ts', () => ({
  Plugin: {
    load: (name: string, path: string, binding: string) => {
      log.push(`load ${name} ${path} ${binding}`);
      if (path === '/missing.so') throw new BadDataError('cannot be opened');
      if (path === '/odd.so') throw new RangeError('outside the bounds');
      const initialize = () => {
        log.push(`initialize ${name}`);
        if (path === '/faulty.so') throw new BadDataError('has no hardware');
      };
      return { name, path, api: name, initialize };
    },
  },
}));
vi.mock('./pjrt/client.ts', () => ({
  Client: {
    create: (api: string, _: unknown, options: Options) => {
      log.push(`client ${api} with ${Object.keys(options).join()}`);
      if (api === 'refusing') throw new BadDataError('is in use');
    },
  },
}));
vi.mock('./inspect.ts', () => ({ tableFacts: () => ({ tableBytes: 8 }) }));

const COUNT: Options = { n: { kind: 'int64', value: 1n } };

/** Prepares a session of these plugins. @returns what it sends */
function prepared(plugins: [name: string, library: string, options?: Options][], clients = true): FromWorker[] {
  const sent: FromWorker[] = [];
  const setup = {
    plugins: plugins.map(([name, library, options = {}]) => ({ name, library, options })),
    binding: 'now',
    caller: {},
    clients,
    guard: 'none',
  } as unknown as WorkerSetup;
  new Session(setup, (message) => sent.push(message)).prepare();
  return sent;
}

const failure = (plugin: number, stage: string, message: string) => ({
  type: 'facts',
  plugin,
  facts: { failure: { stage, message } },
});
const facts = (plugin: number) => ({ type: 'facts', plugin, facts: { tableBytes: 8 } });

beforeEach(() => {
  log.length = 0;
});

test('plugins are loaded and initialized in order, each once, and then have a client each with their own options', () => {
  expect(
    prepared([
      ['cpu', '/a.so', COUNT],
      ['Tpu', '/b.so'],
    ]).slice(0, 2),
  ).toEqual([facts(0), facts(1)]);
  expect(log).toEqual([
    'load cpu /a.so now',
    'initialize cpu',
    'load Tpu /b.so now',
    'initialize Tpu',
    'client cpu with n',
    'client Tpu with ',
  ]);
});

test('nothing is done after a plugin that does not load or initialize', () => {
  expect(
    prepared([
      ['a', '/missing.so'],
      ['b', '/b.so'],
    ]),
  ).toEqual([failure(0, 'load', 'the plugin cannot be opened')]);
  expect(log).toEqual(['load a /missing.so now']);
  log.length = 0;
  expect(
    prepared([
      ['a', '/faulty.so'],
      ['b', '/b.so'],
    ]),
  ).toEqual([facts(0), failure(0, 'initialize', 'the plugin has no hardware')]);
  expect(log).toEqual(['load a /faulty.so now', 'initialize a']);
});

test('an error of the harness is not a failure of the plugin', () => {
  expect(() => prepared([['a', '/odd.so']])).toThrow(RangeError);
});

test('a plugin that refuses a client does not keep the next one from having one', () => {
  expect(
    prepared([
      ['refusing', '/a.so'],
      ['b', '/b.so'],
    ]),
  ).toContainEqual(failure(0, 'client', 'the plugin is in use'));
  expect(log.slice(-2)).toEqual(['client refusing with ', 'client b with ']);
});

test('clients are created only if cases share them', () => {
  prepared([['a', '/a.so']], false);
  expect(log).toEqual(['load a /a.so now', 'initialize a']);
});
