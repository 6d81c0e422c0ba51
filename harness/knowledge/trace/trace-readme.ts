import type { TraceManifest } from './open-trace.ts';

const KEPT = {
  all: 'host data: all arrays that the program gave to the plugin or read from it. Whoever has this directory has that data',
  hashes: 'of host data digests only',
  none: 'no host data',
} as const;

/** README.md of a trace: for whoever gets it. */
export const traceReadme = ({ recorded, keep, part }: TraceManifest): string => `# A recording of calls of a PJRT plugin

Made by \`pjrt-conformance record\` on ${recorded}. It has

- ${part ? `${part.calls} of ${part.of} calls` : 'every call'} of the plugin's functions with its arguments, its results, its time and its thread;
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
