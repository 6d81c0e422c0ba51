/** Calls of the functions that an error brings along. */
import type { TableLine } from '../../model/call-recording.ts';
import { cArray, cString } from './c-literals.ts';
import type { Draft } from './draft.ts';

/** The tables of errors. */
export class ErrorTables {
  readonly #draft: Draft;
  /** What they have answered. */
  readonly conditions: string[] = [];
  #calls = 0;
  /** The function that has not returned. */
  unfinished: string | undefined;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  add({ edge, slot, error, code, size, message }: TableLine): void {
    if (edge === 'begin') this.#call(slot, error);
    else this.unfinished = undefined;
    if (edge === 'end' && code !== undefined) this.conditions.push(`code_of_table_${this.#calls} == ${code}`);
    if (size === undefined) return;
    this.conditions.push(`size_of_table_${this.#calls} == ${size}`);
    if (message === undefined) return;
    const bytes = Buffer.from(message, 'base64');
    this.conditions.push(`!memcmp(text_of_table_${this.#calls}, ${cArray(bytes, 'uint8_t')}, ${bytes.length})`);
  }

  #call(slot: TableLine['slot'], error: string): void {
    const draft = this.#draft;
    const number = ++this.#calls;
    const name = `PJRT_Error_FunctionTable.${slot}`;
    const variable = `of_table_${number}`;
    this.unfinished = name;
    draft.user = -2;
    draft.say(
      '',
      `PJRT_Error *error_${variable} = (PJRT_Error *)${draft.address(BigInt(`0x${error}`))};`,
      `begin(0, ${cString(name)});`,
    );
    const call = `error_${variable}->vtable->${slot}(error_${variable}`;
    if (slot === 'message')
      draft.say(
        `const char *text_${variable} = NULL;`,
        `size_t size_${variable} = 0;`,
        `${call}, &text_${variable}, &size_${variable});`,
      );
    else draft.say(`${slot === 'get_code' ? `int code_${variable} = (int)` : ''}${call});`);
    draft.say('alarm(0);');
    if (slot === 'get_code') draft.say(`(void)code_${variable};`);
  }
}
