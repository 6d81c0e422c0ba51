import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { withoutText } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { refusal } from '../../steps/outcome.ts';

/**
 * Compiles StableHLO text for a case that is not about text: frameworks send the portable form, and a plugin may read
 * nothing else. The case's scope owns the executable.
 * @throws NotSupported when the plugin refuses it
 */
export function compileText(context: CaseContext, code: Uint8Array): LoadedExecutable {
  const { arena, client, scope } = context;
  try {
    return scope.own(client.compile(arena, code, 'mlir', compileOptions(context)));
  } catch (error) {
    throw withoutText(context, client, error) ?? refusal(error, 'the plugin refuses this StableHLO text');
  }
}
