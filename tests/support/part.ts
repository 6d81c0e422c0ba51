/** The members of a catalogue that `npm test` runs: this is set by the projects that share a file (vitest.config.ts). */
const PART = process.env.PJRT_TEST_PART;

/** Of a catalogue, what the project of this test runs: the sample, or all others, which `npm run test:rest` runs. */
export function partOf<Name extends string>(all: readonly Name[], sample: readonly NoInfer<Name>[]): Name[] {
  const unknown = sample.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`the catalogue does not have ${unknown.join(', ')}`);
  return PART === 'sample' ? [...sample] : all.filter((name) => !sample.includes(name));
}
