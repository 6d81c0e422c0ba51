/** The PJRT C API as data: versions, layouts, slots, enums, extensions. Nothing here touches native memory. */
export { Abi, introducedIn, NEWEST_MINOR, OLDEST_MINOR } from './abi.ts';
export { AbiError } from './abi-error.ts';
export {
  EXTENSIONS,
  type Extension,
  type ExtensionSlot,
  extensionEnum,
  extensionNamed,
  extensionStruct,
  type ProbeClass,
} from './extensions.ts';
export { type Field, StructLayout } from './struct-layout.ts';
export { ambiguity, expectedTableBytes, versionStanding } from './version-policy.ts';
