/** Recorded calls as statements of C. */
import { type Abi, type Field, isDestroyer, kindsOf, type StructLayout } from '../../knowledge/abi/index.ts';
import type {
  CallLine,
  ComparisonLine,
  FindingLine,
  FunctionLine,
  GrowthLine,
  LeaveLine,
  RecordedLine,
} from '../../model/call-recording.ts';
import { Answers } from './answers.ts';
import { Blocks } from './blocks.ts';
import { cArray, cString } from './c-literals.ts';
import { Callbacks } from './callbacks.ts';
import { comparisonsOf } from './comparisons.ts';
import { Draft, type Support } from './draft.ts';
import { ErrorTables } from './error-tables.ts';
import { Growth } from './growth.ts';
import { type Judged, judgement, type Made } from './judgement.ts';
import { isNumber, setMembers, structOf, unionMember } from './members.ts';
import { bytesOf, viewOf, wordsOf } from './recorded-bytes.ts';

/** What a program is made of. */
export interface Translation {
  /** Callbacks and tables, before `main`. */
  declarations: readonly string[];
  statements: readonly string[];
  /** Files beside the program. */
  data: ReadonlyMap<string, Uint8Array>;
  /** Calls that it makes. */
  calls: number;
  /** What of the support it needs beyond the common part. */
  needs: ReadonlySet<Support>;
  /** Why the program is not what the case does. */
  beyond: readonly string[];
  /** By what it fails as the case did. */
  judged: Judged['by'] | undefined;
  /** The last call, if it did not return. */
  unfinished: string | undefined;
}

/**
 * Translates a recording twice: the second time without the questions outside the case whose answers nothing uses.
 * @param finding the one that the program is to show
 */
export function translate(lines: readonly RecordedLine[], abi: Abi, finding: FindingLine | undefined): Translation {
  const whole = new Translator(lines, abi, finding, new Set());
  whole.run();
  return new Translator(lines, abi, finding, whole.unused()).run();
}

const wordAt = (bytes: Buffer, { offset }: Field): bigint =>
  offset + 8 <= bytes.length ? viewOf(bytes).getBigUint64(offset, true) : 0n;

class Translator {
  readonly #lines: readonly RecordedLine[];
  readonly #finding: FindingLine | undefined;
  readonly #dropped: ReadonlySet<number>;
  readonly #left: ReadonlyMap<number, LeaveLine>;
  readonly #comparisons: ReadonlyMap<number, readonly ComparisonLine[]>;
  readonly #draft: Draft;
  readonly #blocks: Blocks;
  readonly #callbacks: Callbacks;
  readonly #answers: Answers;
  readonly #growth: Growth;
  readonly #tables: ErrorTables;
  readonly #calls = new Map<number, Made>();
  /** Calls that run on other threads. */
  readonly #threads = new Set<number>();
  /** The variables with the arrays that comparisons are about. */
  readonly #compared = new Map<ComparisonLine, string>();
  /** Calls so far that the program makes. */
  #number = 0;
  #judged: Judged['by'] | undefined;
  #unfinished: string | undefined;

  constructor(
    lines: readonly RecordedLine[],
    abi: Abi,
    finding: FindingLine | undefined,
    dropped: ReadonlySet<number>,
  ) {
    this.#lines = lines;
    this.#finding = finding;
    this.#dropped = dropped;
    this.#left = new Map(lines.flatMap((line) => (line.k === 'leave' ? [[line.n, line]] : [])));
    this.#comparisons = comparisonsOf(lines);
    this.#draft = new Draft(abi);
    this.#blocks = new Blocks(this.#draft);
    this.#callbacks = new Callbacks(this.#draft);
    this.#answers = new Answers(lines, finding, this.#left);
    this.#growth = new Growth(this.#draft);
    this.#tables = new ErrorTables(this.#draft);
  }

