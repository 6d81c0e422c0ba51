import type { Executable } from '../../pjrt/executable.ts';
import { PluginExtension } from '../../pjrt/extension-call.ts';
import type { CaseContext } from '../../steps/context.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import { control, createdIn } from '../../steps/run-valid-call.ts';
import { named } from '../../steps/valid-objects.ts';

/** The extension of this name. @throws NotSupported */
export function extensionOf(context: CaseContext, name: string): PluginExtension {
  const found = PluginExtension.find(context.api, name);
  if (typeof found === 'string') throw new NotSupported(found);
  return found;
}

/** Ends the case with a failure of an extension. */
export function fail(extension: PluginExtension, message: string): never {
  const { name } = extension;
  throw new CheckFailure({ type: 'pjrt.ExtensionContract', message: `${name}: ${message}`, extension: name });
}

/** Reports something that frameworks count on and nobody promised. */
export function warn(context: CaseContext, extension: PluginExtension, message: string): void {
  const { name } = extension;
  context.report({ type: 'pjrt.ExtensionContract', level: 'should', message: `${name}: ${message}`, extension: name });
}

/** An executable of the case: a loaded one's where there is a client, else one compiled for the topology alone. */
export function someExecutable(context: CaseContext): Executable {
  if (context.subjects[0]!.client && context.case.client === 'shared')
    return named(context, 'executable') as Executable;
  return createdIn(control(context, 'PJRT_Compile'), 'PJRT_Compile', 'executable');
}
