import { readInt64s, readPointers, readText } from '../../pjrt/strings.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';
import { extensionOf, fail } from './support.ts';

/** A phase compiler can be had, names its phases, and is destroyed; no phase is run. */
export const phaseCompileExtension = probe('extension-phase-compile', {}, (context) => {
  const extension = extensionOf(context, 'PhaseCompile');
  for (const slot of ['phase_compile_get_compiler', 'phase_compile_destroy_compiler']) {
    if (!extension.has(slot)) throw new NotSupported(`the plugin has no phase compiler: ${slot} is NULL`);
  }
  const compiler = extension.invoke(
    'phase_compile_get_compiler',
    () => {},
    (call) => call.word('phase_compiler'),
  );
  if (compiler === 0n) fail(extension, 'phase_compile_get_compiler succeeded, but the compiler is NULL');
  context.scope.defer(() =>
    extension.invoke('phase_compile_destroy_compiler', (call) => call.setWord('phase_compiler', compiler)),
  );
  const names = extension.invoke(
    'phase_compile_get_phase_names',
    (call) => call.setWord('phase_compiler', compiler),
    (call) => {
      const count = call.size('num_phase_names');
      const [texts, sizes] = [call.word('phase_names'), call.word('phase_names_sizes')];
      const lengths = readInt64s(sizes, count);
      const read = readPointers(texts, count).map((p, i) => readText(p, lengths[i]!));
      extension.invoke('phase_compile_c_buffers_destroy', (release) => {
        release.setWord('char_buffers', texts);
        release.setWord('char_buffer_sizes', sizes);
        release.setSize('num_char_buffers', count);
      });
      return read;
    },
  );
  if (names.length === 0) fail(extension, 'the phase compiler has no phases');
  if (names.some((name) => name === '')) fail(extension, 'a phase has no name');
  if (new Set(names).size !== names.length) fail(extension, `a phase occurs twice: ${names.join(', ')}`);
});
