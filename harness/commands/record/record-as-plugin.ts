import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { makeDirectory } from '../../base/make-directory.ts';
import { systemReason } from '../../base/system-reason.ts';
import { textTable } from '../../base/text-table.ts';
import { UsageError } from '../../base/usage-error.ts';
import { resolveAll } from '../../run/plugin/plugin-setup.ts';
import { beginTrace, type RecordOptions, settingsOf } from './new-trace.ts';
import { recordingPlugin } from './recorder-library.ts';

/** A recording by a plugin file. */
export interface PluginRecording extends RecordOptions {
  /** The plugin to record: a path, a name, or a manifest. */
  plugin: string;
  /** The plugin file to make. */
  asPlugin: string;
}

/**
 * Makes a plugin that records what its caller does with another one.
 * @returns how it is used
 * @throws UsageError, PluginError
 */
export async function recordAsPlugin(options: PluginRecording, environment: CommandEnvironment): Promise<string> {
  const { cwd } = environment;
  const source = recordingPlugin();
  if (!existsSync(source))
    throw new UsageError(
      `record: this package has no recorder for ${process.platform}-${process.arch} (${basename(source)}); only programs on Linux can be recorded`,
    );
  const [plugin] = await resolveAll({ plugin: [options.plugin], fetch: true }, environment);
  const { name, library } = plugin!;
  const [file, trace] = [resolve(cwd, options.asPlugin), resolve(cwd, options.output)];
  const settings = `${file}.record`;
  // One that was made before is made again.
  if (existsSync(file) && !existsSync(settings))
    throw new UsageError(`--as-plugin ${options.asPlugin}: exists; name a file that can be made`, {
      options: ['as-plugin'],
    });
  for (const path of [file, trace, library])
    if (path.includes('\n')) throw new UsageError(`${path}: the recorder takes no path with a line break`);
  const given = { PJRT_CONFORMANCE_RECORD_PLUGIN: library, ...settingsOf(trace, options) };
  const part = `${file}.part`;
  try {
    makeDirectory(dirname(file));
    copyFileSync(source, part);
    beginTrace(trace, options);
    const lines = Object.entries(given).map(([setting, value]) => `${setting}=${value}\n`);
    writeFileSync(settings, lines.join(''));
    // A process that has loaded the one before keeps it.
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--as-plugin ${options.asPlugin}: ${systemReason(error)}`, { options: ['as-plugin'] });
  }
  return usage({ name, library, file, trace, shown: display(cwd, trace) });
}

function usage(made: { name: string; library: string; file: string; trace: string; shown: string }): string {
  const { library, file, trace, shown } = made;
  const name = made.name.replaceAll(/\W/g, '_');
  return [
    `${file} is a plugin that records into ${trace} what its caller does with ${library}.`,
    'Let the program load it instead:',
    ...textTable(
      [
        ['JAX', `PJRT_NAMES_AND_LIBRARY_PATHS=${name}:${file} JAX_PLATFORMS=${name}`],
        ['PyTorch/XLA', `library_path of its DevicePlugin: ${file}`],
        ['torch_tpu', `TPU_LIBRARY_PATH=${file}`],
      ],
      { indent: '  ' },
    ),
    'TensorFlow asks a plugin for TFNPD_InitPlugin, which this one does not have.',
    `Then: pjrt-conformance trace show ${shown}`,
    '',
  ].join('\n');
}
