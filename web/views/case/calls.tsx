import type { CallTrace } from '../../../harness/model/case-result.ts';
import { callTime, number, time } from '../../ui/format.ts';
import { FunctionLink } from '../../ui/function-link.tsx';
import { TableFrame } from '../../ui/scroll.tsx';
import { Block } from './block.tsx';

const ENDS: Readonly<Record<string, string>> = { DEATH: 'the process died in it', HANG: 'it did not return' };

/** The last native calls, oldest first, numbered within the case. */
export function Trace({ trace: { before, calls } }: { trace: CallTrace }) {
  const timed = calls.some(({ durationMs }) => durationMs !== undefined);
  const note =
    before === 0 ? number(calls.length) : `the last ${number(calls.length)} of ${number(before + calls.length)}`;
  return (
    <Block title="Native calls" note={note}>
      <TableFrame label="Native calls, in order">
        <table class="trace">
          <thead>
            <tr>
              <th class="n">#</th>
              <th>Function</th>
              <th>Answer</th>
              {timed && <th class="n">Time</th>}
            </tr>
          </thead>
          <tbody>
            {calls.map(({ call, answer, durationMs }, at) => {
              const end = answer === undefined ? undefined : ENDS[answer];
              return (
                <tr key={at} class={end === undefined ? '' : `end s-${answer === 'HANG' ? 'timeout' : 'crash'}`}>
                  <td class="n dim">{number(before + at + 1)}</td>
                  <td>
                    <FunctionLink call={call} />
                  </td>
                  <td>{end ?? answer ?? <span class="dim">still running on another thread</span>}</td>
                  {timed && <td class="n">{durationMs === undefined ? '' : callTime(durationMs)}</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </TableFrame>
    </Block>
  );
}

/** Time of the case by native function, longest first. */
export function NativeTimes({ callMs }: { callMs: Readonly<Record<string, number>> }) {
  const calls = Object.entries(callMs).sort(([, a], [, b]) => b - a);
  const most = calls[0]?.[1] ?? 0;
  return (
    <Block title="Time inside native functions" note="those of 0.05 ms or more">
      <TableFrame label="Time inside native functions">
        <table>
          <tbody>
            {calls.map(([call, ms]) => (
              <tr key={call}>
                <td>
                  <FunctionLink call={call} />
                </td>
                <td class="n">{time(ms)}</td>
                <td>
                  <span class="meter" aria-hidden="true">
                    <span>
                      <span style={{ width: `${(100 * ms) / most}%` }} />
                    </span>
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </Block>
  );
}
