import { parse } from 'yaml';
import { UsageError } from '../../harness/base/usage-error.ts';
import { appendItem } from './append-item.ts';
import { needed, type Read, type Scaffold, type Values } from './scaffold.ts';

const CATALOGUE = 'plugins/faults/catalogue.yaml';

/** A fault that a case must detect: an entry of the catalogue, and code that as yet changes nothing. */
export function newFault(name: string, values: Values, read: Read): Scaffold {
  const catalogue = read(CATALOGUE)!;
  const { areas } = parse(catalogue) as { areas: Record<string, Record<string, unknown>> };
  const area = needed(values, 'area', `an area of the catalogue: ${Object.keys(areas).join(', ')}`);
  if (Object.values(areas).some((faults) => name in faults))
    throw new UsageError(`the catalogue has a fault ${name} already`);
  const file = `plugins/faults/${needed(values, 'file', 'the source that it belongs to, such as events.cc')}`;
  const source = read(file);
  const end = source?.lastIndexOf('\n}  // namespace') ?? -1;
  if (source === undefined || end < 0) throw new UsageError(`${file} is not a source of faults`);
  const slot = needed(values, 'function', 'the function that it changes, such as PJRT_Buffer_ReadyEvent');
  const violated = needed(values, 'breaks', 'the requirement that it violates');
  const entry = {
    defect: needed(values, 'defect', 'what is wrong, in one sentence'),
    from: [values.from ?? violated],
    suites: [needed(values, 'suites', 'the suite, or a glob on the cases, that could detect it')],
    breaks: [violated],
  };
  const code = `FAULT("${name}") {\n  After<SLOT(${slot})>([](auto& args) { (void)args; });\n}\n`;
  return {
    files: {
      [CATALOGUE]: appendItem(catalogue, ['areas', area], { [name]: entry }),
      [file]: `${source.slice(0, end)}${code}${source.slice(end)}`,
    },
    next: [
      `${file}    # write the defect; faults.h says how`,
      `npm run mutation -- --fault ${name} --record && npm run docs    # "detected", or the check is missing`,
    ],
  };
}
