/** Files that are no program, although their name says so: what they are, and how the program comes out of them. */

interface FileKind {
  what: string;
  help: string;
}

const TEXT = 'save StableHLO text, in JAX jax.jit(f).lower(...).as_text(), or a portable artifact';

/** First bytes, at byte 0 unless `at` says otherwise. */
const MAGIC: readonly { bytes: string; at?: number; what: string; help?: string }[] = [
  { bytes: '\x1f\x8b', what: 'compressed by gzip', help: 'unpack it with gunzip' },
  { bytes: '\x28\xb5\x2f\xfd', what: 'compressed by zstd', help: 'unpack it with unzstd' },
  { bytes: '\xfd7zXZ', what: 'compressed by xz', help: 'unpack it with unxz' },
  { bytes: 'BZh', what: 'compressed by bzip2', help: 'unpack it with bunzip2' },
  {
    bytes: 'PK\x03\x04',
    what: 'a ZIP archive, as torch.export.save and numpy.savez write',
    help: 'of torch.export, torch_xla.stablehlo.exported_program_to_stablehlo gives the text',
  },
  { bytes: '\xff\xfe', what: 'UTF-16 text', help: 'save it as UTF-8 without a byte order mark' },
  { bytes: '\xfe\xff', what: 'UTF-16 text', help: 'save it as UTF-8 without a byte order mark' },
  { bytes: '\xef\xbb\xbf', what: 'text with a byte order mark', help: 'save it as UTF-8 without one' },
  { bytes: '\x93NUMPY', what: 'an array of NumPy', help: 'name it NAME.arg0.npy or NAME.out0.npy' },
  { bytes: '\x7fELF', what: 'a library or an executable' },
  { bytes: 'MZ', what: 'a library or an executable of Windows' },
  { bytes: 'BC\xc0\xde', what: 'LLVM bitcode' },
  { bytes: 'TFL3', at: 4, what: 'a model of TensorFlow Lite' },
  { bytes: '\x80\x04\x95', what: 'a pickle of Python, which is never loaded' },
  { bytes: '\x80\x05\x95', what: 'a pickle of Python, which is never loaded' },
  { bytes: '\x80\x02', what: 'a pickle of Python, which is never loaded' },
  { bytes: '\x89HDF\r\n', what: 'an HDF5 file' },
];

const ARTIFACT = 'ML\xefR\x00';

/** What a file is that is neither text nor an artifact; undefined if that is unknown. @param bytes not those of an artifact */
export function fileKind(bytes: Uint8Array): FileKind | undefined {
  if (bytes.length === 0) return { what: 'an empty file', help: TEXT };
  const begin = Buffer.from(bytes.subarray(0, 2 ** 16)).toString('latin1');
  const known = MAGIC.find(({ bytes: magic, at = 0 }) => begin.startsWith(magic, at));
  if (known) return { what: known.what, help: known.help ?? TEXT };
  if (/^\s*(?:\/\/[^\n]*\n\s*)*HloModule\b/.test(begin)) return { what: 'HLO text', help: TEXT };
  if (/^\s*\{\s*"|^\s*<\?xml|^\s*<!DOCTYPE/i.test(begin)) return { what: 'JSON, XML or HTML', help: TEXT };
  if (/^\s*(?:import |from \w+ import |def |#!)/.test(begin)) return { what: 'a script', help: TEXT };
  if (/^version https:\/\/git-lfs/.test(begin))
    return { what: 'a pointer of Git LFS', help: 'fetch it with git lfs pull' };
  if (/^\s*(?:; ModuleID|source_filename =|define )/.test(begin)) return { what: 'LLVM IR', help: TEXT };
  if (!/[\x00-\x08\x0e-\x1f]/.test(begin)) return undefined;
  const at = Buffer.from(bytes).indexOf(Buffer.from(ARTIFACT.slice(0, 4), 'latin1'));
  if (at >= 8) {
    return {
      what: `a file with a portable artifact in it, at byte ${at}, as the serialize() of jax.export gives`,
      help: 'save the artifact alone: jax.export.deserialize(data).mlir_module_serialized',
    };
  }
  return isHloProto(bytes)
    ? { what: 'an HLO module as a protocol buffer (HloModuleProto or HloProto)', help: TEXT }
    : undefined;
}

/** Fields 1 (a name or a module) and then 2, 3 or more: their keys and lengths fit the file. */
function isHloProto(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x0a) return false;
  let [at, fields] = [0, 0];
  while (at < bytes.length) {
    const key = varint(bytes, at);
    const wire = key.value % 8;
    const next = varint(bytes, key.end);
    if (key.value < 8 || (wire !== 0 && wire !== 2)) return false;
    at = wire === 2 ? next.end + next.value : next.end;
    fields += 1;
  }
  return at === bytes.length && fields > 0;
}

function varint(bytes: Uint8Array, start: number): { value: number; end: number } {
  let [value, at] = [0, start];
  for (let shift = 1; ; shift *= 128, at += 1) {
    const byte = bytes[at] ?? 0;
    value += (byte % 128) * shift;
    if (byte < 128 || at - start > 9) return { value, end: at + 1 };
  }
}
