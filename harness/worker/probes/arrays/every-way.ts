import { elementCount, type HostArray } from '../../../knowledge/numerics/array.ts';
import { Arena } from '../../ffi/memory.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import { AbsentError, errorOf } from '../../pjrt/errors.ts';
import { readInt64s } from '../../pjrt/strings.ts';
import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { ifOffered, reportedOrder } from '../../steps/device-format.ts';
import { causeOfAbsence, NotSupported, refusal } from '../../steps/outcome.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { oneOf, optional, probe } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { start } from '../support/sample-run.ts';
import { codeNumber, defaultMemory } from '../support/sending.ts';
import { type Copy, copiesFrom, PLAIN, shapeFields, WAYS_IN } from './ways-in.ts';
import { WAYS_OUT, type WayOut } from './ways-out.ts';

/** The one large dimension, and the small ones around it. */
const LARGE = 300;
const SMALL = [2, 3, 1, 2, 3];

/** Elements of vectors of u8 just below and beyond 2^8 bytes and below 2^16, and of s32, which more devices have, just beyond. */
const SIZES = [255, 258, 65535];
const WORDS = [65, 16385, 262145];

/** Arrays of every rank with one large dimension in each position, and of every size. */
const arrays = (): HostArray[] => [
  hashed('f32', []),
  // Its transpose has the same shape.
  hashed('f32', [5, 5]),
  ...SMALL.flatMap((_, last) => {
    const small = SMALL.slice(0, last + 1);
    return small.map((_, at) => hashed('f32', small.with(at, LARGE), at + 1));
  }),
  ...SIZES.map((size) => hashed('u8', [size], size)),
  ...WORDS.map((size) => hashed('s32', [size], size)),
];

/**
 * Arrays of every rank and size by a way into a buffer and a way out of it: what the buffer reports, and what comes back, is
 * the same whatever the way.
 */
export const everyWay = probe(
  'every-way',
  {
    into: optional(oneOf('host', 'host-mutable', 'pieces', 'literal', 'alias', 'view', 'uninitialized'), 'host'),
    out: optional(oneOf('host', 'raw', 'raw-alias', 'raw-deferred', 'address'), 'host'),
  },
  (context, { into, out }) =>
    eachOffered(
      context,
      WAYS_IN.filter(({ family }) => family === into),
      async ({ name, functions, requirement, make }, array) => {
        const call = functions.at(-1)!;
        const buffer = await offered(name, async () => make(context, array));
        buffer.awaitReady();
        expectDescription(context, buffer, array, call, { device: context.client.firstDevice().pointer });
        await expectContents(context, buffer, array, { name, call, requirement }, out);
      },
    ),
);

/** The same of copies, to another device or to a memory. */
export const everyCopy = probe('every-copy', { to: oneOf('device', 'memory') }, (context, { to }) =>
  eachOffered(
    context,
    copiesFrom(context).filter((copy) => (to === 'device') === (copy.device !== undefined)),
    (copy, array) => expectCopy(context, copy, array),
  ),
);

/** An error buffer of every rank and size has the type and the shape that it was made with. */
export const everyErrorBuffer = probe('every-error-buffer', {}, (context) => {
  const { api, arena, client, scope } = context;
  const call = 'PJRT_Client_CreateErrorBuffer';
  const message = arena.text('on purpose');
  return eachOffered(context, [{ name: 'an error buffer' }], async ({ name }, array) => {
    const fields = {
      ...{ client: client.pointer, memory: defaultMemory(context).pointer, ...shapeFields(context, array) },
      ...{ error_code: codeNumber(context, 'INTERNAL') },
      ...{ error_message: message.address, error_message_size: message.length },
    };
    const buffer = scope.own(
      await offered(name, async () => api.invoke(call, fields, (made) => new Buffer(api, made.word('buffer')))),
    );
    const { dtype, shape } = array;
    if (buffer.elementType() !== dtype.enumValue)
      violated(`${name} has element type ${buffer.elementType()}, expected ${dtype.enumValue}`, call, 'BUF-ERRB-002');
    if (`${buffer.dimensions()}` !== `${shape}`)
      violated(`${name} has dimensions [${buffer.dimensions()}], expected [${shape}]`, call, 'BUF-ERRB-002');
  });
});

/**
 * Makes a check of every way and array. What a plugin refuses says nothing, unless it is all arrays of a rank and a plain
 * transfer takes them. @throws NotSupported if it refuses all
 */
