import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { platformName, type WheelPlatform } from './platforms.ts';

/** What the packages need to be built, but not to run. */
const BUILD_ONLY = ['koffi/vendor', 'koffi/doc', '.bin', '.package-lock.json'];

/** Types and source maps: half of all files. */
const FOR_PROGRAMMERS = /\.(?:d\.[cm]?ts|map)$/;

/**
 * Makes the npm part of a wheel: the contents of the package's tarball with the dependencies of the lock file, for one platform.
 * @param directory where it is made; replaced
 * @throws if npm fails, or there is no library of koffi for the platform
 */
export function stage(tarball: string, platform: WheelPlatform, directory: string): void {
  const { os, cpu } = platform;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', directory, '--strip-components=1']);
  copyFileSync(packagePath('package-lock.json'), join(directory, 'package-lock.json'));
  const target = [`--os=${os}`, `--cpu=${cpu}`, '--libc=glibc'];
  execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', ...target], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  rmSync(join(directory, 'package-lock.json'));
  for (const path of BUILD_ONLY) rmSync(join(directory, 'node_modules', path), { recursive: true, force: true });
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (FOR_PROGRAMMERS.test(path)) rmSync(join(directory, path));
  }
  keepNativeParts(platform, directory);
}

/** Removes libraries for musl, and the reference plugin for other platforms. */
function keepNativeParts(platform: WheelPlatform, directory: string): void {
  const name = platformName(platform);
  const scope = join(directory, 'node_modules', '@koromix');
  if (!existsSync(join(scope, `koffi-${name}`))) throw new Error(`npm has installed no library of koffi for ${name}`);
  for (const packageName of readdirSync(scope)) {
    for (const part of readdirSync(join(scope, packageName))) {
      if (part.startsWith('musl_')) rmSync(join(scope, packageName, part), { recursive: true });
    }
  }
  const prebuilt = join(directory, 'plugins', 'reference', 'prebuilt');
  for (const other of existsSync(prebuilt) ? readdirSync(prebuilt) : []) {
    if (other !== name) rmSync(join(prebuilt, other), { recursive: true });
  }
}

/** The tarball of this checkout, in a directory. @param build whether npm builds it first */
export function pack(directory: string, build: boolean): string {
  mkdirSync(directory, { recursive: true });
  const scripts = build ? [] : ['--ignore-scripts'];
  execFileSync('npm', ['pack', '--pack-destination', directory, ...scripts], {
    cwd: packagePath(),
    stdio: ['ignore', 'ignore', build ? 'inherit' : 'ignore'],
  });
  const [name] = readdirSync(directory).filter((file) => file.endsWith('.tgz'));
  const tarball = join(directory, 'package.tgz');
  renameSync(join(directory, name!), tarball);
  return tarball;
}
