import { UsageError } from '../../harness/base/usage-error.ts';

/** A platform that a wheel and an archive are for. */
export interface WheelPlatform {
  /** As Node names it. */
  os: 'linux';
  cpu: 'x64' | 'arm64';
  /** Tag of the wheel. Of its parts, Node needs the newest glibc: 2.28. */
  tag: string;
}

/** One wheel each, because a wheel for all would carry koffi's library for every platform. */
export const WHEEL_PLATFORMS: readonly WheelPlatform[] = [
  { os: 'linux', cpu: 'x64', tag: 'py3-none-manylinux_2_28_x86_64' },
  { os: 'linux', cpu: 'arm64', tag: 'py3-none-manylinux_2_28_aarch64' },
];

export const platformName = ({ os, cpu }: WheelPlatform): string => `${os}-${cpu}`;

/** The platforms of these names. @throws UsageError */
export const platformsNamed = (names: readonly string[]): WheelPlatform[] =>
  names.map((name) => {
    const found = WHEEL_PLATFORMS.find((one) => platformName(one) === name);
    if (!found) throw new UsageError(`--platform ${name}: expected ${WHEEL_PLATFORMS.map(platformName).join(' or ')}`);
    return found;
  });