  run(): Translation {
    for (const [at, line] of this.#lines.entries()) {
      if (line.k === 'block') this.#blocks.add(line);
      else if (line.k === 'case') this.#edge(line.edge);
      else if (line.k === 'call') this.#call(line, at);
      else if (line.k === 'leave') this.#leave(line);
      else if (line.k === 'plugin') this.#loaded(line);
      else if (line.k === 'taken') this.#taken(line.id, at);
      else if (line.k === 'function') this.#function(line);
      else if (line.k === 'round') this.#growth.round();
      else if (line.k === 'growth') this.#grown(line);
      else if (line.k === 'table') this.#tables.add(line);
      else if (line.k === 'callback') this.#callbacks.declare(line);
      else if (line.k === 'firing') this.#callbacks.fired(line);
      else if (line.k === 'expects') this.#answers.expects(line);
      else if (line.k === 'beyond') this.#draft.goesBeyond(line.what);
      else if (line.k === 'finding' || line.k === 'comparison') this.#judge(line);
      if (this.#judged) break;
    }
    this.#unfinished ??= this.#tables.unfinished;
    // What hangs or dies in a later round does so in the program's.
    if (this.#growth.leave()) this.#unfinished ??= 'a round';
    if (!this.#judged && !this.#lines.some((line) => line.k === 'case' && line.edge === 'end'))
      this.#unfinished ??= this.#callbacks.awaitInside();
    const { declarations, statements, data, needs, beyond } = this.#draft;
    const calls = this.#number;
    return {
      declarations,
      statements,
      data,
      calls,
      needs,
      beyond,
      judged: this.#judged,
      unfinished: this.#unfinished,
    };
  }

  /** Questions outside the case whose answers no other call needs. */
  unused(): Set<number> {
    const unused = new Set<number>();
    for (const made of [...this.#calls.values()].reverse()) {
      const needed = [...this.#draft.uses].some(([user, used]) => used.has(made.n) && !unused.has(user));
      if (!made.inCase && !needed && made.isQuestion) unused.add(made.n);
    }
    return unused;
  }

  #loaded({ harmless, tables }: Extract<RecordedLine, { k: 'plugin' }>): void {
    this.#draft.origins.placed(BigInt(`0x${harmless}`), 1, '(uintptr_t)getpid');
    this.#draft.tables = tables;
  }

  #edge(edge: 'begin' | 'end'): void {
    this.#draft.inCase = edge === 'begin';
    this.#draft.say('', edge === 'begin' ? '/* The case. */' : '/* Its end. */');
  }

  #call(line: CallLine, at: number): void {
    const draft = this.#draft;
    const layout = draft.argsOf(line.name);
    if (!layout) {
      draft.goesBeyond(`${line.name}, whose arguments no header of the table has`);
      this.#blocks.forget();
      return;
    }
    const left = this.#left.get(line.n);
    const bytes = bytesOf(line.bytes);
    const isDropped = this.#dropped.has(line.n);
    if (!isDropped) this.#number++;
    const kinds = kindsOf(layout);
    const made: Made = {
      n: line.n,
      name: line.name,
      layout,
      number: this.#number,
      args: `a${this.#number}`,
      inCase: draft.inCase,
      isAmbiguous: layout.subject !== undefined && draft.origins.isShared(wordAt(bytes, layout.subject)),
      isQuestion: kinds.has('query') && !kinds.has('creator') && left?.answer === '0',
      left,
      before: bytes,
      outputs: this.#priorOrigins(line, layout, left),
    };
    this.#calls.set(line.n, made);
    if (isDropped) {
      this.#blocks.forget();
      return;
    }
    draft.user = line.n;
    if (line.where !== 'inside') draft.say('');
    this.#blocks.declare(layout, bytes, made.number);
    this.#fillArguments(made, bytes);
    if (line.where === 'inside') {
      draft.origins.placed(BigInt(`0x${line.at}`), 1, made.args);
      this.#callbacks.prepared(line.at, made);
    } else this.#make(line, made, at);
  }

  #fillArguments({ layout, args, name }: Made, bytes: Buffer): void {
    const room =
      bytes.length === layout.size ? `ARGS(${layout.name})` : `room(${bytes.length}, PAGE - ${bytes.length})`;
    this.#draft.say(`${layout.name} *${args} = ${room};`);
    setMembers(this.#draft, layout, bytes, `${args}->`, name);
    const rest = bytes.subarray(layout.size);
    if (rest.some((byte) => byte !== 0))
      this.#draft.say(`memcpy((char *)${args} + ${layout.size}, ${cArray(rest, 'uint8_t')}, ${rest.length});`);
  }

  /** The call itself: on another thread if others begin before it has returned. */
  #make(line: CallLine, made: Made, at: number): void {
    const { n, name, number, args } = made;
    const draft = this.#draft;
    const returnsNothing = draft.returnsNothing(name);
    const call = `${draft.functionOf(name)}(${args})`;
    draft.say(`begin(${number}, ${cString(name)});`);
    if (!made.left) this.#unfinished = name;
    const next = this.#lines.find(({ k }, i) => i > at && (k === 'call' || k === 'leave'));
    const isAlone = !made.left || (next?.k === 'leave' && next.n === n);
    if (line.where === 'elsewhere' && !isAlone && !returnsNothing) {
      const thread = `thread_${number}`;
      draft.say(
        `struct elsewhere ${thread} = {.args = ${args}};`,
        `PUT(${thread}.function, ${draft.functionOf(name)});`,
        `start(&${thread});`,
      );
      this.#threads.add(n);
    } else if (!made.left || returnsNothing) draft.say(`${call};`, 'alarm(0);');
    else this.#answer(made, call);
  }

  #answer(made: Made, answer: string): void {
    const { statements, shows } = this.#answers.judged(made, answer);
    this.#draft.say(...statements);
    if (shows) this.#judged = 'answer';
  }

