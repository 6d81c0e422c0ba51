import { expect, test } from 'vitest';
import { Abi, type Field, NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import { answered } from './origin.ts';
import { runSample } from './run-sample.test-helper.ts';

test('a failure names the answers that it is about, with the names of their values', async () => {
  const type = {
    ...{ name: 'type', type: 'PJRT_Buffer_Type', base: 'PJRT_Buffer_Type', depth: 0, offset: 24 },
    size: 4,
  };
  const asked = answered('PJRT_Client_AddressableDevices', 'devices');
  const failing = (body: string) =>
    runSample(`steps: [${body}]`, {}, (context) => {
      const { api } = context.plugin;
      Object.assign(api, { pluginAbi: Abi.at(NEWEST_MINOR), abi: Abi.at(NEWEST_MINOR) });
      context.bind('plugins', 11, [answered('PJRT_Buffer_ElementType', 'type', type as unknown as Field, asked)]);
      context.bind('plugin', 4, [answered('PJRT_Client_ProcessIndex', 'process_index', type as unknown as Field)]);
    });
  await expect(failing('expect: {actual: $plugins, equals: 4}')).rejects.toMatchObject({
    finding: {
      message: 'type of PJRT_Buffer_ElementType is F32, expected S32',
      call: 'PJRT_Buffer_ElementType',
      detail: 'asked of what PJRT_Client_AddressableDevices returned',
    },
  });
  await expect(failing('expect: {actual: $plugins, equals: $plugin}')).rejects.toMatchObject({
    finding: {
      message: 'type of PJRT_Buffer_ElementType is F32, expected S32 (process_index of PJRT_Client_ProcessIndex)',
      calls: ['PJRT_Buffer_ElementType', 'PJRT_Client_ProcessIndex'],
    },
  });
});
