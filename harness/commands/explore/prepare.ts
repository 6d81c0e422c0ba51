/** What a program lacks that could be run: it, or an argument. Pure. */
import type { Random } from '../fuzz/random.ts';
import type { Settings } from './move.ts';
import { isRunnableOf } from './moves/executions.ts';
import { MOVES } from './moves.ts';
import { PROGRAMS } from './programs.ts';
import { isUsable, sameType, type World } from './world.ts';

/** The move that makes what the program lacks most, and what is drawn for it. */
export function lacking(program: string, world: World, random: Random): { move: string; settings: Settings } {
  const things = [...world.things.values()];
  const executable = things.find((thing) => isRunnableOf(thing, program));
  if (executable?.kind !== 'executable')
    return { move: 'compile', settings: { program, device: random.below(world.devices) } };
  const { device } = executable;
  const { takes } = PROGRAMS[program]!;
  const missing = takes.find((type) => {
    const there = things.filter(
      (thing) => isUsable(thing) && thing.device === device && thing.memory === undefined && sameType(thing.type, type),
    );
    return there.length < takes.filter((one) => sameType(one, type)).length;
  });
  const type = missing ?? random.pick(takes);
  // What is withheld is as good as what is there.
  const move = random.once(3) ? 'withhold' : 'send';
  const drawn = MOVES[move]!.draw!(random, {}, world);
  return { move, settings: { ...drawn, type, device, ...(move === 'withhold' ? { pieces: 1 } : {}) } };
}
