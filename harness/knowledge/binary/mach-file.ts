import { apiInData } from './api-in-data.ts';
import { type ByteSource, type Extent, partOf, TornFileError } from './byte-source.ts';
import { ENTRY_POINT, emptyImage, type Image, type MinimumSystem, partsOf } from './image.ts';
import { MachExports } from './mach-exports.ts';
import { machineName } from './machine.ts';

/** Magic numbers, as a big-endian reader sees them. */
const FAT = 0xcafebabe;
const FAT_WIDE = 0xcafebabf;
const LITTLE_NARROW = 0xcefaedfe;
const LITTLE_WIDE = 0xcffaedfe;
const BIG_WIDE = 0xfeedfacf;
/** A larger number means a Java class file, which has the same magic number. */
const MAX_IMAGES = 20;
/** Real files have some dozens. */
const MAX_COMMANDS = 10_000;

const PLATFORMS: Readonly<Record<number, string>> = {
  1: 'macOS',
  2: 'iOS',
  3: 'tvOS',
  4: 'watchOS',
  5: 'bridgeOS',
  6: 'Mac Catalyst',
  7: 'the simulator of iOS',
  8: 'the simulator of tvOS',
  9: 'the simulator of watchOS',
  10: 'DriverKit',
  11: 'visionOS',
};
/** Commands of before LC_BUILD_VERSION, one for each system. */
const VERSION_MIN: Readonly<Record<number, string>> = { 36: 'macOS', 37: 'iOS', 47: 'tvOS', 48: 'watchOS' };

const LC = {
  segment: 0x1,
  idDylib: 0xd,
  segment64: 0x19,
  dyldInfo: 0x22,
  dyldInfoOnly: 0x80000022,
  rpath: 0x8000001c,
  buildVersion: 0x32,
  exportsTrie: 0x80000033,
} as const;
/** LC_LOAD_DYLIB, and those that re-export, and that are needed by what they need. */
const NEEDED = new Set([0xc, 0x8000001f, 0x80000023]);
/** LC_LOAD_WEAK_DYLIB, LC_LAZY_LOAD_DYLIB. */
const OPTIONAL = new Set([0x80000018, 0x20]);
const WRITABLE = 2;

/** Processors and places of the images of a universal file; undefined for other files. @throws TornFileError */
export function fatImages(source: ByteSource): (Extent & { machine: string })[] | undefined {
  const head = source.read(0, 8, 'the header of a universal file');
  const magic = head.getUint32(0);
  const count = head.getUint32(4);
  if ((magic !== FAT && magic !== FAT_WIDE) || count === 0 || count > MAX_IMAGES) return undefined;
  const wide = magic === FAT_WIDE;
  const entryBytes = wide ? 32 : 20;
  const table = source.read(8, entryBytes * count, `the table of ${count} processors`);
  return Array.from({ length: count }, (_, i) => {
    const at = i * entryBytes;
    const place = (field: number): number =>
      wide ? Number(table.getBigUint64(at + 8 + 8 * field)) : table.getUint32(at + 8 + 4 * field);
    return { machine: machineName('machO', table.getUint32(at)), offset: place(0), bytes: place(1) };
  });
}

/** What a Mach-O file holds for each of its processors. Never throws because of its contents. */
export function readMachFile(source: ByteSource): Image[] {
  const whole = emptyImage('an unknown processor');
  const fat = partsOf(whole)(() => fatImages(source));
  if (whole.faults.length > 0) return [whole];
  if (!fat) return [readImage(source, 'an unknown processor')];
  return fat.map(({ machine, ...place }) => {
    const image = emptyImage(machine);
    const part = partsOf(image)(() => partOf(source, place, `the part for ${machine}`));
    return part ? readImage(part, machine) : image;
  });
}

