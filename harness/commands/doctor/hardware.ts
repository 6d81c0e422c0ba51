import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Hardware } from '../../model/plugin.ts';
import { type Finding, finding } from './finding.ts';
import { type Holder, holdersOf } from './holders.ts';

/** A lock file that is there, and who has it open. */
export interface Lock {
  path: string;
  written: Date;
  holders: Holder[];
}

/** How a client was refused. */
export interface Refusal {
  /** Because the device is in use, says the plugin. */
  inUse: boolean;
}

/** Lock files of a plugin's hardware; to be asked before the plugin is loaded, which may make them. */
export const locksOf = (hardware: Hardware | undefined): Lock[] =>
  (hardware?.lockFiles ?? []).flatMap((path) => {
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts ? [{ path, written: facts.mtime, holders: holdersOf(path) }] : [];
  });

/**
 * Looks for the device nodes of a plugin's hardware, and says what its lock files mean.
 * @param refusal how a client was refused; undefined for a client that exists, and so has found its device
 */
export function hardwareFindings(
  hardware: Hardware | undefined,
  locks: readonly Lock[],
  refusal: Refusal | undefined,
): Finding[] {
  if (!hardware) return [];
  return [...lockFindings(hardware, locks, refusal), ...nodeFindings(hardware, refusal !== undefined)];
}

function nodeFindings({ name, nodes = [], advice }: Hardware, clientFailed: boolean): Finding[] {
  if (nodes.length === 0) return [];
  const found = nodes.flatMap(expand);
  if (found.length === 0) {
    const evidence = nodes.map((pattern) => `${pattern}: none`);
    const severity = clientFailed ? 'error' : 'info';
    return [finding('device-node', severity, `no device node of ${name} is here`, evidence, advice)];
  }
  const closed = found.filter((path) => !isOpen(path));
  if (closed.length === found.length && clientFailed) {
    const what = `the device nodes of ${name} cannot be opened by this user`;
    const evidence = closed.map((path) => `${path}: permission denied`);
    const next = 'add the user to the group that owns them (ls -l shows it), or pass them into the container';
    return [finding('device-node', 'error', what, evidence, next)];
  }
  return [finding('device-node', 'ok', `device nodes of ${name} are here`, [found.join(', ')])];
}

function lockFindings({ name }: Hardware, locks: readonly Lock[], refusal: Refusal | undefined): Finding[] {
  return locks.map(({ path, written, holders }): Finding => {
    if (holders.length > 0) {
      const evidence = holders.map(({ pid, command }) => `process ${pid}: ${command}`);
      const next = 'end that process, or wait for it; only one process at a time can use the device';
      const what = `${name} is in use: another process holds ${path}`;
      return finding('lock-file', refusal === undefined ? 'info' : 'error', what, evidence, next);
    }
    const what = `${path} exists, but no process visible to this user has it open`;
    const next =
      'if the plugin reports that the device is in use and nothing uses it, a killed process left the file: delete it';
    return finding('lock-file', refusal?.inUse ? 'error' : 'info', what, [`written ${written.toISOString()}`], next);
  });
}

const WILDCARDS: Readonly<Record<string, string>> = { '*': '.*', '[0-9]': '[0-9]' };

/** Paths that fit a pattern with `*` and `[0-9]` in its last part. */
export function expand(pattern: string): string[] {
  const directory = dirname(pattern);
  const parts = basename(pattern)
    .split(/(\*|\[0-9\])/)
    .map((part) => WILDCARDS[part] ?? part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const fits = new RegExp(`^${parts.join('')}$`);
  try {
    return readdirSync(directory)
      .filter((name) => fits.test(name))
      .map((name) => join(directory, name))
      .sort();
  } catch {
    return [];
  }
}

const isOpen = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
