import { readFileSync } from 'node:fs';
import { packagePath } from '../../base/paths.ts';
import type { Chosen, Framework, OnError, Release, Use } from './types.ts';

export const FRAMEWORKS = ['jax', 'pytorch-xla', 'tensorflow', 'torch-tpu', 'gopjrt', 'zml'] as const;

/** What is known of a framework's releases, oldest first. */
export const loadFramework = (name: (typeof FRAMEWORKS)[number]): Framework =>
  JSON.parse(readFileSync(packagePath('frameworks', `${name}.json`), 'utf8')) as Framework;

/** Whether an error that a function returns can end the process. */
export const ENDS_PROCESS: Readonly<Record<OnError, boolean>> = {
  abort: true,
  'abort unless UNIMPLEMENTED': true,
  error: false,
  'UNIMPLEMENTED is fine': false,
  ignored: false,
};

/** Whether a release is one of those from a first to a last one. */
export function isAmong({ framework, release }: Chosen, { from, to }: { from: string; to: string }): boolean {
  const [first, last, at] = [from, to, release.version].map((v) =>
    framework.releases.findIndex((r) => r.version === v),
  );
  return first! <= at! && at! <= last!;
}

/** How a release uses a function; undefined when it never calls it. */
export const useOf = (chosen: Chosen, name: string): Use | undefined =>
  chosen.framework.functions[name]?.find((use) => isAmong(chosen, use));

/** The release that `jax@0.10.2` or `pytorch-xla@2.9` means: that version, or the newest one that begins so. */
export function findRelease(framework: Framework, version: string): Release | undefined {
  const exact = framework.releases.find((r) => r.version === version);
  return exact ?? framework.releases.filter((r) => r.version.startsWith(`${version}.`)).at(-1);
}
