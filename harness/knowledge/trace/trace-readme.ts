import type { TraceManifest } from './open-trace.ts';

const KEPT = {
  all: 'host data: all arrays that the program gave to the plugin or read from it. Whoever has this directory has that data',
  hashes: 'of host data digests only',
  none: 'no host data',
} as const;

function whichCalls({ part, window, programsOnly }: Pick<TraceManifest, 'part' | 'window' | 'programsOnly'>): string {
  if (part) return `${part.calls} of ${part.of} calls of the plugin's functions`;
  const compiling = "the calls of the plugin's functions that compile programs";
  if (window) return `${compiling}, and from execution ${window.first} to ${window.last} of each process every call`;
  return programsOnly ? compiling : "every call of the plugin's functions";
}

/** README.md of a trace: for whoever gets it. */
export const traceReadme = ({
  recorded,
  keep,
  part,
  window,
  programsOnly,
}: TraceManifest): string => `# A recording of calls of a PJRT plugin

Made by \`pjrt-conformance record\` on ${recorded}. It has

- ${whichCalls({ part, window, programsOnly })} with arguments, results, times and threads;
- the programs that were compiled, in which there may be paths of source files, and names of functions and variables;
- ${KEPT[keep]};
- texts that crossed the interface: error messages, names of devices, the plugin's path.

It has no environment variables and no command line.

\`\`\`
pjrt-conformance trace show .                    # a summary
pjrt-conformance trace calls .                   # every call, as lines of JSON
pjrt-conformance trace programs . -o cases       # executions, as programs that run on any plugin
\`\`\`
`;
