import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PluginFacts } from '../../harness/model/plugin-facts.ts';
import type { Status } from '../../harness/model/status.ts';
import type { HtmlHead } from '../../harness/report/html-data.ts';
import { route } from '../state/route.ts';
import { useApp } from '../ui/app.ts';
import { Chips } from '../ui/chips.tsx';
import { count, number } from '../ui/format.ts';
import { Link } from '../ui/link.tsx';
import { scrollToMiddle } from '../ui/scroll.tsx';

type Capabilities = HtmlHead['capabilities'][number];
type Ability = Capabilities['extensions'][number]['slots'][number]['ability'];

const ABILITIES: Readonly<Record<Ability, { word: string; meaning: string; sign: string }>> = {
  works: { word: 'works', meaning: 'a call succeeded', sign: '✓' },
  unstable: { word: 'unstable', meaning: 'a call succeeded, and a process also died or hung in another', sign: '!' },
  unimplemented: { word: 'unimplemented', meaning: 'every call returned UNIMPLEMENTED', sign: '○' },
  fails: { word: 'fails', meaning: 'every call returned an error', sign: '✗' },
  dies: { word: 'dies', meaning: 'it never worked, and a process died in it', sign: '†' },
  hangs: { word: 'hangs', meaning: 'it never worked, and a process that hung in it was killed', sign: '∞' },
  null: { word: 'NULL', meaning: 'NULL in its slot', sign: '∅' },
  absent: { word: 'absent', meaning: 'past the end of the table, or newer than the plugin', sign: '–' },
  'not-called': { word: 'not called', meaning: 'the harness does not call it; the reason is given', sign: '·' },
  untried: { word: 'untried', meaning: 'no case of the run called it', sign: '?' },
};

const ABILITY_ORDER = Object.keys(ABILITIES) as Ability[];

/** A function in the matrix. */
interface Cell {
  /** Name in findings. */
  call: string;
  name: string;
  ability: Ability;
  reason?: string;
  answers: readonly string[];
}

/** Capabilities of each plugin: every function of the C API, and of the extensions in its chain. */
export function CapabilityMatrix() {
  const { report } = useApp();
  const { capabilities, plugins } = report.head;
  if (capabilities.length === 0) {
    return (
      <div class="page">
        <h1>Capabilities</h1>
        <p class="empty">The run learnt nothing of any plugin: none could be loaded.</p>
      </div>
    );
  }
  return (
    <div class="page">
      <h1>Capabilities</h1>
      {capabilities.map((entry, at) => (
        <PluginMatrix
          key={entry.plugin}
          capabilities={entry}
          facts={plugins[at] as Partial<PluginFacts>}
          several={capabilities.length > 1}
        />
      ))}
    </div>
  );
}

function PluginMatrix({
  capabilities,
  facts,
  several,
}: {
  capabilities: Capabilities;
  facts: Partial<PluginFacts>;
  several: boolean;
}) {
  const functions = useMemo(() => functionCells(capabilities, facts.answers ?? {}), [capabilities]);
  const groups = useMemo(() => byObject(functions), [functions]);
  return (
    <>
      <section class="card" aria-label={`Functions of ${capabilities.plugin}`}>
        <h2>
          {several && `${capabilities.plugin}: `}Functions of the C API <small>{number(functions.length)}</small>
        </h2>
        <Legend cells={functions} />
        {functions.length === 0 && <p class="empty">The plugin gave no table of functions.</p>}
        {groups.map(([object, cells]) => (
          <CellGroup key={object} title={object} cells={cells} />
        ))}
      </section>
      <section class="card" aria-label={`Extensions of ${capabilities.plugin}`}>
        <h2>
          {several && `${capabilities.plugin}: `}Extensions <small>{number(capabilities.extensions.length)}</small>
        </h2>
        {capabilities.extensions.length === 0 && <p class="empty">The plugin has no extensions.</p>}
        <Legend cells={capabilities.extensions.flatMap((extension) => slotCells(extension, facts.answers ?? {}))} />
        {capabilities.extensions.map((extension) => {
          const known = facts.extensions?.find(({ type }) => type === extension.type);
          const size = known && `type ${extension.type}, ${known.structSize} bytes`;
          return (
            <CellGroup
              key={extension.type}
              title={extension.name}
              note={size ?? `type ${extension.type}`}
              cells={slotCells(extension, facts.answers ?? {})}
            />
          );
        })}
      </section>
    </>
  );
}

