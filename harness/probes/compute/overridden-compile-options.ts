import { compileProgram } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { loadSerialized, serialize } from './load-serialized.ts';

const CALL = 'PJRT_Executable_DeserializeAndLoad';

/** An executable for the first device is loaded with options that name the last one, and then with none. */
export const overriddenCompileOptions: Probe = (context, options) => {
  const devices = context.client.addressableDevices();
  const [first, last] = [devices[0]!, devices.at(-1)!];
  const original = compileProgram(context, String(options.program), { device_assignment: [first.id()] });
  const bytes = serialize(context, original);
  const override = context.arena.input(compileOptions(context, { device_assignment: [last.id()] }));
  const size = compileOptions(context, { device_assignment: [last.id()] }).length;
  const cases = [
    {
      what: 'options for another device',
      wanted: last,
      loaded: loadSerialized(context, bytes, (call) => {
        call.setWord('overridden_serialized_compile_options', override.address);
        call.setSize('overridden_serialized_compile_options_size', size);
      }),
    },
    { what: 'no options', wanted: first, loaded: loadSerialized(context, bytes) },
  ];
  for (const { what, wanted, loaded } of cases) {
    const places = loaded.addressableDevices();
    if (places.length === 1 && places[0] === wanted.pointer) continue;
    throw new CheckFailure({
      type: 'pjrt.AssertionFailed',
      message: `an executable loaded with ${what} runs on other devices than those say`,
      call: CALL,
    });
  }
};
