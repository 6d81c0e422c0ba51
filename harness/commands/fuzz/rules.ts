import { CONTRACTION } from './ops/contraction.ts';
import { CONTROL } from './ops/control.ts';
import { ELEMENTWISE } from './ops/elementwise.ts';
import { FORMS } from './ops/forms.ts';
import { MOVEMENT } from './ops/movement.ts';
import type { Rule } from './rule.ts';

/** Every operation that programs are made of, but for constants. */
export const RULES: Readonly<Record<string, Rule>> = {
  ...ELEMENTWISE,
  ...MOVEMENT,
  ...CONTRACTION,
  ...CONTROL,
  ...FORMS,
};
