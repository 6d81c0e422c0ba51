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
  readonly #named = new Map<string, { name: string; fired: number }>();

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  /** A call whose arguments are ready, for a callback to make. @param at their address, hexadecimal */
  prepared(at: string, call: Made): void {
    this.#prepared.set(at, call);
  }

  declare({ at, calls, beyond }: CallbackLine): void {
    const draft = this.#draft;
    const name = `callback_${this.#named.size}`;
    if (beyond !== undefined) draft.unwritable.set(BigInt(`0x${at}`), beyond);
    this.#named.set(at, { name, fired: 0 });
    draft.declarations.push(`CALLBACK(${name})`);
    draft.origins.placed(BigInt(`0x${at}`), 1, `(uintptr_t)${name}_function`);
    calls.forEach((args, i) => {
      const made = this.#prepared.get(args);
      if (!made) {
        draft.goesBeyond('a callback makes a call that was not recorded');
        return;
      }
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
    draft.say(`wait_for(&${callback.name}, ${callback.fired});`);
    if (index >= KEPT) return;
    given.forEach((word, i) => {
      const address = BigInt(`0x${word}`);
      if (!draft.isOwn(address))
        draft.origins.answered(address, `(void *)${callback.name}.given[${index}][${i}]`, -3, true);
    });
  }
}
