import { Abi, expectedTableBytes, NEWEST_MINOR } from '../../../knowledge/abi/index.ts';
import { mappingAt, readMappings } from '../../ffi/mappings.ts';
import { readBytes } from '../../ffi/memory.ts';
import type { PjrtApi } from '../../pjrt/api.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import { checks, fn, list, optional, type Run } from '../probe.ts';

const HEADER_BYTES = 40;
const VERSION_BYTES = 24;
const FLOOR_MINOR = 29;

// What GetPjrtApi returns, looked at without calling any of it.

const fail = (message: string, detail = ''): never => {
  throw new CheckFailure({ type: 'pjrt.BadTable', message, call: 'GetPjrtApi', ...(detail ? { detail } : {}) });
};

const OPTIONS = { everyday: optional(list(fn), []) };
type Check = Run<typeof OPTIONS>;

/** The same table every time, with the same bytes. */
const tableRepeat: Check = ({ plugin, api, instrument }) => {
  instrument.recording?.beyond('what the table was like before');
  const first = api.tableImage();
  for (let i = 0; i < 3; i++) {
    if (plugin.getPjrtApi() !== api.address) fail('GetPjrtApi returned another table than the first time');
  }
  const changed = api.tableImage().findIndex((b, i) => b !== first[i]);
  if (changed >= 0) fail(`byte ${changed} of the table changed when GetPjrtApi was called again`);
  const since = plugin.atLoad.table.findIndex((b, i) => b !== first[i]);
  if (since >= 0) fail(`byte ${since} of the table has changed since the library was loaded`);
};

/** A version that frameworks accept. */
const tableVersion: Check = ({ api }) => {
  const { major, minor } = api.version;
  if (major !== 0) fail(`the major version is ${major}, frameworks accept 0 only`);
  if (minor < FLOOR_MINOR) fail(`the minor version is ${minor}, frameworks accept ${FLOOR_MINOR} and newer`);
};

/** The version is a struct of the right size. */
const tableVersionStruct: Check = ({ api, instrument }) => {
  const view = new DataView(readBytes(api.address + 16n, VERSION_BYTES).buffer);
  const structSize = Number(view.getBigUint64(0, true));
  if (structSize !== VERSION_BYTES) {
    fail(`PJRT_Api.pjrt_api_version.struct_size is ${structSize}, expected ${VERSION_BYTES}`);
  }
  const extension = view.getBigUint64(8, true);
  const mappings = readMappings();
  if (extension !== 0n && mappings && !mappingAt(mappings, extension)?.readable) {
    instrument.recording?.beyond('where the extensions of the version are');
    fail('PJRT_Api.pjrt_api_version.extension_start is neither NULL nor an address that can be read');
  }
};

/** The size of the table is that of its version. */
const tableSize: Check = ({ api }) => {
  const { tableBytes } = api;
  const { minor } = api.version;
  if (tableBytes < HEADER_BYTES)
    fail(`PJRT_Api.struct_size is ${tableBytes}, the head alone has ${HEADER_BYTES} bytes`);
  if ((tableBytes - HEADER_BYTES) % 8 !== 0) {
    fail(`PJRT_Api.struct_size is ${tableBytes}: behind the head there is no whole number of pointers`);
  }
  if (minor > NEWEST_MINOR) {
    const least = Abi.at(NEWEST_MINOR).tableBytes;
    // The table of a version to come is not known; functions have only ever been added since 0.57.
    if (tableBytes < least) fail(`PJRT_Api.struct_size is ${tableBytes}; a table of 0.${NEWEST_MINOR} has ${least}`);
    return;
  }
  const expected = expectedTableBytes(minor);
  if (expected.includes(tableBytes)) return;
  fail(
    `PJRT_Api.struct_size is ${tableBytes}, a table of 0.${minor} has ${expected.join(' or ')} bytes`,
    'Either the version or the table is not that of the header: a local change to the header, or one that was reverted.',
  );
};

/** Slots that are NULL: those of everyday work violate a MUST, others that frameworks do not test for NULL a SHOULD. */
const tableSlots: Check = (context, { everyday: names }) => {
  const everyday = new Set(names);
  const abi = Abi.at(context.api.version.minor);
  const missing = knownSlots(context.api)
    .filter(({ name, address }) => address === 0n && !abi.isNullable(name))
    .map(({ name }) => name);
  const say = (calls: string[], level: 'must' | 'should', when: string): void => {
    if (calls.length === 0) return;
    const are = calls.length === 1 ? 'function is' : 'functions are';
    const message = `${calls.length} ${are} NULL that frameworks call without a test${when}: ${calls.join(', ')}`;
    context.report({ type: 'pjrt.NullFunction', level, message, calls, requirements: ['ABI-SLOT-001'] });
  };
  say(
    missing.filter((name) => everyday.has(name)),
    'must',
    ' in everyday work',
  );
  say(
    missing.filter((name) => !everyday.has(name)),
    'should',
    ' when asked for; UNIMPLEMENTED would be an answer',
  );
};

/** Every slot that is not NULL points to code. */
const tableCode: Check = ({ api }) => {
  const mappings = readMappings();
  if (!mappings) throw new NotSupported('this system does not say what is mapped where');
  const wrong = knownSlots(api).filter(({ address }) => address !== 0n && !mappingAt(mappings, address)?.executable);
  if (wrong.length > 0) fail(`slots that point to no code: ${wrong.map((s) => s.name).join(', ')}`);
};

function knownSlots(api: PjrtApi): { name: string; address: bigint }[] {
  return Abi.at(api.version.minor).functions.flatMap((name) => {
    const address = api.slot(name);
    return address === undefined ? [] : [{ name, address }];
  });
}

/** What GetPjrtApi returns, looked at without calling any of it. */
export const apiTable = checks('api-table', OPTIONS, {
  repeat: tableRepeat,
  version: tableVersion,
  'version-struct': tableVersionStruct,
  size: tableSize,
  slots: tableSlots,
  code: tableCode,
});
