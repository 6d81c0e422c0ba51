import { readNamedValues } from '../../pjrt/named-values.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';

/** Every property of the costs has a name that no other has, and a value of a type that the API knows. */
export const costProperties: Probe = (context, options) => {
  const { api } = context;
  const executable = context.scope.own(compileProgram(context, String(options.program)).getExecutable());
  const properties = api.invoke(
    'PJRT_Executable_GetCostAnalysis',
    (call) => call.setWord('executable', executable.pointer),
    (call) => readNamedValues(api, call.word('properties'), call.size('num_properties')),
  );
  const fail = (message: string) => {
    throw new CheckFailure({ type: 'pjrt.AssertionFailed', message, call: 'PJRT_Executable_GetCostAnalysis' });
  };
  const names = properties.map((p) => p.name);
  if (names.includes('')) fail('a cost property has no name');
  const double = names.find((name, i) => names.indexOf(name) !== i);
  if (double !== undefined) fail(`the cost property ${JSON.stringify(double)} occurs twice`);
  const strange = properties.find((p) => p.value === undefined);
  if (strange)
    fail(`the cost property ${JSON.stringify(strange.name)} has the type ${strange.type}, which no value has`);
};
