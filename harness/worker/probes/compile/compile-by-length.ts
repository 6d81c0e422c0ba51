import { LoadedExecutable } from '../../pjrt/executable.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import { oneOf, probe, program } from '../probe.ts';
import { runOnce, sampleInputs } from '../support/sample-run.ts';
import { compileText } from './compile-text.ts';

/** Bytes that lie behind text and options whose end the plugin should take from their length. */
const JUNK = Buffer.from('}} junk }}', 'latin1');

/** Code, format and options end where their sizes say: junk without a NUL lies right behind each of them. */
export const compileByLength = probe(
  'compile-by-length',
  { program, form: oneOf('text', 'portable') },
  (context, { program, form: format }) => {
    const { api, arena, client, scope } = context;
    const code = programBytes(context.plugin, { program, format });
    // Plugins exist that read nothing but the portable form.
    if (format === 'text') compileText(context, code);
    const options = compileOptions(context, {}, { program });
    const followed = (bytes: Uint8Array): bigint => arena.copy(Buffer.concat([bytes, JUNK])).address;
    const sent = api.make(arena, 'PJRT_Program');
    sent.at(0).setWord('code', followed(code));
    sent.at(0).setSize('code_size', code.length);
    sent.at(0).setWord('format', followed(Buffer.from('mlir')));
    sent.at(0).setSize('format_size', 4);
    const pointer = api.invoke(
      'PJRT_Client_Compile',
      (call) => {
        call.setWord('client', client.pointer);
        call.setWord('program', sent.address);
        call.setWord('compile_options', followed(options));
        call.setSize('compile_options_size', options.length);
      },
      (call) => call.word('executable'),
    );
    runOnce(context, scope.own(new LoadedExecutable(api, pointer)), sampleInputs(program));
  },
);
