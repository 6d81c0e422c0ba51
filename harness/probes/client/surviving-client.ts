import { Client } from '../../pjrt/client.ts';
import type { Probe } from '../../steps/steps.ts';
import { choice, compileFor, doWork, runAddOne, unlessUnimplemented } from './support.ts';

/** Of two clients one is destroyed; the other keeps its devices, its executables and its buffers, and works on. */
export const survivingClient: Probe = (context, options) => {
  const which = choice(options, 'destroy', ['first', 'second']);
  const { setup } = context.seats[0]!;
  const create = () => context.scope.own(Client.create(context.api, context.arena, setup.options));
  const first = create();
  const second = create();
  const [doomed, survivor] = which === 'first' ? [first, second] : [second, first];
  doWork(context, doomed);
  unlessUnimplemented(() => {
    const executable = context.scope.own(compileFor(context, survivor, 'misc/add_one'));
    runAddOne(context, survivor, executable, 1);
    doomed.destroy();
    runAddOne(context, survivor, executable, 2);
  });
  doomed.destroy();
  doWork(context, survivor);
};
