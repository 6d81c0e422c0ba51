/** Part of `npm run build`: writes plugins/reference/generated. */
import { writeGeneratedSources } from './generated-sources.ts';

writeGeneratedSources();
