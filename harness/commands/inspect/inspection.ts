import type { PluginFacts } from '../../model/plugin-facts.ts';
import type { FileFacts } from './file-facts.ts';
import type { LoadedFacts } from './loaded-facts.ts';

/** All results of `inspect` (schemas/inspection.schema.json). */
export interface Inspection {
  /** Version of this format. */
  version: '1.0';
  plugin: {
    name: string;
    path: string;
    sizeBytes: number;
    sha256: string;
    /** The manifest that applies, and how the library was recognised. */
    manifest?: string;
    recognisedBy?: string;
  };
  file: FileFacts;
  loaded?: LoadedFacts;
  /** Why it could not be loaded, or why PJRT_Plugin_Initialize failed. */
  failure?: NonNullable<PluginFacts['failure']>;
  /** Other observations, such as a query that killed its process. */
  warnings: string[];
}
