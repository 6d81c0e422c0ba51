/** What a build agent reads as commands in a job's output: the rules of each, from its source or its manual. */
const READERS: Readonly<Record<string, (output: string) => unknown[]>> = {
  // actions/runner, ActionCommand.TryParseV2 and TryParse. Its comparisons ignore format characters.
  github: (output) =>
    linesOf(output).flatMap((line) => {
      const seen = line.replace(/\p{Cf}/gu, '');
      return [/^\s*::[^:].*?::/.exec(seen), /##\[[^\]]*\]/.exec(seen)].filter(Boolean);
    }),
  // microsoft/azure-pipelines-agent, Command.TryParse: anywhere in a line; its log viewer formats ##[…] at the beginning.
  azure: (output) =>
    linesOf(output.replace(/\p{Cf}/gu, '')).flatMap((line) => line.match(/##vso\[[^\]]*\]|##\[\w+\]/) ?? []),
  // JetBrains, ServiceMessagesParser: anywhere in a line.
  teamcity: (output) => linesOf(output).flatMap((line) => line.match(/##teamcity\[\s*['\w][^\]]*/) ?? []),
  // gitlab-org/gitlab, Gitlab::Ci::Ansi2json: the end of the mark may be what follows in the output.
  gitlab: (output) => output.match(/section_(?:start|end):\d+:[\w.-]+/g) ?? [],
  // buildkite/agent, header times expansion.
  buildkite: (output) => output.match(/^(?:---|\+\+\+|~~~)\s+.*$|^\^\^\^\s+\+\+\+/gm) ?? [],
  travis: (output) => output.match(/travis_(?:fold|time):\w+:/g) ?? [],
};

const linesOf = (output: string): string[] => output.split(/\r\n|\n|\r/);

/** Everything in an output that one of them would obey. */
export const obeyed = (output: string): unknown[] => Object.values(READERS).flatMap((read) => read(output));

/** Texts that one of them would obey. */
export const INJECTIONS = [
  '::error::x',
  '::error file=a,line=1::x',
  '  ::warning title=x::y',
  '\t::set-output name=a::b',
  '\u00a0\u2003::add-mask::a',
  '\u200d::stop-commands::abc',
  ':\u200d:error::x',
  '\u00ad:\ufeff:debug::x',
  '::group::x\n::endgroup::',
  'a\n::save-state name=a::b',
  'a\r::notice::b',
  'a\r\n::add-path::/tmp',
  '##[error]x',
  'text ##[command]rm',
  '##[group]x',
  '##[add-matcher]x.json',
  '#\u200d#[section]x',
  '##vso[task.setvariable variable=a]b',
  'x ##vso[task.complete result=Succeeded;]done',
  '##vso[task.prependpath]/tmp',
  '##\u200bvso[task.logissue type=error]x',
  "##teamcity[testFailed name='a']",
  "x ##teamcity[buildStatus status='SUCCESS']",
  "##teamcity[ importData type='junit' path='x']",
  "##teamcity['message']",
  'section_start:1700000000:x\r\u001b[0Ky',
  'section_end:1700000000:x\r\u001b[0K',
  'a section_start:1:b[collapsed=true]\r\u001b[0K',
  '--- a group',
  '+++ an open group',
  '~~~ a muted group',
  '^^^ +++',
  'a\n--- :rocket: b',
  'travis_fold:start:x\r\u001b[0K',
  'travis_time:end:x:start=1,finish=2',
] as const;
