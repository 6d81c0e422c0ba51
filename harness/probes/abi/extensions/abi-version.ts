import { PjrtError } from '../../../pjrt/errors.ts';
import type { PluginExtension } from '../../../pjrt/extension-call.ts';
import type { CaseContext } from '../../../steps/context.ts';
import type { Probe } from '../../../steps/steps.ts';
import { wordOption } from '../probe-options.ts';
import { extensionOf, fail, someExecutable, takeBytes } from './support.ts';

type Kind = 'runtime' | 'executable';

/** ABI versions as objects: the `runtime`'s, an `executable`'s, and `garbage` that is none. */
export const abiVersionExtension: Probe = (context, options) => {
  const extension = extensionOf(context, 'AbiVersion');
  const checks = { runtime, executable, garbage };
  checks[wordOption(options, 'aspect', ['runtime', 'executable', 'garbage'])](context, extension);
};

/** A version that the caller owns. */
function own(context: CaseContext, extension: PluginExtension, kind: Kind, version: bigint): bigint {
  if (version === 0n) fail(extension, `a ${kind} version is NULL`);
  context.scope.defer(() =>
    extension.invoke(`${kind}_abi_version_destroy`, (call) => call.setWord('abi_version', version)),
  );
  return version;
}

function toProto(context: CaseContext, extension: PluginExtension, kind: Kind, version: bigint): Uint8Array {
  const given = extension.invoke(
    `${kind}_abi_version_to_proto`,
    (call) => call.setWord('abi_version', version),
    (call) => ({
      pointer: call.word('serialized_proto'),
      size: call.size('serialized_proto_size'),
      holder: call.word('serialized_proto_holder'),
      deleter: call.word('serialized_proto_deleter'),
    }),
  );
  return takeBytes(context, extension, given);
}

function fromProto(context: CaseContext, extension: PluginExtension, kind: Kind, bytes: Uint8Array): bigint {
  const version = extension.invoke(
    `${kind}_abi_version_from_proto`,
    (call) => {
      call.setWord('serialized_proto', context.arena.input(bytes).address);
      call.setSize('serialized_proto_size', bytes.length);
    },
    (call) => call.word('abi_version'),
  );
  return own(context, extension, kind, version);
}

const platform = (extension: PluginExtension, kind: Kind, version: bigint): bigint =>
  extension.invoke(
    `${kind}_abi_version_platform_id`,
    (call) => call.setWord('abi_version', version),
    (call) => call.word('platform_id'),
  );

/** Whether the runtime `of` can live with another version: an error is the answer no. */
function expectCompatible(extension: PluginExtension, of: bigint, kind: Kind, other: bigint, what: string): void {
  try {
    extension.invoke(`runtime_abi_version_is_compatible_with_${kind}`, (call) => {
      call.setWord('abi_version', of);
      call.setWord(kind === 'runtime' ? 'other_abi_version' : 'executable_abi_version', other);
    });
  } catch (error) {
    if (error instanceof PjrtError) fail(extension, `the runtime is not compatible with ${what}: ${error.codeName}`);
    throw error;
  }
}

const runtimeVersion = (context: CaseContext, extension: PluginExtension): bigint =>
  own(
    context,
    extension,
    'runtime',
    extension.invoke(
      'client_runtime_abi_version',
      (call) => call.setWord('client', context.client.pointer),
      (call) => call.word('abi_version'),
    ),
  );

/** Compatible with itself, and with what is left of it after a round trip through bytes. */
function runtime(context: CaseContext, extension: PluginExtension): void {
  const version = runtimeVersion(context, extension);
  expectCompatible(extension, version, 'runtime', version, 'itself');
  const again = fromProto(context, extension, 'runtime', toProto(context, extension, 'runtime', version));
  expectCompatible(extension, version, 'runtime', again, 'its own copy');
  expectCompatible(extension, again, 'runtime', version, 'the version that it is a copy of');
  if (platform(extension, 'runtime', again) !== platform(extension, 'runtime', version)) {
    fail(extension, 'the platform id of a runtime version changes in a round trip');
  }
}

function executable(context: CaseContext, extension: PluginExtension): void {
  const { pointer } = someExecutable(context);
  const version = own(
    context,
    extension,
    'executable',
    extension.invoke(
      'executable_get_abi_version',
      (call) => call.setWord('executable', pointer),
      (call) => call.word('abi_version'),
    ),
  );
  const again = fromProto(context, extension, 'executable', toProto(context, extension, 'executable', version));
  if (platform(extension, 'executable', again) !== platform(extension, 'executable', version)) {
    fail(extension, 'the platform id of an executable version changes in a round trip');
  }
  if (context.case.client === 'shared') {
    expectCompatible(extension, runtimeVersion(context, extension), 'executable', version, 'its own executable');
  }
}

/** Bytes that are no version are an error. */
function garbage(context: CaseContext, extension: PluginExtension): void {
  const bytes = Buffer.from('ff'.repeat(16), 'hex');
  for (const kind of ['runtime', 'executable'] as const) {
    try {
      fromProto(context, extension, kind, bytes);
    } catch (error) {
      if (error instanceof PjrtError) continue;
      throw error;
    }
    fail(extension, `bytes that are no protocol buffer are taken for a version of the ${kind}`);
  }
}
