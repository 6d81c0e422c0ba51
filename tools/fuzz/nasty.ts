/** Values that have crashed programs that read files, for mutations. */

/** A file with this name must never be created: nothing in an input is a command. */
export const CANARY = 'canary-of-the-fuzzer';

export const NASTY_STRINGS: readonly string[] = [
  '',
  ' ',
  '\0',
  '\x1b[31m\x1b]0;title\x07',
  '\ud800',
  '\ufffe\uffff\ufeff',
  '\u202e\u2066',
  '\r\n',
  'null',
  'true',
  '~',
  '-0',
  '1e999',
  '0x7fffffffffffffff',
  '99999999999999999999999999',
  '2026-13-45',
  '2026-02-30T25:61:61Z',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '$x',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder of a shell.
  '${x}',
  '%s%n%d',
  '*',
  '**/*',
  '[',
  '(a+)+$',
  'a'.repeat(300),
  'x'.repeat(20_000),
  '漢字 🙂 \u0301',
  `../../${CANARY}`,
  `../../../../${CANARY}`,
  `./in/../../${CANARY}`,
  `~/${CANARY}`,
  `/proc/self/cwd/${CANARY}`,
  `file:///${CANARY}`,
  `..\\..\\${CANARY}`,
  `C:\\${CANARY}`,
  `$(touch ${CANARY})`,
  `\`touch ${CANARY}\``,
  `; touch ${CANARY} #`,
  `| touch ${CANARY}`,
  `--output=../../${CANARY}`,
  `-o${CANARY}`,
  '/etc/passwd',
  '/dev/null',
  '/proc/self/environ',
  'a/'.repeat(500),
  '<script>alert(1)</script>',
  ']]>',
  '&amp;&#0;&x;',
];

export const NASTY_NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  0.5,
  1e-320,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  -(2 ** 53) - 2,
  2 ** 63,
  1e21,
  1e308,
];

/** Values of every type and of awkward sizes. */
export const NASTY_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [null],
  [[]],
  { '': '' },
  [1, 'a', null, {}],
  Array.from({ length: 500 }, (_, at) => at),
  nested(60),
  nested(200),
  Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key-${at}`, at])),
];

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Pieces of YAML and JSON with special meanings. */
export const NASTY_SYNTAX: readonly string[] = [
  '&a [*a, *a]',
  '*missing',
  '!!js/function "function () { return 1 }"',
  `!!python/object/apply:os.system ["touch ${CANARY}"]`,
  '!!binary "AAAA"',
  '!!timestamp 2026-01-01',
  '!<tag:yaml.org,2002:str> 1',
  '!!map {a: 1}',
  '<<: {a: 1}',
  '? [complex, key]\n: value',
  '"__proto__": {"polluted": true}',
  '{"__proto__": {"polluted": true}}',
  '"constructor": {"prototype": {"polluted": true}}',
  '---\n',
  '...\n',
  '%YAML 1.1\n---\n',
  '%TAG ! tag:x,2000:\n---\n',
  '|\n  block\n',
  '>+9\n  x',
  "'",
  '"',
  '"\\ud800"',
  '"\\u0000"',
  '# comment\n',
  '\t',
  '\u2028',
  '.nan',
  '-.inf',
  '0o17',
  '1_000',
  '1e400',
  '-',
  ': ',
  '? ',
  '- - - ',
  '{',
  '}',
  '[',
  ']',
  ',',
];

/** Whole documents that are expensive for their size. */
export const BOMBS: readonly string[] = [
  // Each anchor is ten times the one before.
  Array.from(
    { length: 12 },
    (_, at) =>
      `a${at}: &a${at} [${
        at === 0
          ? 'x'
          : Array(10)
              .fill(`*a${at - 1}`)
              .join(', ')
      }]`,
  ).join('\n'),
  `a: ${'['.repeat(20_000)}`,
  `a: ${'['.repeat(5000)}${']'.repeat(5000)}`,
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  '- '.repeat(20_000),
  '? '.repeat(5000),
  `${'a: '.repeat(10_000)}`,
  `a: "${'\\x41'.repeat(100_000)}"`,
  `a: ${'9'.repeat(100_000)}`,
  `${' '.repeat(200_000)}a: 1`,
  `a: |\n${'  x\n'.repeat(50_000)}`,
  `{${Array.from({ length: 20_000 }, (_, at) => `"k${at}": ${at}`).join(',')}}`,
  Array.from({ length: 20_000 }, (_, at) => `k${at}: ${at}`).join('\n'),
  'a: 1\n'.repeat(5000),
  `"${'&'.repeat(50_000)}"`,
  `${'&a '.repeat(5000)}x`,
  `${'!!str '.repeat(5000)}x`,
  `a: ${'"'.repeat(20_001)}`,
  '#'.repeat(500_000),
  '\n'.repeat(100_000),
];
