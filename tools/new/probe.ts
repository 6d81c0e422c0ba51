import { UsageError } from '../../harness/base/usage-error.ts';
import { needed, type Read, type Scaffold, type Values } from './scaffold.ts';

/** A probe that passes before it is given something to check. @param place `area/name`, the area being that of its suite */
export function newProbe(place: string, values: Values, read: Read): Scaffold {
  const [area = '', name] = place.split('/');
  if (name === undefined || !/^[a-z-]+$/.test(area) || !/^[a-z][a-z0-9-]+$/.test(name))
    throw new UsageError(`"${place}" is not a place for a probe: write AREA/NAME, such as events/event-called-twice`);
  const file = `harness/worker/probes/${area}/${name}.ts`;
  if (read(file) !== undefined) throw new UsageError(`there is a probe ${name} already: ${file}`);
  const identifier = name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const sentence = needed(values, 'text', 'what it checks, in one sentence').replace(/\.?$/, '.');
  const code = `import { probe } from '../probe.ts';
import { violated } from '../support/checks.ts';

/** ${sentence} */
export const ${identifier} = probe('${name}', {}, (context) => {
  if (context.client.devices().length === 0) violated('there is no device', 'PJRT_Client_Devices');
});
`;
  return {
    files: { [file]: code },
    next: [
      `${file}    # write the check; options go into the braces (harness/worker/probes/probe.ts)`,
      'npm run docs    # adds it to the registry',
      `a case with the step {probe: ${name}}: npm run new -- case ${area}/SUITE:ID --covers ID`,
    ],
  };
}
