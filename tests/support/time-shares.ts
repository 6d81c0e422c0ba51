import type { Reporter, TestModule } from 'vitest/node';

/** Files below this share are printed in one line. */
const LEAST = 0.01;

/** Milliseconds that a file took in its process, imports and hooks included. */
const timeOf = (file: TestModule): number => {
  const { prepareDuration, environmentSetupDuration, setupDuration, collectDuration, duration } = file.diagnostic();
  return prepareDuration + environmentSetupDuration + setupDuration + collectDuration + duration;
};

/** Prints at the end which files the time went to, so that a test that has become expensive is seen. */
export default class TimeShares implements Reporter {
  onTestRunEnd(files: readonly TestModule[]): void {
    const total = files.reduce((sum, file) => sum + timeOf(file), 0);
    const line = (milliseconds: number, what: string): string =>
      `${((100 * milliseconds) / total).toFixed(1).padStart(6)} % ${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${what}`;
    const longestFirst = files.toSorted((a, b) => timeOf(b) - timeOf(a));
    const shown = longestFirst.filter((file) => timeOf(file) >= LEAST * total);
    const others = longestFirst.slice(shown.length);
    const rest = others.reduce((sum, file) => sum + timeOf(file), 0);
    const lines = shown.map((file) => line(timeOf(file), `${file.relativeModuleId} (${file.project.name})`));
    process.stdout.write(
      `\nShare of each file in ${(total / 1000).toFixed(0)} s, of which several run at the same time:\n${[...lines, line(rest, `${others.length} others`)].join('\n')}\n\n`,
    );
  }
}
