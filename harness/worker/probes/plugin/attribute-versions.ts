import { CheckFailure } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';

const NAME = 'PJRT_Plugin_Attributes';

const fail = (message: string, requirement: string): never => {
  throw new CheckFailure({ type: 'pjrt.BadAttributes', message, call: NAME, requirements: [requirement] });
};

/** Versions are lists that frameworks index without a look at the length. */
export const attributeVersions = probe('attribute-versions', {}, (context) => {
  const attributes = context.plugin.attributes();
  const version = (key: string): number[] | undefined => {
    const found = attributes.find((v) => v.name === key);
    if (!found) return undefined;
    const { value } = found;
    if (found.type !== 2 || !Array.isArray(value)) fail(`${key} is no list of int64`, 'PLG-ATT-005');
    if ((value as number[]).length < 3)
      fail(`${key} has ${(value as number[]).length} elements, expected at least 3`, 'PLG-ATT-005');
    return value as number[];
  };
  const current = version('stablehlo_current_version');
  const minimum = version('stablehlo_minimum_version');
  version('sdy_current_version');
  if (!current || !minimum) return;
  const order = current.map((n, i) => Math.sign(n - (minimum[i] ?? 0))).find((sign) => sign !== 0) ?? 0;
  if (order < 0) {
    context.report({
      type: 'pjrt.BadAttributes',
      level: 'should',
      message: `stablehlo_minimum_version ${minimum.join('.')} is newer than stablehlo_current_version ${current.join('.')}`,
      call: NAME,
      requirements: ['PLG-ATT-007'],
    });
  }
});