/** @param machine what it is said to be for, where its own header is damaged */
function readImage(source: ByteSource, machine: string): Image {
  const image = emptyImage(machine);
  const part = partsOf(image);
  const contents = part(() => readCommands(source));
  if (!contents) return image;
  const { commands, little, wide } = contents;
  image.machine = contents.machine;
  const data: Extent[] = [];
  let exported: Extent | undefined;
  for (const command of commands) {
    part(() => {
      const { type, view } = command;
      const word = (at: number): number => fieldOf(view, at, little);
      const version = versionOf(type, word);
      if (version) image.minimumSystems.push(version);
      else if (type === LC.idDylib) image.name = textIn(command, word(8));
      else if (NEEDED.has(type)) image.needed.push(textIn(command, word(8)));
      else if (OPTIONAL.has(type)) image.optional.push(textIn(command, word(8)));
      else if (type === LC.rpath) image.searchPaths.push(textIn(command, word(8)));
      else if (type === LC.exportsTrie) exported = { offset: word(8), bytes: word(12) };
      else if (type === LC.dyldInfo || type === LC.dyldInfoOnly) exported ??= { offset: word(40), bytes: word(44) };
      else if (type === LC.segment64 && little && word(60) & WRITABLE) {
        data.push({ offset: word(40) + word(44) * 2 ** 32, bytes: word(48) + word(52) * 2 ** 32 });
      }
    });
  }
  part(() => {
    if (!exported) return;
    const names = new MachExports(source.read(exported.offset, exported.bytes, 'the table of exports'));
    image.exports = { getPjrtApi: names.has(`_${ENTRY_POINT}`), count: names.count() };
  });
  image.api = wide ? part(() => apiInData(source, data)) : undefined;
  return image;
}

/** A load command. */
interface Command {
  type: number;
  view: DataView;
}

/** @throws TornFileError */
function readCommands(source: ByteSource): { commands: Command[]; little: boolean; wide: boolean; machine: string } {
  const head = source.read(0, 28, 'the Mach-O header');
  const magic = head.getUint32(0);
  const little = magic === LITTLE_NARROW || magic === LITTLE_WIDE;
  const wide = magic === LITTLE_WIDE || magic === BIG_WIDE;
  const [count, bytes] = [head.getUint32(16, little), head.getUint32(20, little)];
  if (count > MAX_COMMANDS) throw new TornFileError(`the Mach-O header says that there are ${count} load commands`);
  const view = source.read(wide ? 32 : 28, bytes, `the ${count} load commands`);
  const commands: Command[] = [];
  for (let at = 0, i = 0; i < count; i++) {
    const length = at + 8 <= bytes ? view.getUint32(at + 4, little) : 0;
    if (length < 8 || at + length > bytes) {
      throw new TornFileError(`load command ${i} of ${count} does not fit into the ${bytes} bytes of all of them`);
    }
    commands.push({ type: view.getUint32(at, little), view: new DataView(view.buffer, at, length) });
    at += length;
  }
  return { commands, little, wide, machine: machineName('machO', head.getUint32(4, little)) };
}

function fieldOf(view: DataView, at: number, little: boolean): number {
  if (at + 4 <= view.byteLength) return view.getUint32(at, little);
  throw new TornFileError(`a load command has ${view.byteLength} bytes, and should have ${at + 4}`);
}

/** The string of a command, which lies behind its fields. */
function textIn({ type, view }: Command, offset: number): string {
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  const end = offset < bytes.length ? bytes.indexOf(0, offset) : -1;
  // The end of a command may end its string.
  if (offset < bytes.length) return bytes.toString('latin1', offset, end === -1 ? bytes.length : end);
  throw new TornFileError(`load command 0x${type.toString(16)} of ${bytes.length} bytes has its string at ${offset}`);
}

function versionOf(type: number, word: (at: number) => number): MinimumSystem | undefined {
  if (type === LC.buildVersion) {
    return { system: PLATFORMS[word(8)] ?? `platform ${word(8)}`, version: dotted(word(12)) };
  }
  const system = VERSION_MIN[type];
  return system === undefined ? undefined : { system, version: dotted(word(8)) };
}

/** `0xMMMMmmpp`; the last part is shown if it is not zero. */
const dotted = (packed: number): string =>
  [packed >>> 16, (packed >>> 8) & 0xff, ...(packed & 0xff ? [packed & 0xff] : [])].join('.');
