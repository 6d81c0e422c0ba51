import { compareVersions } from '../../../knowledge/programs/stablehlo-version.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import { expectArray } from '../../steps/expect.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { probe, program, text } from '../probe.ts';
import { runOnce, sampleInputs } from '../support/sample-run.ts';

/**
 * A portable artifact of one StableHLO version. From the minimum to the current version of the plugin it must compile and
 * run; older and newer ones may be refused, cleanly, and if accepted they must run all the same.
 */
export const portableArtifact = probe(
  'portable-artifact',
  { program, version: text },
  (context, { program, version: wanted }) => {
    const { plugin } = context;
    const [current, minimum] = [plugin.stablehloVersion('current'), plugin.stablehloVersion('minimum')];
    if (!current) throw new NotSupported('the plugin announces no stablehlo_current_version');
    const version = wanted.split('.').map(Number) as [number, number, number];
    const promised = compareVersions(version, current) <= 0 && (!minimum || compareVersions(version, minimum) >= 0);
    const code = programBytes(plugin, { program, version: wanted });
    const inputs = sampleInputs(program);
    try {
      const executable = context.scope.own(
        context.client.compile(context.arena, code, 'mlir', compileOptions(context, {}, { program })),
      );
      const outputs = runOnce(context, executable, inputs).map((output) => fetchArray(context, output));
      const text = context.client.compile(
        context.arena,
        programBytes(plugin, { program }),
        'mlir',
        compileOptions(context, {}, { program }),
      );
      const reference = runOnce(context, context.scope.own(text), inputs).map((output) => fetchArray(context, output));
      outputs.forEach((array, i) => {
        expectArray(context, `output ${i} of the artifact at ${wanted}`, reference[i]!, array, 'bits');
      });
    } catch (error) {
      // Nothing was promised about this version: a clean refusal is right.
      if (!promised && error instanceof PjrtError && error.call === 'PJRT_Client_Compile') return;
      if (!promised && error instanceof NotSupported) return;
      throw error;
    }
  },
);