async function eachOffered<T extends { name: string }>(
  context: CaseContext,
  ways: readonly T[],
  check: (way: T, array: HostArray) => Promise<void>,
): Promise<void> {
  let [done, lacks] = [0, new NotSupported('there is no other place')];
  for (const way of ways) {
    const taken = new Set<number>();
    const refused = new Map<number, [HostArray, NotSupported]>();
    for (const array of arrays()) {
      const missing = await apart(context, `${way.name} of ${shown(array)}`, () => check(way, array));
      const rank = array.shape.length;
      if (!missing) taken.add(rank);
      else if (missing.cause && !refused.has(rank)) refused.set(rank, [array, missing]);
      if (missing) lacks = missing;
      else done++;
    }
    for (const [rank, [array, why]] of refused)
      if (taken.size > 0 && !taken.has(rank)) await reportRank(context, way.name, array, why);
  }
  if (done === 0) throw lacks;
}

/** A rank that one way refuses and a plain transfer takes. */
async function reportRank(context: CaseContext, way: string, array: HostArray, why: NotSupported): Promise<void> {
  const usual = async (): Promise<void> => {
    await offered('a transfer', async () => PLAIN.make(context, array));
  };
  if (await apart(context, `a transfer of ${shown(array)}`, usual)) return;
  context.report({
    type: 'pjrt.AssertionFailed',
    level: 'should',
    message: `${way} is refused for arrays of rank ${array.shape.length}, such as ${shown(array)}, and not for those of other ranks`,
    detail: why.message,
    requirements: ['BUF-RANK-001'],
  });
}

const shown = ({ dtype, shape }: HostArray): string => `${dtype.name}[${shape.join(',')}]`;

/** Does what a plugin may refuse; what follows it may not. @throws NotSupported if it does */
async function offered<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw refusal(error, what);
  }
}

/** Runs something with names, objects and memory of its own. @returns why it could not be done */
async function apart(context: CaseContext, label: string, run: () => Promise<void>): Promise<NotSupported | undefined> {
  let missing: NotSupported | undefined;
  const settled = async (): Promise<void> => {
    try {
      await run();
    } catch (error) {
      const why = error instanceof AbsentError ? new NotSupported(error.message, causeOfAbsence(error)) : error;
      if (!(why instanceof NotSupported)) throw error;
      missing = why;
    }
  };
  await context.iteration(label, false, settled, new Arena({ guardsInputs: true }));
  return missing;
}

/** What is asked of any buffer, whatever made it. */
function expectDescription(
  context: CaseContext,
  buffer: Buffer,
  { shape, dtype }: HostArray,
  made: string,
  place: { device?: bigint; memory?: bigint },
): void {
  const { api } = context;
  const wrong = (call: string, requirement: string, said: unknown, expected: unknown): never =>
    violated(`${call} says ${said} of a buffer that ${made} made, expected ${expected}`, call, requirement);
  const list = (call: string, field: string, count: string): number[] | undefined =>
    ifOffered(() => api.invoke(call, { buffer: buffer.pointer }, (c) => readInt64s(c.word(field), c.size(count))));
  const dims = `[${shape}]`;
  if (buffer.elementType() !== dtype.enumValue)
    wrong('PJRT_Buffer_ElementType', 'BUF-META-001', buffer.elementType(), dtype.enumValue);
  if (`[${buffer.dimensions()}]` !== dims)
    wrong('PJRT_Buffer_Dimensions', 'BUF-META-002', `[${buffer.dimensions()}]`, dims);
  const unpadded = list('PJRT_Buffer_UnpaddedDimensions', 'unpadded_dims', 'num_dims');
  if (unpadded && `[${unpadded}]` !== dims)
    wrong('PJRT_Buffer_UnpaddedDimensions', 'BUF-META-003', `[${unpadded}]`, dims);
  const dynamic = ifOffered(() =>
    api.invoke('PJRT_Buffer_DynamicDimensionIndices', { buffer: buffer.pointer }, (c) => c.size('num_dynamic_dims')),
  );
  if (dynamic) wrong('PJRT_Buffer_DynamicDimensionIndices', 'BUF-META-004', dynamic, 0);
  ifOffered(() => reportedOrder(context, buffer, shape.length));
  const least = Math.ceil((elementCount(shape) * dtype.bits) / 8);
  const size = ifOffered(() => buffer.onDeviceSize());
  if (size !== undefined && size < least)
    wrong('PJRT_Buffer_OnDeviceSizeInBytes', 'BUF-META-007', size, `at least ${least}`);
  if (buffer.isDeleted()) wrong('PJRT_Buffer_IsDeleted', 'BUF-DEL-005', 'true', 'false');
  if (place.device !== undefined && buffer.device() !== place.device)
    wrong('PJRT_Buffer_Device', 'BUF-META-008', 'another device', 'its own');
  const memory = place.memory === undefined ? undefined : ifOffered(() => buffer.memory());
  if (memory !== undefined && memory !== place.memory)
    wrong('PJRT_Buffer_Memory', 'BUF-META-009', 'another memory', 'its own');
}

interface Maker {
  name: string;
  call: string;
  requirement: string;
}

