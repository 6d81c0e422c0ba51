import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PluginInfo, PluginRegistry } from './registry.ts';
import type { Options } from './types.ts';

interface Api {
  name: string;
  initialized: number;
}

/** A minimal working loader, for which every library exists except missing.so. */
const registry = (): { plugins: PluginRegistry<Api, { api: Api; options: Readonly<Options> }>; loads: string[] } => {
  const loads: string[] = [];
  const plugins = new PluginRegistry<Api, { api: Api; options: Readonly<Options> }>({
    load: async (name, library) => {
      loads.push(library);
      if (library.endsWith('missing.so')) throw new Error('cannot open');
      return { name, initialized: 0 };
    },
    initialize: ({ api }: PluginInfo<Api>) => {
      api.initialized += 1;
      if (api.name === 'broken') throw new Error('no hardware');
    },
    createClient: ({ api }, options) => ({ api, options }),
  });
  return { plugins, loads };
};

const int = (value: bigint): Options[string] => ({ kind: 'int64', value });

describe('PluginRegistry', () => {
  it('holds several plugins at once, in loading order', async () => {
    const { plugins } = registry();
    await plugins.load('cpu', '/a/cpu.so');
    await plugins.load('Tpu', '/b/tpu.so', { n: int(1n) });
    expect(plugins.names()).toEqual(['cpu', 'Tpu']);
    expect(plugins.info('TPU')).toMatchObject({
      name: 'Tpu',
      library: resolve('/b/tpu.so'),
      configValues: { n: int(1n) },
    });
  });

  it('rejects a repeated name, ignoring case, with both paths', async () => {
    const { plugins, loads } = registry();
    await plugins.load('cpu', '/a/cpu.so');
    const again = plugins.load('CPU', '/b/cpu.so');
    await expect(again).rejects.toMatchObject({ code: 'plugin-duplicate' });
    await expect(again).rejects.toThrow(/\/a\/cpu\.so is registered as "cpu", \/b\/cpu\.so cannot be/);
    expect(loads).toEqual(['/a/cpu.so']);
  });

  it('rejects the second of two concurrent loads, and frees the name after a failed one', async () => {
    const { plugins } = registry();
    const [one, two] = await Promise.allSettled([plugins.load('x', '/1.so'), plugins.load('x', '/2.so')]);
    expect([one.status, two.status]).toEqual(['fulfilled', 'rejected']);
    await expect(plugins.load('y', '/missing.so')).rejects.toThrow('cannot open');
    expect(plugins.names()).toEqual(['x']);
    await plugins.load('y', '/found.so');
    expect(plugins.names()).toEqual(['x', 'y']);
  });

  it('stores immutable info', async () => {
    const { plugins } = registry();
    const list = [1n];
    const options: Options = { l: { kind: 'int64_list', value: list } };
    const info = await plugins.load('x', '/x.so', options);
    list.push(2n);
    expect(info.configValues).toEqual({ l: { kind: 'int64_list', value: [1n] } });
    expect(() => Object.assign(info, { library: '/y.so' })).toThrow(TypeError);
    expect(() => Object.assign(info.configValues, { m: int(1n) })).toThrow(TypeError);
    expect(Object.isFrozen(info.configValues.l?.value)).toBe(true);
  });

  it('initializes once, however many clients there are', async () => {
    const { plugins } = registry();
    const { api } = await plugins.load('x', '/x.so', { a: int(1n), b: int(1n) });
    expect(api.initialized).toBe(0);
    const [first] = await Promise.all([plugins.createClient('x', { b: int(2n) }), plugins.createClient('X')]);
    await plugins.initialize('x');
    expect(api.initialized).toBe(1);
    expect(first.options).toEqual({ a: int(1n), b: int(2n) });
  });

  it('does not initialize again after a failure', async () => {
    const { plugins } = registry();
    const { api } = await plugins.load('broken', '/x.so');
    await expect(plugins.initialize('broken')).rejects.toThrow('no hardware');
    await expect(plugins.createClient('broken')).rejects.toThrow('no hardware');
    expect(api.initialized).toBe(1);
  });

  it('lists the loaded plugins if a name is unknown', async () => {
    const { plugins } = registry();
    expect(() => plugins.info('x')).toThrow('no plugin "x" is loaded (none is loaded)');
    await plugins.load('libtpu', '/x.so');
    await expect(plugins.createClient('libtpv')).rejects.toThrow('(loaded: libtpu); did you mean "libtpu"?');
  });
});
