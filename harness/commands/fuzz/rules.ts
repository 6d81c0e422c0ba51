import { CONTRACTION } from './ops/contraction.ts';
import { CONTROL } from './ops/control.ts';
import { ELEMENTWISE } from './ops/elementwise.ts';
import { MOVEMENT } from './ops/movement.ts';
import type { Rule } from './rule.ts';

/** Every operation that programs are made of, but for constants. */
export const RULES: Readonly<Record<string, Rule>> = { ...ELEMENTWISE, ...MOVEMENT, ...CONTRACTION, ...CONTROL };
