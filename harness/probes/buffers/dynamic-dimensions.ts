import { PjrtError } from '../../pjrt/errors.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, option } from './support.ts';

const CALL = 'PJRT_Buffer_DynamicDimensionIndices';

/** A buffer of static shape has no dynamic dimensions. UNIMPLEMENTED is the one error that frameworks put up with. Option `buffer`. */
export const dynamicDimensions: Probe = (context, options) => {
  const buffer = context.resolveBuffer(option(options, 'buffer', '$x'));
  let count: number;
  try {
    count = context.api.invoke(
      CALL,
      (call) => call.setWord('buffer', buffer.pointer),
      (call) => call.size('num_dynamic_dims'),
    );
  } catch (error) {
    if (error instanceof PjrtError && error.codeName === 'UNIMPLEMENTED')
      throw new NotSupported(`${CALL} answers UNIMPLEMENTED, which frameworks take for a static shape`);
    throw error;
  }
  if (count !== 0) broken(`a buffer of static shape has ${count} dynamic dimensions`, CALL, 'BUF-META-004');
};
