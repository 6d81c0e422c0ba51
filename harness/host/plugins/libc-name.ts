let known: { name: string | undefined } | undefined;

/** The C library of this process, as in `glibc 2.36`; undefined if Node does not report it. Asked once: a report takes 8 ms. */
export function libcName(): string | undefined {
  known ??= { name: reportedName() };
  return known.name;
}

function reportedName(): string | undefined {
  const report: (NodeJS.ProcessReport & { excludeNetwork?: boolean }) | undefined = process.report;
  if (process.platform !== 'linux' || !report) return undefined;
  const { excludeNetwork } = report;
  // Looking up the names of network peers can take seconds.
  report.excludeNetwork = true;
  const { header, sharedObjects } = report.getReport() as {
    header?: { glibcVersionRuntime?: string };
    sharedObjects?: string[];
  };
  // The report is that of the whole process, which may be another program.
  report.excludeNetwork = excludeNetwork ?? false;
  if (header?.glibcVersionRuntime) return `glibc ${header.glibcVersionRuntime}`;
  return sharedObjects?.some((path) => path.includes('musl')) ? 'musl' : undefined;
}
