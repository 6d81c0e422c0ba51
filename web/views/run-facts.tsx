import type { ComponentChildren } from 'preact';
import type { PluginFacts } from '../../harness/model/plugin-facts.ts';
import type { HtmlHead } from '../../harness/report/html-data.ts';
import { useApp } from '../ui/app.ts';
import { CopyButton } from '../ui/copy.tsx';
import { bytes, moment, number, time } from '../ui/format.ts';
import { TableFrame, Verbatim } from '../ui/scroll.tsx';

/** Provenance of the results: tool, command, host, plugin files, suites; and every note of the run. */
export function RunFacts() {
  const { report } = useApp();
  const { head } = report;
  const { tool, host, argv, options, selection, shard } = head;
  const command = argv && [tool?.name ?? 'pjrt-conformance', ...argv.map(quoted)].join(' ');
  return (
    <div class="page">
      <h1>Run</h1>
      <div class="columns">
        <section class="card">
          <h2>Run</h2>
          <Facts
            facts={[
              ['Tool', tool && `${tool.name} ${tool.version}`],
              ['Profile', head.profile],
              ['Options', options && (names(options) || 'none')],
              ['Selected', selection && `${number(selection.cases)} of ${number(selection.of)} cases`],
              ['Part', shard && `${shard.index} of ${shard.count}`],
              ['Started', moment(head.startedAt)],
              ['Finished', head.complete ? moment(head.finishedAt) : 'the log has no end'],
              ['Duration', head.timeless || head.durationMs === undefined ? undefined : time(head.durationMs)],
              ['Report version', head.version],
            ]}
          />
        </section>
        {host && (
          <section class="card">
            <h2>Host</h2>
            <Facts
              facts={[
                ['Name', host.name],
                ['System', `${host.os} ${host.arch}`],
                ['Node', host.node],
                ['CPUs', number(host.cpus)],
                ['Memory', bytes(host.memoryBytes)],
              ]}
            />
          </section>
        )}
      </div>
      {command !== undefined && (
        <section class="card">
          <h2>Command</h2>
          <div class="command">
            <Verbatim text={command} />
            <CopyButton text={command} label="Copy the command" />
          </div>
        </section>
      )}
      {head.plugins.map((plugin) => (
        <Plugin key={plugin.path} plugin={plugin} />
      ))}
      {head.expectations && <Expectations expectations={head.expectations} />}
      <NoteList notes={head.notes} />
      <Suites suites={head.suites} />
    </div>
  );
}

const names = (options: object): string =>
  Object.entries(options)
    .filter(([, value]) => value)
    .map(([name]) => name)
    .join(', ');

/** For a list that is not the whole. */
const ofMore = (listed: readonly unknown[], all: number | undefined): string =>
  all === undefined ? '' : `: the first ${number(listed.length)} of ${number(all)}`;

