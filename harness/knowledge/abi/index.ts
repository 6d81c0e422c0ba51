/** The PJRT C API as data: versions, layouts, slots, enums, extensions. Nothing here touches native memory. */
export { Abi, introducedIn, NEWEST_MINOR, OLDEST_MINOR, structsOf } from './abi.ts';
export { NotInVersionError } from './abi-error.ts';
export { type ExtensionSize, extensionSize } from './extension-size.ts';
export {
  EXTENSIONS,
  type ExtensionSlot,
  extensionEnum,
  extensionFunction,
  extensionFunctions,
  extensionNamed,
  extensionSizeOn,
  extensionStruct,
  isExtensionFunction,
  isLayoutKnown,
} from './extensions.ts';
export { CHANGING, type Getter, gettersOf } from './getters.ts';
export { headerSizes } from './header-sizes.ts';
export { type FunctionKind, kindsOf } from './kinds.ts';
export { memberInUse } from './member-in-use.ts';
export { makerOf, reasonNotToCall } from './not-called.ts';
export { holdsObjects, isDestroyer } from './object-types.ts';
export { type Field, StructLayout } from './struct-layout.ts';
export { expectedTableBytes, versionStanding } from './version-policy.ts';
export {
  XLA_FFI,
  XLA_FFI_ATTRIBUTES,
  XLA_FFI_DATA_TYPES,
  XLA_FFI_METADATA,
  XLA_FFI_STAGES,
  xlaFfiStruct,
} from './xla-ffi.ts';