  #leave(left: LeaveLine): void {
    const made = this.#calls.get(left.n);
    if (!made || this.#dropped.has(left.n)) return;
    const { origins } = this.#draft;
    const { layout, args, n, number } = made;
    if (this.#threads.delete(n)) this.#answer(made, `finish(&thread_${number})`);
    if (left.answer !== '0') {
      origins.answered(BigInt(`0x${left.answer}`), `error_${number}`, n, true);
      return;
    }
    if (isDestroyer(made.name) && layout.subject)
      origins.ended(wordAt(made.before, layout.subject), made.name === 'PJRT_Client_Destroy');
    this.#noteAnswers(layout, bytesOf(left.bytes), made.before, `${args}->`, left);
    this.#blocks.changed(left.blocks, n);
  }

  /** What addresses the outputs of a call, or of a struct among them, have. @param prefix what stands before their names */
  #noteAnswers(layout: StructLayout, bytes: Buffer, before: Buffer, prefix: string, left: LeaveLine): void {
    const { origins } = this.#draft;
    for (const field of layout.fields) {
      if (field.union && field !== unionMember(layout, bytes)) continue;
      const own = bytes.subarray(field.offset, field.offset + field.size);
      const given = before.subarray(field.offset, field.offset + field.size);
      const nested = field.depth === 0 ? structOf(this.#draft, field.type) : undefined;
      if (nested && !own.equals(given)) this.#noteAnswers(nested, own, given, `${prefix}${field.name}.`, left);
      // The header does not mark every output as one.
      if (own.length !== 8 || isNumber(field.type) || field.given || (!field.out && own.equals(given))) continue;
      const address = viewOf(own).getBigUint64(0, true);
      const isFunction = field.depth === 0;
      const isNew = isFunction || field.destroy !== undefined || field.deleter !== undefined;
      const text = `${isFunction ? '(uintptr_t)' : ''}${prefix}${field.name}`;
      const isOwned = field.out && field.depth === 1 && field.destroy !== undefined && address !== 0n;
      if (this.#draft.isOwn(address)) continue;
      if (isOwned) origins.gave(address, text, left.n);
      else origins.answered(address, text, left.n, isNew);
      if (field.depth < 2 || left.memory[field.name] === undefined) continue;
      wordsOf(bytesOf(left.memory[field.name]!)).forEach((word, i) => {
        origins.answered(word, `(void *)${prefix}${field.name}[${i}]`, left.n, isNew);
      });
    }
  }

  /** Outputs whose addresses the program has from earlier calls, also those in lists. */
  #priorOrigins({ n, name: fn }: CallLine, layout: StructLayout, left: LeaveLine | undefined): Map<string, string> {
    const prior = new Map<string, string>();
    if (!left) return prior;
    const isBlamed = [this.#finding?.call, ...(this.#finding?.calls ?? [])].includes(fn);
    const note = (name: string, address: bigint): void => {
      if (address === 0n) prior.set(name, '0');
      const origin = this.#draft.origins.of(address);
      if (origin) prior.set(name, origin.text);
      if (isBlamed) this.#draft.used(origin?.call, n);
    };
    const view = viewOf(bytesOf(left.bytes));
    for (const { name, depth, size, offset } of layout.outputs) {
      const list = depth > 1 ? left.memory[name] : undefined;
      const address = depth === 1 && size === 8 ? view.getBigUint64(offset, true) : 0n;
      if (address !== 0n) note(name, address);
      for (const [i, word] of wordsOf(bytesOf(list ?? '')).entries()) note(`${name}[${i}]`, word);
    }
    return prior;
  }

  /** A function that the plugin has returned, such as a deleter. */
  #function({ name, at, arguments: [object = '0'] }: FunctionLine): void {
    const draft = this.#draft;
    draft.user = -2;
    const address = (text: string): string => {
      const word = BigInt(`0x${text}`);
      if (!draft.origins.of(word)) draft.goesBeyond(`${name} has an address that no recorded call has given`);
      return draft.address(word);
    };
    draft.say(
      `begin(0, ${cString(name)});`,
      `((void (*)(void *))${address(at)})((void *)${address(object)});`,
      'alarm(0);',
    );
  }

  /** Memory that was read, if a comparison is about it: it may be used again before that. */
  #taken(id: number, at: number): void {
    const block = this.#blocks.of(id);
    const compared = this.#comparisons.get(at);
    if (!block || !compared) return;
    const name = `taken_${at}`;
    this.#draft.say(`void *${name} = memcpy(room(${block.size}, 0), ${block.name}, ${block.size});`, `(void)${name};`);
    for (const line of compared) this.#compared.set(line, name);
  }