function Plugin({ plugin }: { plugin: HtmlHead['plugins'][number] & Partial<PluginFacts> }) {
  const { apiVersion, attributes, devices, memories, extensions, functions } = plugin;
  return (
    <section class="card">
      <h2>Plugin {plugin.name}</h2>
      <Facts
        facts={[
          ['Path', <code key="path">{plugin.path}</code>],
          ['SHA-256', plugin.sha256 && <code key="sha256">{plugin.sha256}</code>],
          [
            'Size',
            plugin.sizeBytes === undefined
              ? undefined
              : `${bytes(plugin.sizeBytes)} (${number(plugin.sizeBytes)} bytes)`,
          ],
          ['Build id', plugin.buildId],
          ['Manifest', plugin.manifest],
          ['Create options', plugin.options?.join(' ')],
          ['API version', apiVersion && `${apiVersion.major}.${apiVersion.minor}`],
          ['Table', plugin.tableBytes && `${plugin.tableBytes} bytes, ${functions?.inTable ?? 0} functions`],
          ['NULL slots', functions && (functions.nullSlots.join(', ') || 'none')],
          ['Platform', plugin.platformName],
          ['Platform version', plugin.platformVersion],
          ['Failure', plugin.failure && `${plugin.failure.stage}: ${plugin.failure.message}`],
        ]}
      />
      {attributes && Object.keys(attributes).length > 0 && (
        <Table
          title="Attributes"
          columns={['Name', 'Value']}
          rows={Object.entries(attributes).map(([name, value]) => [
            <code key={name}>{name}</code>,
            Array.isArray(value) ? value.join('.') : String(value),
          ])}
        />
      )}
      {devices && devices.length > 0 && (
        <Table
          title={`Devices${ofMore(devices, plugin.deviceCount)}`}
          columns={['Id', 'Kind', 'Description']}
          rows={devices.map(({ id, kind, debug }) => [id, kind, debug])}
        />
      )}
      {memories && memories.length > 0 && (
        <Table
          title={`Memories${ofMore(memories, plugin.memoryCount)}`}
          columns={['Id', 'Kind']}
          rows={memories.map(({ id, kind }) => [id, kind])}
        />
      )}
      {extensions && extensions.length > 0 && (
        <Table
          title="Extensions"
          columns={['Type', 'Name', 'Bytes', 'Known sizes', 'NULL slots']}
          rows={extensions.map((extension) => [
            extension.type,
            extension.name,
            extension.structSize,
            extension.knownSizes.join(', ') || 'none',
            extension.nullSlots.join(', ') || 'none',
          ])}
        />
      )}
    </section>
  );
}

const Expectations = ({ expectations }: { expectations: NonNullable<HtmlHead['expectations']> }) => (
  <section class="card" aria-labelledby="expectations">
    <h2 id="expectations">
      Expectations <small>{number(expectations.entries.length)}</small>
    </h2>
    <Table
      columns={['Entry', 'Cases', 'Expected', 'Reason', 'Standing']}
      rows={expectations.entries.map((entry) => [
        <code key="entry">
          {entry.file}:{entry.line}
        </code>,
        <code key="cases">{entry.cases.join(' ')}</code>,
        entry.expect.join(', '),
        entry.reason,
        [entry.standing, entry.why, entry.expires && `until ${entry.expires}`].filter(Boolean).join(', '),
      ])}
    />
  </section>
);

const NoteList = ({ notes }: { notes: HtmlHead['notes'] }) =>
  notes.length === 0 ? null : (
    <section class="card" aria-labelledby="notes">
      <h2 id="notes">
        Notes <small>{number(notes.length)}</small>
      </h2>
      <ul class="notes">
        {notes.map((note, at) => (
          <li key={at} class={`note-${note.level}`}>
            <b>{note.level}</b> {note.message}
            {note.breach && <span class="tag strong">violates a MUST</span>}
            {note.detail !== undefined && note.detail.trim() !== '' && <Verbatim text={note.detail.trimEnd()} />}
          </li>
        ))}
      </ul>
    </section>
  );

const Suites = ({ suites }: { suites: HtmlHead['suites'] }) => (
  <section class="card" aria-labelledby="suite-files">
    <h2 id="suite-files">
      Suite files <small>{number(suites.length)}</small>
    </h2>
    <Table
      columns={['File', 'Title', 'SHA-256']}
      rows={suites.map(({ file, title, sha256 }) => [
        <code key="file">{file}</code>,
        title,
        <code key="sha256">{sha256.slice(0, 16)}…</code>,
      ])}
    />
  </section>
);

const Facts = ({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) =>
      value === undefined || value === null ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
);

interface TableProps {
  title?: string;
  columns: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
}

const Table = ({ title, columns, rows }: TableProps) => (
  <>
    {title !== undefined && <h3>{title}</h3>}
    <TableFrame label={title ?? columns.join(', ')}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column}>{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={columns[column]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  </>
);

const quoted = (word: string): string => (/^[\w@%+:,./=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
