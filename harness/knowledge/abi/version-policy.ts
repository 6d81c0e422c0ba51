import { Abi, NEWEST_MINOR, OLDEST_MINOR } from './abi.ts';
import { ABI_TABLE } from './abi-table.ts';

/** The only major version there has ever been. */
const KNOWN_MAJOR = 0;

/**
 * Sizes that a plugin of this minor may report for its API table: the real end of the table, what the header of that
 * version wrongly declared, and what rolled-back versions with the same number reported. Empty: newer than the tables.
 */
export function expectedTableBytes(minor: number): number[] {
  if (minor > NEWEST_MINOR) return [];
  const abi = Abi.at(minor);
  const declared = abi.struct('PJRT_Api').declaredSize;
  const reused = ABI_TABLE.reused.filter((r) => r.minor === minor).flatMap((r) => r.tableBytes);
  return [...new Set([abi.tableBytes, ...(declared === null ? [] : [declared]), ...reused])];
}

/** Where a plugin's version stands relative to the tables. */
export function versionStanding(major: number, minor: number): 'known' | 'newer' | 'older' {
  if (major !== KNOWN_MAJOR) return major > KNOWN_MAJOR ? 'newer' : 'older';
  if (minor > NEWEST_MINOR) return 'newer';
  return minor < OLDEST_MINOR ? 'older' : 'known';
}
