import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { platformName, type WheelPlatform } from '../wheel/platforms.ts';

/** The Node.js that archives bring: a release of a line with long-term support, and the digests of its packages in the npm registry. */
export const NODE: { version: string; integrity: Readonly<Record<string, string>> } = {
  version: '24.21.0',
  integrity: {
    'linux-x64': 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    'linux-arm64': 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
};

/**
 * Fetches Node.js for a platform.
 * @param work directory for intermediate files
 * @param into where `node` and its `LICENSE` are written
 * @throws Error if npm fails, or has another file than the one of the digest
 */
export function fetchNode(platform: WheelPlatform, work: string, into: string): void {
  const name = platformName(platform);
  mkdirSync(work, { recursive: true });
  const packed = execFileSync('npm', ['pack', '--silent', `node-${name}@${NODE.version}`, '--pack-destination', work], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  const tarball = join(work, packed);
  demandIntegrity(tarball, NODE.integrity[name]!);
  execFileSync('tar', ['-xzf', tarball, '-C', work, 'package/bin/node', 'package/LICENSE']);
  mkdirSync(into, { recursive: true });
  copyFileSync(join(work, 'package', 'bin', 'node'), join(into, 'node'));
  copyFileSync(join(work, 'package', 'LICENSE'), join(into, 'LICENSE'));
  rmSync(work, { recursive: true });
}

/** @throws Error if a file does not have this digest, written as package locks have it */
export function demandIntegrity(file: string, integrity: string): void {
  const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (found !== integrity) throw new Error(`${file}: expected ${integrity}, got ${found}`);
}
