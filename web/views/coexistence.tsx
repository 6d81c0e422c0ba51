import type { Cell, CellStatus } from '../../harness/commands/coexist/cell.ts';
import type { HtmlMatrix } from '../../harness/commands/coexist/html.ts';
import type { Status } from '../../harness/model/status.ts';
import { CopyButton } from '../ui/copy.tsx';
import { count, moment, time } from '../ui/format.ts';
import { TableFrame, Verbatim } from '../ui/scroll.tsx';
import { StatusIcon } from '../ui/status.tsx';
import { VerdictPage } from '../ui/verdict-page.tsx';

/** The icon and the word of each status of a cell. */
const SHOWN: Readonly<Record<CellStatus, { icon: Status; word: string }>> = {
  pass: { icon: 'pass', word: 'passes' },
  warn: { icon: 'warn', word: 'warns' },
  'no-client': { icon: 'skip', word: 'no client' },
  known: { icon: 'warn', word: 'known' },
  fail: { icon: 'fail', word: 'fails' },
  impossible: { icon: 'unsupported', word: 'impossible' },
  error: { icon: 'error', word: 'no result' },
};

/** Plugins in one process: every arrangement, and who disturbs whom, on one page. */
export function CoexistencePage({ matrix }: { matrix: HtmlMatrix }) {
  const good = matrix.exitCode === 0;
  return (
    <VerdictPage
      kind="coexistence"
      plugins={matrix.plugins.map(({ name }) => name)}
      good={good}
      eyebrow={`${count(matrix.plugins.length, 'plugin')} in one process`}
      heading={good ? 'They get on' : 'They do not get on'}
      verdict={
        <>
          <p class="lead">{matrix.line}</p>
          <p class="dim">{moment(matrix.startedAt)}</p>
        </>
      }
    >
      <Table matrix={matrix} />
      <Interferences matrix={matrix} />
      <Files matrix={matrix} />
      <Cells matrix={matrix} />
    </VerdictPage>
  );
}

const anchorOf = (matrix: HtmlMatrix, cell: Cell): string => `cell-${matrix.cells.indexOf(cell)}`;

const CellLink = ({ matrix, cell }: { matrix: HtmlMatrix; cell: Cell }) => (
  <a class="cell" href={`#${anchorOf(matrix, cell)}`} title={matrix.titles[cell.name]}>
    <StatusIcon status={SHOWN[cell.status].icon} /> {SHOWN[cell.status].word}
  </a>
);

function Table({ matrix }: { matrix: HtmlMatrix }) {
  const { plugins, cells } = matrix;
  const at = (first: string, second: string): Cell[] =>
    cells.filter(
      ({ company, plugins: [a, b] }) => company !== 'all' && company !== 'alone' && a === first && b === second,
    );
  const all = cells.filter(({ company }) => company === 'all');
  return (
    <section class="card" aria-labelledby="matrix">
      <h2 id="matrix">
        Matrix <small>rows: loaded first, columns: loaded second</small>
      </h2>
      <TableFrame label="Matrix">
        <table>
          <thead>
            <tr>
              <th>Loaded first</th>
              <th>Alone</th>
              {plugins.map(({ name }) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {plugins.map(({ name: first, apiVersion, control }) => (
              <tr key={first}>
                <th scope="row">
                  {first} <small class="dim">{[apiVersion, control && 'control'].filter(Boolean).join(', ')}</small>
                </th>
                <td>
                  {cells
                    .filter(({ company, plugins: [only] }) => company === 'alone' && only === first)
                    .map((cell) => (
                      <CellLink key={cell.name} matrix={matrix} cell={cell} />
                    ))}
                </td>
                {plugins.map(({ name: second }) => (
                  <td key={second}>
                    {at(first, second).map((cell) => (
                      <div key={cell.name}>
                        <CellLink matrix={matrix} cell={cell} />
                        {first === second && (
                          <small class="dim"> {cell.company === 'copy' ? 'a copy' : 'same file'}</small>
                        )}
                      </div>
                    ))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      {all.map((cell) => (
        <p key={cell.name}>
          <CellLink matrix={matrix} cell={cell} /> {matrix.titles[cell.name]}
        </p>
      ))}
    </section>
  );
}

function Interferences({ matrix }: { matrix: HtmlMatrix }) {
  if (matrix.interferences.length === 0) return null;
  return (
    <section class="card" aria-labelledby="interferences">
      <h2 id="interferences">
        Who disturbs whom <small>{count(matrix.interferences.length, 'finding')}</small>
      </h2>
      <ul class="changes">
        {matrix.interferences.map((item, i) => (
          <li key={i}>
            <p>
              <StatusIcon status={SHOWN[item.level].icon} /> <b>{matrix.blame[i]!.who}</b>
              <span class="dim"> {matrix.blame[i]!.why}</span>
            </p>
            <p>{item.message}</p>
            <p class="dim">
              <span class="mono">{item.where}</span>
              {item.requirements.length > 0 && ` · ${item.requirements.join(' ')}`}
            </p>
            {item.reason !== undefined && <p>Known deviation: {item.reason}</p>}
            <p class="dim">In {item.cells.map((name) => matrix.titles[name] ?? name).join('; ')}</p>
            {item.detail !== undefined && <Verbatim text={item.detail} />}
            {item.level === 'fail' && (
              <div class="command">
                <Verbatim text={item.reproduce} />
                <CopyButton text={item.reproduce} label="Copy the command" />
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Files({ matrix }: { matrix: HtmlMatrix }) {
  if (matrix.static.length === 0) return null;
  return (
    <section class="card" aria-labelledby="files">
      <h2 id="files">
        Files <small>without loading them</small>
      </h2>
      <ul class="changes">
        {matrix.static.map(({ level, message, plugins, names }, i) => (
          <li key={i}>
            <p>
              <StatusIcon status={level === 'warning' ? 'warn' : 'skip'} /> <b>{plugins.join(', ')}</b>
            </p>
            <p>{message}</p>
            {names !== undefined && <Verbatim text={names.join('\n')} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

const Cells = ({ matrix }: { matrix: HtmlMatrix }) => (
  <section class="card" aria-labelledby="cells">
    <h2 id="cells">Arrangements</h2>
    {matrix.cells.map((cell) => (
      <details key={cell.name} id={anchorOf(matrix, cell)} open={cell.status === 'fail'}>
        <summary>
          <StatusIcon status={SHOWN[cell.status].icon} /> <b>{matrix.titles[cell.name]}</b>{' '}
          <span class="dim">{time(cell.durationMs)}</span>
        </summary>
        <p>{cell.line}</p>
        {cell.withoutClient.map(({ plugin, reason }) => (
          <p key={plugin}>
            {plugin} creates no client: {reason}
          </p>
        ))}
        <p class="dim">
          Log and reports: <span class="mono">{cell.directory}</span>
        </p>
        <div class="command">
          <Verbatim text={cell.reproduce} />
          <CopyButton text={cell.reproduce} label="Copy the command" />
        </div>
      </details>
    ))}
  </section>
);
