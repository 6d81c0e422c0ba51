/** Probes of this area and what each checks. Pure data: suites are checked against it without loading a plugin. */
export const NAMES: Readonly<Record<string, string>> = {
  'completion-event': 'A run is over, and its outputs are ready, when its completion event is.',
  'concurrent-execution': 'One executable called from several threads gives each of them its own results.',
  'dot-precision': 'A product of matrices is as accurate as sums in f32, whatever their order.',
  'execute-device': 'A call that names a device runs there, with one argument list, or is refused.',
  'execute-lists': 'Every output slot gets a buffer of its own, and nothing around the lists is written.',
  'execute-memory-overwritten': 'All memory of a call may change as soon as the call returns.',
  'failed-execution': 'A call that fails leaves the lists of outputs and events alone.',
  'many-arguments': 'Many arguments, each weighed by its place in a sum.',
  'older-execute-options': 'Execute options of the sizes of earlier versions are accepted.',
  'output-memory-kinds': 'Each output lies in a memory of the kind that the executable announces.',
  'recompiled-execution': 'Two compilations of a program give the same bits.',
  'repeated-execution': 'An executable gives the same bits however often it runs.',
  'subnormal-operands': 'Subnormal operands are computed with or taken for zero; nothing else comes out.',
};
