/** Many equal rounds, of which a recording has two: the first as it was, the second as a loop. */
import type { GrowthLine } from '../../model/call-recording.ts';
import { cString } from './c-literals.ts';
import type { Draft } from './draft.ts';

/** The fields of `struct usage` in growth.c. */
const USED = ['threads', 'descriptors', 'allocated', 'memory', 'addresses'];

/** What is measured over many rounds. */
export class Growth {
  readonly #draft: Draft;
  #line: GrowthLine | undefined;
  #rounds = 0;
  #leaveLoop: (() => void) | undefined;
  #loops = 0;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  begin(line: GrowthLine): void {
    this.#line = line;
    this.#rounds = 0;
  }

  round(): void {
    if (!this.#line || ++this.#rounds !== 2) return;
    const draft = this.#draft;
    const { rounds, phases, limits } = this.#line;
    const most = USED.map((name) => `.${name} = ${limits[name] ?? -1}`).join(', ');
    const name = `usage_${this.#loops++}`;
    draft.needs.add('growth');
    draft.say(
      '',
      `/* A phase for what is made once, and ${phases} in each of which a leak grows. */`,
      `struct usage ${name} = {0}, most_${name} = {${most}};`,
      `bool ${name}_grows = true;`,
      `for (int phase = 0; phase <= ${phases} && ${name}_grows; phase++) {`,
      `  for (int round = 0; round < ${rounds}; round++) {`,
    );
    draft.inLoop = true;
    draft.say('struct pages *rooms = newest;');
    const forget = draft.origins.remember();
    this.#leaveLoop = () => {
      draft.say('leave_rooms(rooms);');
      draft.inLoop = false;
      draft.say(
        '  }',
        `  if (phase == 0) ${name} = usage_now();`,
        `  else ${name}_grows = grows(&${name}, &most_${name});`,
        '}',
      );
      forget();
    };
  }

  /** The last round is over, or there is nothing more. @returns whether there is a loop */
  leave(): boolean {
    const leave = this.#leaveLoop;
    this.#leaveLoop = undefined;
    this.#line = undefined;
    leave?.();
    return leave !== undefined;
  }

  /** The program fails if it grows. */
  judge(message: string): void {
    this.#draft.say(`if (usage_${this.#loops - 1}_grows) fail(${cString(message)});`);
  }
}