/** What comes out is the doing of what made the buffer if it is read in the usual way, else of the way out. */
async function expectContents(
  context: CaseContext,
  buffer: Buffer,
  array: HostArray,
  maker: Maker,
  out: WayOut['family'],
): Promise<void> {
  let [read, lacks] = [0, new NotSupported(`${array.dtype.name} cannot be read so`)];
  for (const way of WAYS_OUT.filter(({ family }) => family === out)) {
    const { call, requirement } =
      out === 'host' ? maker : { ...way, call: way.functions[0].replace(/^RawBuffer\./, '') };
    const reading = async (): Promise<HostArray> => way.read(context, buffer, array);
    try {
      const got = await (out === 'host' ? reading() : offered(way.name, reading));
      same(`what ${maker.name} made, read by ${way.name},`, array, got, call, requirement);
      read++;
    } catch (error) {
      if (out === 'host' || !(error instanceof NotSupported)) throw error;
      lacks = error;
    }
  }
  if (read === 0) throw lacks;
}

/** A copy that is ready: its refusal may come late. @throws NotSupported if it is refused */
const copied = ({ scope }: CaseContext, copy: Copy, source: Buffer): Promise<Buffer> =>
  offered(copy.name, async () => {
    const made = scope.own(copy.make(source));
    made.awaitReady();
    return made;
  });

/** A copy is what its source is, in its place; the source stays, or may go at once. */
async function expectCopy(context: CaseContext, copy: Copy, array: HostArray): Promise<void> {
  const { scope } = context;
  const source = scope.own(PLAIN.make(context, array) as Buffer);
  const other = await copied(context, copy, source);
  expectDescription(context, other, array, copy.call, copy);
  await expectContents(context, other, array, copy, 'host');
  expectDescription(context, source, array, PLAIN.functions[0], { device: context.client.firstDevice().pointer });
  same(`the source of ${copy.name}`, array, fetchArray(context, source), copy.call, copy.requirement);
  const early = scope.own(copy.make(source));
  source.destroy();
  same(`${copy.name} whose source was destroyed at once`, array, fetchArray(context, early), copy.call, 'BUF-CPY-005');
  other.destroy();
  same(`${copy.name} after another one was destroyed`, array, fetchArray(context, early), copy.call, copy.requirement);
}

const DONOR = 'donation/donor';
const FOUR = [4];

/**
 * One of two copies of every kind, or their source, is donated to a program, deleted or destroyed: the others keep their contents.
 * They may share memory only as long as nobody can tell.
 */
export const copiesApart = probe('copies-apart', {}, async (context) => {
  const { client } = context;
  // A program runs where its device is.
  const home = client.firstDevice().pointer;
  const donors = new Map([[home, compileProgram(context, DONOR)]]);
  for (const { device } of copiesFrom(context)) {
    const place = client.addressableDevices().find(({ pointer }) => pointer === device);
    if (place && !donors.has(place.pointer))
      donors.set(place.pointer, compileProgram(context, DONOR, { device_assignment: [place.id()] }));
  }
  const take = (buffer: Buffer): void =>
    void start(context, donors.get(buffer.device())!, [[buffer]]).events.map((event) => event.await());
  const ends: Readonly<Record<string, (buffer: Buffer) => void>> = {
    donated: take,
    deleted: (buffer) => buffer.delete(),
    destroyed: (buffer) => buffer.destroy(),
  };
  let seed = 1;
  for (const copy of copiesFrom(context))
    for (const [how, end] of Object.entries(ends))
      for (const which of ['copy', 'source'] as const)
        await apart(context, `${copy.name}, the ${which} ${how}`, async () => {
          const array = hashed('f32', FOUR, seed++);
          const source = context.scope.own(PLAIN.make(context, array) as Buffer);
          const made = await copied(context, copy, source);
          const other = await copied(context, copy, source);
          const ended = which === 'copy' ? made : source;
          // A program takes what lies in the memory of its arguments.
          const isTaken = copy.device !== undefined || copy.memory === ifOffered(() => defaultMemory(context).pointer);
          if (how === 'donated' && which === 'copy' && !isTaken) return;
          end(ended);
          const kept: [string, Buffer][] = [
            which === 'copy' ? [`the source of ${copy.name}`, source] : [copy.name, made],
            [`${copy.name}, one of two`, other],
          ];
          for (const [whose, buffer] of kept) {
            const what = `${whose}, after ${which === 'copy' ? 'a copy' : 'the source'} was ${how},`;
            let read: HostArray | undefined;
            const error = errorOf(() => {
              read = fetchArray(context, buffer);
            });
            if (error) violated(`${what} can no longer be read: ${error.message}`, copy.call, copy.requirement);
            same(what, array, read!, copy.call, copy.requirement);
          }
        });
});
