/** Part of `npm run build`: writes plugins/recorder/generated. */
import { writeRecorderSources } from './recorder-sources.ts';

writeRecorderSources();
