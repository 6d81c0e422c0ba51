import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProgramError } from './program.ts';
import { loadProgram, programNames } from './programs.ts';
import { signatureOf } from './signature.ts';

const valid = programNames()
  .map(loadProgram)
  .filter((program) => !program.bad);

/** Artifacts of containers old and new: with regions, several functions, Shardy, tokens, attributes of the module. */
const SAMPLES: readonly [program: string, version: string][] = [
  ['misc/f_f32', '0.9.0'],
  ['misc/f_f32', '1.17.0'],
  ['control/while_nested', '1.0.0'],
  ['host/send', '1.0.0'],
  ['multi/replicas_all_reduce', '0.9.0'],
  ['sharded/two_devices', '1.17.0'],
];

const samples = SAMPLES.map(([name, version]) => ({ name, artifact: loadProgram(name).artifact(version) }));

/** The signature, or undefined where the artifact is refused with the one kind of error. */
function read(bytes: Uint8Array): ReturnType<typeof signatureOf> | undefined {
  try {
    return signatureOf(bytes, 'p.mlirbc');
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    expect(error.message).toMatch(/^p\.mlirbc:/);
    return undefined;
  }
}

test('every committed artifact, at every version, has the signature of its text', () => {
  let artifacts = 0;
  for (const program of valid) {
    const { shardings: _, ...text } = signatureOf(program.bytes(), program.file);
    for (const { version } of program.artifacts) {
      const signature = signatureOf(program.artifact(version), program.name);
      expect([program.name, signature]).toEqual([program.name, { ...text, version }]);
      artifacts += 1;
    }
  }
  expect(artifacts).toBeGreaterThan(3000);
});

test.each(samples)('$name: no beginning of an artifact is taken for a whole one', ({ artifact }) => {
  for (let length = 2; length < artifact.length; length += 1) {
    expect([length, read(artifact.subarray(0, length))]).toEqual([length, undefined]);
  }
});

test.each(samples)('$name: an artifact with wrong bytes is refused, or read as another', ({ artifact }) => {
  const damage = fc.array(fc.tuple(fc.nat(artifact.length - 5), fc.nat(255)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(damage, (bytes) => {
      const damaged = artifact.slice();
      for (const [at, byte] of bytes) damaged[at + 4] = byte;
      read(damaged);
    }),
    { numRuns: 3000 },
  );
});

test('pieces of artifacts that are inserted, removed or repeated do no harm', () => {
  const { artifact } = samples[1]!;
  const edit = fc.record({ at: fc.nat(artifact.length), from: fc.nat(artifact.length), length: fc.nat(40) });
  fc.assert(
    fc.property(edit, ({ at, from, length }) => {
      const piece = artifact.subarray(from, from + length);
      read(Buffer.concat([artifact.subarray(0, at), piece, artifact.subarray(at)]));
      read(Buffer.concat([artifact.subarray(0, from), artifact.subarray(from + length)]));
    }),
    { numRuns: 2000 },
  );
});

test('a damaged artifact is refused with the byte, and what was expected there', () => {
  const { artifact } = samples[1]!;
  expect(() => signatureOf(artifact.subarray(0, 100), 'p.mlirbc')).toThrow(
    /^p\.mlirbc: byte \d+: expected .*; the artifact/,
  );
  expect(() => signatureOf(artifact.subarray(0, 3), 'p.mlirbc')).toThrow("byte 0: expected the four bytes 'ML\u00efR'");
  const newer = artifact.slice();
  newer[4] = 7 * 2 + 1;
  expect(() => signatureOf(newer, 'p.mlirbc')).toThrow('bytecode format 7; expected 0 to 6');
});

test('bytecode that is no portable artifact is named', () => {
  const { artifact } = samples[1]!;
  const end = artifact.indexOf(0, 5);
  const plain = Buffer.concat([artifact.subarray(0, 5), Buffer.from('MLIR21.0.0git'), artifact.subarray(end)]);
  expect(() => signatureOf(plain, 'p.mlirbc')).toThrow(
    'p.mlirbc: MLIR bytecode of MLIR21.0.0git with the dialects builtin, vhlo; expected a portable artifact',
  );
});

test('committed invalid artifacts are refused or read, never more', () => {
  for (const program of programNames().map(loadProgram)) {
    if (program.bad) read(program.bytes());
  }
});
