/** Programs on two devices at once. */
import type { RawStep } from '../../../suite/raw.ts';
import type { Move } from '../move.ts';
import { onesData, onesName, SPREAD, VECTOR } from '../programs.ts';
import { asData, bufferOf, contentsOf } from '../things.ts';
import { type BufferThing, isFree, isReady, type SpreadThing, sameType, type Thing } from '../world.ts';
import { deviceId } from './executions.ts';
import { freshData } from './transfers.ts';

const DEVICES = [0, 1];

const isSpread = (thing: Thing): thing is SpreadThing => thing.kind === 'spread' && thing.state === 'live';

/** What is withheld on one device may keep the others waiting, so arguments are ready. */
const isArgument =
  (on: number) =>
  (thing: Thing, { spread }: Readonly<Record<string, Thing>>): boolean =>
    isReady(thing) &&
    thing.contents !== undefined &&
    thing.memory === undefined &&
    thing.device === on &&
    sameType(thing.type, VECTOR) &&
    (!SPREAD[(spread as SpreadThing).program]!.donates || (isFree(thing) && !thing.borrows));

const each = <T>(make: (device: number) => T): T[] => DEVICES.map(make);

export const SPREADING: Readonly<Record<string, Move>> = {
  // With an argument for each device: seldom are both there by chance.
  spread: {
    weight: 1.5,
    when: ({ devices }) => devices > 1,
    draw: (random) => ({ program: random.pick(Object.keys(SPREAD)), seed: random.below(1e6) }),
    distinguishes: ['program'],
    play: ({ world, id, settings }) => {
      const { program, seed } = settings as { program: string; seed: number };
      world.things.set(id, { kind: 'spread', id, program, state: 'live' });
      const asks = (what: string, expect: object, breaks: string): RawStep => ({
        call: `PJRT_LoadedExecutable_${what}`,
        with: { executable: `$${id}` },
        expect,
        breaks: [breaks],
      });
      const are = { addressable_devices: { equals: each((on) => `$devices[${on}]`) } };
      const logical = { addressable_device_logical_ids: { equals: each((replica) => ({ replica, partition: 0 })) } };
      return [
        ...DEVICES.flatMap((on) => deviceId(world, on)),
        {
          compile: {
            as: id,
            program,
            options: { num_replicas: DEVICES.length, device_assignment: each((on) => `$device${on}`) },
          },
          refusable: 'programs for several devices',
          breaks: ['RUN-MUL-001'],
        },
        asks('AddressableDevices', are, 'LEX-DEV-001'),
        { 'if-offered': [asks('AddressableDeviceLogicalIds', logical, 'LEX-LOG-001')] },
        ...DEVICES.flatMap((device) => {
          const { id: as, contents } = bufferOf(world, `${id}_x${device}`, {
            type: VECTOR,
            device,
            contents: contentsOf(`${id}_x${device}`),
          });
          return [
            asData(world, contents!, freshData(VECTOR, seed + device)),
            { put: { as, data: `$${contents}`, on: `$devices[${device}]` }, breaks: ['BUF-HOST-002'] },
          ];
        }),
      ];
    },
  },
  'run-spread': {
    weight: 3,
    needs: { spread: isSpread, a: isArgument(0), b: isArgument(1) },
    play: ({ world, id, things }) => {
      const { id: executable, program } = things.spread as SpreadThing;
      const { gives, is, donates } = SPREAD[program]!;
      const args = [things.a, things.b] as BufferThing[];
      const steps: RawStep[] = [];
      const ones = onesName(VECTOR);
      if (!world.data.has(ones)) steps.push(asData(world, ones, onesData(VECTOR)));
      for (const device of DEVICES) {
        const contents = `${id}_${device}_is`;
        steps.push(
          asData(
            world,
            contents,
            is(
              args.map((arg) => arg.contents!),
              device,
            ),
          ),
        );
        bufferOf(world, `${id}_out[${device}]`, { type: gives, device, contents, made: 'RUN-MUL-001' });
      }
      if (donates) for (const arg of args) arg.state = 'spent';
      return [
        ...steps,
        {
          execute: { executable: `$${executable}`, lists: args.map((arg) => [`$${arg.id}`]), as: [`${id}_out`] },
          breaks: ['RUN-MUL-001'],
        },
      ];
    },
  },
  'destroy-spread': {
    weight: 0.5,
    needs: { spread: isSpread },
    play: ({ things }) => {
      (things.spread as SpreadThing).state = 'gone';
      return [{ destroy: `$${things.spread!.id}`, breaks: ['LEX-DST-002'] }];
    },
  },
};