/** Legend of the capabilities, with counts; selecting one filters the functions. */
function Legend({ cells }: { cells: readonly Cell[] }) {
  const { route: here, go } = useApp();
  const chosen = here.how.ability;
  return (
    <Chips label="Show only">
      {ABILITY_ORDER.map((ability) => {
        const having = cells.filter((cell) => cell.ability === ability).length;
        if (having === 0) return null;
        const on = chosen === ability;
        return (
          <button
            key={ability}
            type="button"
            class={`chip a-${ability}`}
            aria-pressed={on}
            title={ABILITIES[ability].meaning}
            onClick={() => go({ ...here, how: on ? {} : { ability } }, 'replace')}
          >
            <span class="sign" aria-hidden="true">
              {ABILITIES[ability].sign}
            </span>
            {ABILITIES[ability].word} <b>{number(having)}</b>
          </button>
        );
      })}
    </Chips>
  );
}

function CellGroup({ title, note, cells }: { title: string; note?: string; cells: readonly Cell[] }) {
  const { route: here } = useApp();
  const { ability } = here.how;
  const shown = ability === undefined ? cells : cells.filter((cell) => cell.ability === ability);
  if (shown.length === 0) return null;
  const works = cells.filter(({ ability: can }) => can === 'works' || can === 'unstable').length;
  return (
    <section class="cells">
      <h3>
        {title}{' '}
        <small>
          {works} of {count(cells.length, 'function')} {works === 1 ? 'works' : 'work'}
          {note === undefined ? '' : ` · ${note}`}
        </small>
      </h3>
      <ul>
        {shown.map((cell) => (
          <MatrixCell key={cell.call} cell={cell} />
        ))}
      </ul>
    </section>
  );
}

function MatrixCell({ cell }: { cell: Cell }) {
  const { report, route: here } = useApp();
  const shown = here.how.fn === cell.call;
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (shown) scrollToMiddle(place.current);
  }, [shown]);
  const { cases, crashes, timeouts } = report.casesAbout(cell.call);
  const { meaning, sign } = ABILITIES[cell.ability];
  const answers = cell.answers.filter((answer) => !ENDS.has(answer) && answer !== 'OK');
  const links: [count: number, noun: string, status: Status[]][] = [
    [crashes, 'crash', ['crash']],
    [timeouts, 'timeout', ['timeout']],
    [cases - crashes - timeouts, 'other finding', []],
  ];
  return (
    <li
      class={`cell a-${cell.ability}${shown ? ' here' : ''}`}
      title={cell.reason ?? meaning}
      ref={place}
      {...(shown ? { 'aria-current': 'true' as const } : {})}
    >
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span class="cell-name">
        {cell.name} <span class={cell.ability === 'works' ? 'unseen' : 'cell-word'}>{wordOf(cell)}</span>
        {answers.length > 0 && <span class="cell-answers">{answers.join(', ')}</span>}
        {cell.reason !== undefined && <span class="cell-answers">{cell.reason}</span>}
      </span>
      {cases > 0 && (
        <span class="cell-cases">
          {links.map(
            ([many, noun, status]) =>
              many > 0 && (
                <Link key={noun} to={route('cases', { filter: { call: cell.call, status } })}>
                  {many === cases && noun === 'other finding' ? count(many, 'finding') : plural(many, noun)}
                </Link>
              ),
          )}
        </span>
      )}
    </li>
  );
}

/** Answers of a function in which the process ended. */
const ENDS = new Set(['DEATH', 'HANG']);

/** What of an unstable function happened besides the success. */
function wordOf({ ability, answers }: Cell): string {
  if (ability !== 'unstable') return ABILITIES[ability].word;
  const [died, hung] = [answers.includes('DEATH'), answers.includes('HANG')];
  return `works at times, ${died && hung ? 'died and hung at others' : died ? 'died at others' : 'hung at others'}`;
}

const plural = (many: number, noun: string): string =>
  noun === 'crash' ? `${number(many)} ${many === 1 ? 'crash' : 'crashes'}` : count(many, noun);

const functionCells = ({ functions }: Capabilities, answers: Readonly<Record<string, string[]>>): Cell[] =>
  Object.entries(functions).map(([call, ability]) => ({
    call,
    name: call.replace(/^PJRT_/, ''),
    ability,
    answers: answers[call] ?? [],
  }));

const slotCells = (
  { name, slots }: Capabilities['extensions'][number],
  answers: Readonly<Record<string, string[]>>,
): Cell[] =>
  slots.map((slot) => ({
    call: `${name}.${slot.name}`,
    name: slot.name,
    ability: slot.ability,
    reason: slot.reason,
    answers: answers[`${name}.${slot.name}`] ?? [],
  }));

/** Functions by object, from their names: `PJRT_Buffer_Destroy` belongs to Buffer. */
function byObject(cells: readonly Cell[]): [object: string, cells: Cell[]][] {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const object = cell.name.split('_')[0]!;
    const group = groups.get(object);
    if (group) group.push(cell);
    else groups.set(object, [cell]);
  }
  return [...groups];
}
