import { Abi, NEWEST_MINOR } from './abi.ts';
import { extensionFunction, extensionFunctions } from './extensions.ts';
import type { Field } from './struct-layout.ts';

/** Derived once from the layouts of all functions. */
interface Facts {
  /** Types that functions are about, and whose contents callers don't see: `PJRT_Buffer` and so on. */
  types: ReadonlySet<string>;
  /** Functions that destroy what they are about. */
  destroyers: ReadonlySet<string>;
}

let known: Facts | undefined;

function facts(): Facts {
  if (known) return known;
  const abi = Abi.at(NEWEST_MINOR);
  const layouts = [
    ...abi.functions.filter((name) => abi.hasStruct(`${name}_Args`)).map((name) => abi.argsOf(name)),
    ...[...extensionFunctions().keys()].map((name) => extensionFunction(name).args()),
  ];
  const subjects = layouts.flatMap(({ subject }) => (subject?.depth === 1 ? [subject.base] : []));
  const owned = layouts.flatMap(({ fields }) => fields.filter(({ destroy }) => destroy !== undefined));
  const isArguments = (type: string): boolean => abi.hasStruct(type) && abi.struct(type).has('struct_size');
  const types = [...subjects, ...owned.map(({ base }) => base)];
  known = {
    types: new Set(types.filter((type) => /^PJRT_/.test(type) && !isArguments(type))),
    destroyers: new Set(['PJRT_Error_Destroy', ...owned.map(({ destroy }) => destroy!)]),
  };
  return known;
}

/** Whether a field leads to objects: things that functions are about, and into which callers don't look. */
export const holdsObjects = ({ base, depth }: Field): boolean => depth > 0 && facts().types.has(base);

/** Whether a function destroys the object that it is about. */
export const isDestroyer = (name: string): boolean => facts().destroyers.has(name);
