/** Functions of the caller that the plugin calls. */
import type { CallbackLine, FiringLine } from '../../model/call-recording.ts';
import type { Draft } from './draft.ts';
import type { Made } from './judgement.ts';

/** Calls of one callback whose arguments a program keeps (`struct callback` in support.c). */
const KEPT = 64;

/** The callbacks of a recording, by their addresses. */
export class Callbacks {
  readonly #draft: Draft;
  readonly #prepared = new Map<string, Made>();
  readonly #named = new Map<string, { name: string; fired: number; inLoop: boolean; makes: string[] }>();

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  /** A call whose arguments are ready, for a callback to make. @param at their address, hexadecimal */
  prepared(at: string, call: Made): void {
    this.#prepared.set(at, call);
  }

  declare({ at, calls, beyond }: CallbackLine): void {
    const draft = this.#draft;
    const name = `callback_${draft.declarations.length}`;
    if (beyond !== undefined) draft.unwritable.set(BigInt(`0x${at}`), beyond);
    const makes: string[] = [];
    this.#named.set(at, { name, fired: 0, inLoop: draft.inLoop, makes });
    if (draft.inLoop) draft.say(`${name}.count = 0;`);
    draft.declarations.push(`CALLBACK(${name})`);
    draft.origins.placed(BigInt(`0x${at}`), 1, `(uintptr_t)${name}_function`);
    calls.forEach((args, i) => {
      const made = this.#prepared.get(args);
      if (!made) {
        draft.goesBeyond('a callback makes a call that was not recorded');
        return;
      }
      makes.push(made.name);
      draft.say(
        `PUT(${name}.call[${i}].function, ${draft.functionOf(made.name)});`,
        `${name}.call[${i}].args = ${made.args};`,
        `${name}.calls = ${i + 1};`,
      );
    });
  }

  /** A callback was called: the program waits for that, and what it was called with is known. */
  fired({ at, arguments: given }: FiringLine): void {
    const draft = this.#draft;
    const callback = this.#named.get(at)!;
    const index = callback.fired++;
    if (!draft.inCase) return;
    if (draft.inLoop && !callback.inLoop) draft.goesBeyond('a callback that is called in each of many rounds');
    draft.say(`wait_for(&${callback.name}, ${callback.fired});`);
    if (index >= KEPT) return;
    given.forEach((word, i) => {
      const address = BigInt(`0x${word}`);
      if (!draft.isOwn(address))
        draft.origins.answered(address, `(void *)${callback.name}.given[${index}][${i}]`, -3, true);
    });
  }

  /** Of a case that has not come to its end, a callback may not have come back: the program waits for it. @returns what it calls */
  awaitInside(): string | undefined {
    const one = [...this.#named.values()].find(({ fired, makes }) => fired === 0 && makes.length > 0);
    if (one) this.#draft.say(`wait_for(&${one.name}, 1);`);
    return one?.makes[0];
  }
}
