import type { ProgramSource, SourceText } from '../../../harness/report/case-source.ts';
import type { HtmlFinding } from '../../../harness/report/html-data.ts';
import { type Marks, programMarks, stepMarks } from '../../data/marks.ts';
import { parametersOf } from '../../data/parameters.ts';
import type { CaseSources, Row } from '../../data/report.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { count } from '../../ui/format.ts';
import { Listing } from '../../ui/listing.tsx';
import { Block } from './block.tsx';

interface SourceProps {
  row: Row;
  source: CaseSources;
  findings: readonly HtmlFinding[];
  /** The operation whose results differ. */
  op: string | undefined;
}

/** What the case does: its steps as in the suite, and its programs. */
export const Source = ({ row, source: { steps, programs }, findings, op }: SourceProps) => (
  <>
    {(steps || programs.length === 0) && <Steps row={row} steps={steps} findings={findings} />}
    {programs.length > 0 && (
      <Block title={programs.length === 1 ? 'Program' : 'Programs'}>
        {programs.map((program, at) => (
          <Program
            key={program.name}
            program={program}
            marks={programMarks(program.text, messagesOf(row, findings), programs.length === 1 ? op : undefined)}
            open={at === 0}
          />
        ))}
      </Block>
    )}
  </>
);

function Steps({ row, steps, findings }: Pick<SourceProps, 'row' | 'findings'> & { steps: SourceText | undefined }) {
  const parameters = parametersOf(row.name);
  return (
    <Block title="Steps" note={`${row.file}:${row.line}`} {...(steps ? { copy: steps.text } : {})}>
      {steps ? (
        <>
          {parameters.length > 0 && (
            <p class="parameters">
              With{' '}
              {parameters.map(([name, value]) => (
                <span key={name}>
                  <code>${name}</code> = <code>{value}</code>
                </span>
              ))}
            </p>
          )}
          <Listing label="Steps of the case" text={steps.text} first={steps.line} marks={stepMarks(row, findings)} />
        </>
      ) : (
        <p class="dim">
          Not in this report: where it was made, the suite was not the one of the run. The file above has them.
        </p>
      )}
    </Block>
  );
}

/** Texts that may quote the plugin; of a case that is unsupported the reason. */
const messagesOf = ({ message }: Row, findings: readonly HtmlFinding[]): string[] => [
  message,
  ...findings.flatMap(({ said = '', message: own, detail = '' }) => [said, own, detail]),
];

interface ProgramProps {
  program: ProgramSource;
  marks: Marks;
  open: boolean;
}

const Program = ({ program: { name, text, omittedLines }, marks, open }: ProgramProps) => (
  <details class="program" open={open}>
    <summary>
      <span class="mono">{name}</span>{' '}
      <small>{count(text.split('\n').length + (omittedLines ?? 0), 'line')} of StableHLO</small>
    </summary>
    <p>
      <CopyButton text={text} label={`Copy the program ${name}`} />
    </p>
    <Listing label={`Program ${name}`} text={text} marks={marks} />
    {omittedLines !== undefined && (
      <p class="dim">and {count(omittedLines, 'more line')}, which are not in this report</p>
    )}
  </details>
);
