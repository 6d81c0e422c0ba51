import { isDeepStrictEqual } from 'node:util';
import type { ValueType } from '../knowledge/abi/value-type.ts';
import type { NameType } from './field-values.ts';
import { looksLikeReference, referenceName } from './parameters.ts';
import { nestedSteps, type RawStep, verbsOf } from './raw.ts';
import { boundNames, namesWithin } from './references.ts';
import { bufferOf, EXECUTABLE } from './run-step.ts';
import type { Vocabulary } from './vocabulary.ts';

const object = (of: string): ValueType => ({ kind: 'object', of, fields: false, counted: false });
const list = (of: ValueType): ValueType => ({ kind: 'list', of });

/** What the runner binds. */
const RUNNER: Readonly<Record<string, ValueType>> = {
  client: object('PJRT_Client'),
  clients: list(object('PJRT_Client')),
  device: object('PJRT_Device'),
  devices: list(object('PJRT_Device')),
  all_devices: list(object('PJRT_Device')),
  descriptions: list(object('PJRT_DeviceDescription')),
  memory: object('PJRT_Memory'),
  memories: list(object('PJRT_Memory')),
  topology: object('PJRT_TopologyDescription'),
  expected_platform: { kind: 'text' },
};

/** What the names of a case stand for, as far as it is certain before it runs. */
export class NameTypes {
  readonly #types = new Map<string, NameType | undefined>(Object.entries(RUNNER));
  readonly #functions: Vocabulary['functions'];

  /** @param steps of a case, with the values of its parameters */
  constructor(steps: readonly RawStep[], { functions }: Pick<Vocabulary, 'functions'>) {
    this.#functions = functions;
    this.#learn(steps);
  }

  /** What a reference stands for; undefined if that is not known. */
  typeOf(reference: string): NameType | undefined {
    const { name, rest } = referenceName(reference) ?? { name: '', rest: '' };
    const type = this.#types.get(name);
    if (rest === '') return type;
    return type?.kind === 'list' ? type.of : undefined;
  }

  #learn(steps: readonly RawStep[]): void {
    for (const step of steps) {
      for (const { name } of namesWithin(step, [])) this.#bind(name, undefined);
      this.#learn(nestedSteps(step).steps);
      const types = this.#boundBy(step);
      const bound = verbsOf(step)[0] === 'run' ? Object.keys(types) : boundNames(step, []).map(({ name }) => name);
      for (const name of bound) this.#bind(name, types[name]);
    }
  }

  /** What a step binds, as far as it says so itself. */
  #boundBy(step: RawStep): Readonly<Record<string, NameType | undefined>> {
    const verb = verbsOf(step)[0];
    const body = Object(verb === undefined ? undefined : step[verb]) as Record<string, unknown>;
    const own = (type: NameType | undefined): Record<string, NameType | undefined> => ({ [String(body.as)]: type });
    switch (verb) {
      case 'call':
        return this.#boundByCall(step);
      case 'data':
        return own({ kind: 'array' });
      case 'put':
        return own(this.#isOneArray(body.data) && body.pieces === undefined ? object('PJRT_Buffer') : undefined);
      case 'compile':
        return own(object(body.topology === undefined ? 'PJRT_LoadedExecutable' : 'PJRT_Executable'));
      case 'client':
        return own(body.nodes === undefined ? object('PJRT_Client') : list(object('PJRT_Client')));
      case 'execute':
        return Array.isArray(body.as) && body.lists === undefined
          ? Object.fromEntries(body.as.map((name) => [String(name), object('PJRT_Buffer')]))
          : {};
      case 'run':
        return boundByRun(step);
      default:
        return {};
    }
  }

  #boundByCall(step: RawStep): Readonly<Record<string, NameType | undefined>> {
    const fields = this.#functions?.get(String(step.call));
    const room = (field: string): boolean => Object.hasOwn(Object(step.with), field);
    return Object.fromEntries(
      Object.entries(Object(step.as) as Record<string, string>).map(([name, field]) => {
        const type = room(field) ? undefined : fields?.get(field);
        return [name, type && step.each ? list(type) : type];
      }),
    );
  }

  #isOneArray(data: unknown): boolean {
    if (typeof data === 'string' && looksLikeReference(data)) return this.typeOf(data)?.kind === 'array';
    return typeof data === 'object' && data !== null;
  }

  /** Names of loops end with them, and may mean something else in the next. */
  #bind(name: string, type: NameType | undefined): void {
    const known = this.#types.get(name);
    this.#types.set(name, !this.#types.has(name) || isDeepStrictEqual(known, type) ? type : undefined);
  }
}

function boundByRun({ as = EXECUTABLE, with: given, gives }: RawStep): Record<string, NameType> {
  const arrays = [...Object.keys(typeof given === 'string' ? {} : Object(given)), ...Object.keys(Object(gives))];
  return Object.fromEntries([
    [String(as), object('PJRT_LoadedExecutable')],
    ...arrays.flatMap((name) => [
      [name, { kind: 'array' }],
      [bufferOf(name), object('PJRT_Buffer')],
    ]),
  ]);
}
