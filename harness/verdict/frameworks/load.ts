import { readFileSync } from 'node:fs';
import { packagePath } from '../../base/paths.ts';
import type { Framework, OnError, Release, Use } from './types.ts';

export const FRAMEWORKS = ['jax', 'pytorch-xla', 'tensorflow', 'torch-tpu'] as const;

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

/** How a release uses a function; undefined when it never calls it. */
export function useOf(framework: Framework, release: Release, name: string): Use | undefined {
  const order = new Map(framework.releases.map((r, i) => [r.version, i]));
  const at = order.get(release.version)!;
  return framework.functions[name]?.find((u) => order.get(u.from)! <= at && at <= order.get(u.to)!);
}

/** The release that `jax@0.10.2` or `pytorch-xla@2.9` means: that version, or the newest one that begins so. */
export function findRelease(framework: Framework, version: string): Release | undefined {
  const exact = framework.releases.find((r) => r.version === version);
  return exact ?? framework.releases.filter((r) => r.version.startsWith(`${version}.`)).at(-1);
}
