import { cleanLine } from '../../base/sanitize.ts';
import type { Header, Run } from '../../model/run.ts';
import { profileText } from '../numeric-summary.ts';
import type { Paint } from './paint.ts';

/** What was taken from the configuration file, on one line; undefined if nothing was. */
export function configLine(config: Header['config']): string | undefined {
  if (!config || config.keys.length + config.leftOut.length === 0) return undefined;
  const left =
    config.leftOut.length > 0 ? `; not used, because --plugin names another plugin: ${config.leftOut.join(', ')}` : '';
  return `config ${config.file}: ${config.keys.join(', ') || 'nothing'}${left}`;
}

/** Which part of the run this is, and how it was chosen. */
function shardLine(shard: Header['shard']): string | undefined {
  if (!shard) return undefined;
  const { index, count, selection, durations, from } = shard;
  return [
    `shard ${index} of ${count}${selection ? ` of ${selection.cases} cases` : ''}`,
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(durations ? [`balanced by ${durations.file}`] : []),
  ].join(', ');
}

/** First lines of a run: what runs, which shard of it, and the options that came from a file. */
export function headerLine({ header }: Run, paint: Paint): string {
  if (!header) return '';
  const plugins = header.plugins.map((plugin) => plugin.path).join(', ');
  const strict = header.options?.strict ? ', strict' : '';
  const numerics = header.numerics ? `, numerics ${profileText(header.numerics)}` : '';
  const first =
    cleanLine(`${header.tool.name} ${header.tool.version}, profile ${header.profile}${numerics}${strict}: `) +
    ' ' +
    paint('bold', cleanLine(plugins));
  const more = [shardLine(header.shard), configLine(header.config)].filter((line) => line !== undefined);
  return [first, ...more.map((line) => paint('dim', cleanLine(line)))].join('\n');
}
