import { type ByteSource, withFile } from './byte-source.ts';
import { type ElfHeader, ifElf, PT_NOTE } from './elf-header.ts';

const NT_GNU_BUILD_ID = 3;
const NOTE_HEAD_BYTES = 12;

const aligned = (length: number): number => (length + 3) & ~3;

/** The linker's build id in hexadecimal, if there is one. @throws TornFileError */
export function readBuildId(source: ByteSource, { segments, little }: ElfHeader): string | undefined {
  for (const segment of segments.filter((s) => s.type === PT_NOTE)) {
    const notes = source.read(segment.offset, segment.fileBytes, 'the notes');
    for (let at = 0; at + NOTE_HEAD_BYTES <= notes.byteLength; ) {
      const nameBytes = notes.getUint32(at, little);
      const idBytes = notes.getUint32(at + 4, little);
      const name = at + NOTE_HEAD_BYTES;
      const id = name + aligned(nameBytes);
      if (id + idBytes > notes.byteLength || id < name) break;
      const isGnu = nameBytes === 4 && notes.getUint32(name, false) === 0x474e5500;
      if (isGnu && notes.getUint32(at + 8, little) === NT_GNU_BUILD_ID) {
        return Buffer.from(notes.buffer, notes.byteOffset + id, idBytes).toString('hex');
      }
      at = id + aligned(idBytes);
      if (at <= name) break;
    }
  }
  return undefined;
}

/** The build id of a file; undefined if it has none, is damaged, or is no ELF file. @throws what opening it throws */
export function buildIdOf(path: string): string | undefined {
  return withFile(path, (source) => ifElf(source, (header) => readBuildId(source, header)));
}
