import type { PluginFacts } from '../model/plugin-facts.ts';
import type { FileFacts } from './file-facts.ts';
import type { LoadedFacts } from './loaded-facts.ts';

/** Everything that `inspect` finds out; schemas/inspection.schema.json describes it. */
export interface Inspection {
  /** Of this format. */
  version: '1.0';
  plugin: {
    name: string;
    path: string;
    sizeBytes: number;
    sha256: string;
    /** The manifest that applies, and by what the library was recognised. */
    manifest?: string;
    recognisedBy?: string;
  };
  file: FileFacts;
  loaded?: LoadedFacts;
  /** Why it could not be loaded, or did not get through PJRT_Plugin_Initialize. */
  failure?: NonNullable<PluginFacts['failure']>;
  /** What else was noticed, such as a look at the plugin that ended its process. */
  warnings: string[];
}

/** The inspection as JSON for programs. */
export const formatInspectionJson = (inspection: Inspection): string => `${JSON.stringify(inspection, null, 2)}\n`;