  #grown(line: GrowthLine): void {
    if (line.edge === 'begin') this.#growth.begin(line);
    else if (this.#growth.leave()) {
      const isShown = line.what !== undefined && this.#finding?.message.startsWith(line.what);
      this.#growth.judge(isShown ? this.#finding!.message : 'it grows in each phase');
      if (isShown) this.#judged = 'growth';
    }
  }

  #judge(line: FindingLine | ComparisonLine): void {
    if (line.k === 'finding' && line !== this.#finding) return;
    const taken = line.k === 'comparison' ? this.#compared.get(line) : undefined;
    const made = [...this.#calls.values()].filter(({ n }) => !this.#dropped.has(n));
    const errors = this.#tables.conditions;
    const { tables } = this.#draft;
    const known = {
      calls: made,
      errors,
      tables,
      blockOf: (id: number, bytes: Buffer) => this.#blocks.arrayOf(id, bytes),
    };
    const judged = judgement(line, taken, this.#finding, known);
    if (!judged) return;
    if (judged.needs) this.#draft.needs.add(judged.needs);
    this.#draft.say('', ...judged.statements);
    // What holds is checked too: the program is a test of its own.
    const isShown = line.k === 'finding' || (!line.ok && this.#finding?.type === 'pjrt.NumericMismatch');
    if (isShown) this.#judged = judged.by;
  }
}
