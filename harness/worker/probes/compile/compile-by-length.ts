import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import { oneOf, probe, program } from '../probe.ts';
import { runOnce, sampleInputs } from '../support/sample-run.ts';
import { compileText } from './compile-text.ts';
import { RawCompilation } from './raw-compilation.ts';

/** Code, format and options end where their sizes say: junk without a NUL lies right behind each of them. */
export const compileByLength = probe(
  'compile-by-length',
  { program, form: oneOf('text', 'portable') },
  (context, { program, form: format }) => {
    const code = programBytes(context.plugin, { program, format });
    // Plugins exist that read nothing but the portable form.
    if (format === 'text') compileText(context, code);
    const executable = new RawCompilation(context, code, 'mlir', compileOptions(context, {}, { program })).run();
    runOnce(context, executable, sampleInputs(program));
  },
);
