import { Client } from '../../pjrt/client.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, checkAddOne, doWork, option, unlessUnimplemented } from './support.ts';

/** Creates, uses and destroys a client several times in a row; each is like the first. */
export const clientCycles: Probe = (context, options) => {
  const rounds = option(options, 'rounds', 5);
  const use = option(options, 'use', true);
  const { setup } = context.seats[0]!;
  let first: string | undefined;
  for (let i = 0; i < rounds; i++) {
    const client = context.scope.own(Client.create(context.api, context.arena, setup.options));
    const devices = client.devices().map((d) => `${d.id()}`);
    const facts = `platform ${client.platformName()}, device ids ${devices.join(' ')}`;
    first ??= facts;
    if (facts !== first)
      broken(`client ${i + 1} in a row differs from the first one`, 'PJRT_Client_Create', 'CLI-CRE-007', {
        detail: `first: ${first}\nnow:   ${facts}`,
      });
    if (use) {
      doWork(context, client, i + 1);
      unlessUnimplemented(() => checkAddOne(context, client, i + 1));
    }
    client.destroy();
  }
};
