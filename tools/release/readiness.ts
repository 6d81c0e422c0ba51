/** What a release is made from. */
export interface Source {
  /** Of package.json. */
  version: string;
  /** Output of `git status --porcelain`. */
  changes: string;
  /** Tags of the commit. */
  tags: readonly string[];
  /** Files in the npm package. */
  files: readonly string[];
}

/** What the package must bring so that nobody needs a compiler. */
const NATIVE = [
  ...['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'].map(
    (system) => `dist/worker/ffi/recorder-${system}.so`,
  ),
  'plugins/reference/prebuilt/linux-x64/pjrt-plugin-reference.so',
];

/** Why this must not be published, one reason a line. */
export function unreadiness({ version, changes, tags, files }: Source): string[] {
  const tag = `v${version}`;
  return [
    ...(changes === '' ? [] : [`files are not committed:\n${changes}`]),
    ...(tags.includes(tag) ? [] : [`the commit has no tag ${tag}, the version of package.json`]),
    ...NATIVE.filter((file) => !files.includes(file)).map(
      (file) => `the package lacks ${file} (docs/releasing.md says what it is built with)`,
    ),
  ];
}
