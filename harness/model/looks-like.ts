import type { NonEmpty } from './values.ts';

/**
 * What the wrong bytes of an array are instead of the right ones. strides: those of the array without its byte strides ·
 * device-layout, host-layout: those of the array in row-major order, which was not asked for · argument, zeros, other-program:
 * an argument of the program, nothing but zeros, or what another program had given, as the output of an execution
 */
export interface LooksLike {
  kind: 'strides' | 'device-layout' | 'host-layout' | 'argument' | 'zeros' | 'other-program';
  /** Of outputs: the program that was executed. */
  program?: NonEmpty;
}

/** The defects in words, with the function that has them and the requirement that they violate. */
export const DEFECTS: Readonly<
  Record<LooksLike['kind'], { text: string; call: string; requirement: string; ofPrograms?: true }>
> = {
  strides: {
    text: 'the byte strides are ignored',
    call: 'PJRT_Client_BufferFromHostBuffer',
    requirement: 'BUF-HOST-009',
  },
  'device-layout': {
    text: 'the device layout is ignored',
    call: 'PJRT_Client_BufferFromHostBuffer',
    requirement: 'BUF-HOST-024',
  },
  'host-layout': { text: 'the host layout is ignored', call: 'PJRT_Buffer_ToHostBuffer', requirement: 'BUF-D2H-006' },
  argument: ofPrograms('the output is an argument'),
  zeros: ofPrograms('the output is all zeros'),
  'other-program': ofPrograms('the output is that of another program'),
};

function ofPrograms(text: string) {
  return { text, call: 'PJRT_LoadedExecutable_Execute', requirement: 'RUN-BAS-001', ofPrograms: true } as const;
}
