import type { Header, Run } from '../../model/run.ts';
import { profileText } from '../numeric-summary.ts';
import { cleanLine } from '../sanitize.ts';
import type { Paint } from './paint.ts';

/** What was taken from the configuration file, on one line; undefined if nothing was. */
export function configLine(config: Header['config']): string | undefined {
  if (!config || config.keys.length + config.leftOut.length === 0) return undefined;
  const left =
    config.leftOut.length > 0 ? `; not used, because --plugin names another plugin: ${config.leftOut.join(', ')}` : '';
  return `config ${config.file}: ${config.keys.join(', ') || 'nothing'}${left}`;
}

/** First line of a run, and a second one if options came from a file. */
export function headerLine({ header }: Run, paint: Paint): string {
  if (!header) return '';
  const plugins = header.plugins.map((plugin) => plugin.path).join(', ');
  const strict = header.options?.strict ? ', strict' : '';
  const numerics = header.numerics ? `, numerics ${profileText(header.numerics)}` : '';
  const first =
    cleanLine(`${header.tool.name} ${header.tool.version}, profile ${header.profile}${numerics}${strict}: `) +
    ' ' +
    paint('bold', cleanLine(plugins));
  const config = configLine(header.config);
  return config === undefined ? first : `${first}\n${paint('dim', cleanLine(config))}`;
}
