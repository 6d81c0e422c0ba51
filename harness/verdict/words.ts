/**
 * The words of a verdict, and of what each is said. Only whoever passes a frozen list in full is conformant: suites change, and a
 * selection, a profile or a framework's gate is less than a list.
 */
export const VERDICT_WORDS = {
  passes: { word: 'passes', said: 'a run of a whole profile in which every MUST holds that was tested' },
  fails: { word: 'fails', said: 'a run that violates a MUST, or whatever else its options make count' },
  conformant: {
    word: 'passes',
    said: 'a run with `--mustpass` that passes every case of a frozen list ([conformance-programme.md](conformance-programme.md))',
  },
  notConformant: { word: 'not conformant', said: 'such a run that does not' },
  selected: {
    word: 'N of M cases selected',
    said: 'a part of a profile: how it went follows, and is no word on the whole',
  },
  gate: { word: 'gate: pass, gate: fail', said: 'a comparison with an earlier run ([gating.md](gating.md))' },
  works: {
    word: 'works, works with N limits',
    said: 'a release of a framework ([compatibility.md](compatibility.md))',
  },
} as const;

/** How a run is called that passes or fails, by whether it is of a frozen list. */
export const wordOf = (passes: boolean, isOfList: boolean): string =>
  VERDICT_WORDS[isOfList ? (passes ? 'passes' : 'notConformant') : passes ? 'passes' : 'fails'].word;
