import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row } from '../data/report.ts';
import { type Timeline as Lines, tick, timelineOf, type Worker } from '../data/timeline.ts';
import { route } from '../state/route.ts';
import { useApp } from '../ui/app.ts';
import { count, number, percent, time } from '../ui/format.ts';
import { Link } from '../ui/link.tsx';
import { TableFrame } from '../ui/scroll.tsx';
import { present, STATUS, STATUS_ORDER, StatusBadge, StatusIcon } from '../ui/status.tsx';

const SLOWEST = 15;
const LANE = 26;
const AXIS = 24;
const LABEL = 34;
const MOST_ZOOM = 4096;

/** When each worker ran which case, where processes died, and what took the time. */
export function Timeline() {
  const { report } = useApp();
  const { head, rows } = report;
  const lines = useMemo(() => timelineOf(rows, head.workers, head.durationMs ?? 0), [report]);
  const slowest = useMemo(() => [...rows].sort((a, b) => b.durationMs - a.durationMs).slice(0, SLOWEST), [report]);
  if (head.timeless || lines.workers.length === 0) {
    return (
      <div class="page">
        <h1>Timeline</h1>
        <p class="empty">
          {head.timeless
            ? 'This report was written without times (SOURCE_DATE_EPOCH), so that equal results give equal files.'
            : 'No worker ran a case.'}
        </p>
      </div>
    );
  }
  const busy = rows.reduce((sum, row) => sum + row.durationMs, 0);
  const native = rows.reduce((sum, row) => sum + row.nativeMs, 0);
  const deaths = lines.workers.filter(({ exit }) => exit?.signal !== undefined || (exit?.exitCode ?? 0) !== 0).length;
  return (
    <div class="page">
      <h1>
        Timeline{' '}
        <small>
          {time(lines.endMs)}, {count(lines.workers.length, 'worker process').replace('processs', 'processes')},{' '}
          {number(deaths)} did not exit cleanly
        </small>
      </h1>
      <section class="card" aria-labelledby="lanes">
        <h2 id="lanes">Workers over time</h2>
        <Lanes lines={lines} />
        <p class="dim">
          Cases took {time(busy)} together, {percent(busy === 0 ? 0 : native / busy)} of it inside native calls of the
          plugin.
        </p>
      </section>
      <div class="columns">
        <section class="card" aria-labelledby="slowest">
          <h2 id="slowest">
            Slowest cases <Link to={route('cases', { how: { sort: 'slowest' } })}>all</Link>
          </h2>
          <ol class="slowest">
            {slowest.map((row) => (
              <li key={row.id}>
                <Link to={route('cases', { id: row.id, how: { sort: 'slowest' } })}>
                  <StatusIcon status={row.status} />
                  <span class="unseen">{STATUS[row.status].word}: </span>
                  <span class="case-name">{row.id}</span>
                </Link>
                <span class="n">{time(row.durationMs)}</span>
              </li>
            ))}
          </ol>
        </section>
        <section class="card" aria-labelledby="processes">
          <h2 id="processes">Worker processes</h2>
          <Processes workers={lines.workers} />
        </section>
      </div>
    </div>
  );
}

/** The visible part of the run. */
interface Window {
  fromMs: number;
  spanMs: number;
}

function Lanes({ lines }: { lines: Lines }) {
  const { go } = useApp();
  const [window_, setWindow] = useState<Window>({ fromMs: 0, spanMs: lines.endMs });
  const [hover, setHover] = useState<{ row: Row; x: number; y: number }>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<{ x: number; fromMs: number; moved: boolean } | undefined>(undefined);
  const height = lines.lanes * LANE + AXIS;
  useDrawing(canvas, () => canvas.current && draw(canvas.current, lines, window_), [lines, window_]);

  const zoom = (factor: number, at = 0.5): void => {
    setWindow(({ fromMs, spanMs }) => {
      const span = Math.min(lines.endMs, Math.max(lines.endMs / MOST_ZOOM, spanMs * factor));
      return clamped({ fromMs: fromMs + (spanMs - span) * at, spanMs: span }, lines.endMs);
    });
  };
  const pan = (share: number): void =>
    setWindow(({ fromMs, spanMs }) => clamped({ fromMs: fromMs + share * spanMs, spanMs }, lines.endMs));
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = {
      '+': () => zoom(0.5),
      '=': () => zoom(0.5),
      '-': () => zoom(2),
      ArrowLeft: () => pan(-0.2),
      ArrowRight: () => pan(0.2),
      Home: () => setWindow({ fromMs: 0, spanMs: lines.endMs }),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  const find = (event: MouseEvent): { row: Row; x: number; y: number } | undefined => {
    const box = canvas.current!.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const row = rowAt(lines, window_, box.width, x, y);
    return row && { row, x, y };
  };
  return (
    <div class="lanes">
      <div class="lane-tools">
        <Legend lines={lines} />
        <span class="spacer" />
        <button type="button" onClick={() => zoom(0.5)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoom(2)} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={() => setWindow({ fromMs: 0, spanMs: lines.endMs })}>
          Whole run
        </button>
      </div>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label="Cases of each worker over time. Plus and minus zoom, arrows move. The list of worker processes below has the same."
        style={{ height: `${height}px` }}
        onKeyDown={onKeyDown}
        onWheel={(event) => {
          if (!event.ctrlKey && !event.shiftKey) return;
          event.preventDefault();
          const box = event.currentTarget.getBoundingClientRect();
          zoom(event.deltaY > 0 || event.deltaX > 0 ? 1.25 : 0.8, (event.clientX - box.left) / box.width);
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, fromMs: window_.fromMs, moved: false };
        }}
        onPointerMove={(event) => {
          const { current } = drag;
          if (!current) return setHover(find(event));
          const by = event.clientX - current.x;
          if (Math.abs(by) > 3) current.moved = true;
          const perPixel = window_.spanMs / event.currentTarget.clientWidth;
          setWindow(clamped({ fromMs: current.fromMs - by * perPixel, spanMs: window_.spanMs }, lines.endMs));
        }}
        onPointerUp={(event) => {
          const found = drag.current?.moved ? undefined : find(event);
          drag.current = undefined;
          if (found) go(route('cases', { id: found.row.id }));
        }}
        onPointerLeave={() => setHover(undefined)}
        onDblClick={(event) => zoom(0.25, event.offsetX / event.currentTarget.clientWidth)}
      />
      {hover && (
        <div class="tip" style={{ left: `${hover.x}px`, top: `${hover.y + 40}px` }}>
          <StatusBadge status={hover.row.status} /> <span class="mono">{hover.row.id}</span>
          <br />
          <span class="dim">
            {time(hover.row.durationMs)}, worker {hover.row.worker}
          </span>
        </div>
      )}
    </div>
  );
}

function Legend({ lines }: { lines: Lines }) {
  const statuses = useMemo(() => {
    const counts = Object.fromEntries(STATUS_ORDER.map((status) => [status, 0]));
    for (const { rows } of lines.workers) for (const { status } of rows) counts[status]!++;
    return present(counts);
  }, [lines]);
  return (
    <ul class="legend">
      {statuses.map((status) => (
        <li key={status} class={`s-${status}`}>
          <span class="swatch" aria-hidden="true" /> {STATUS[status].word}
        </li>
      ))}
      <li class="s-crash">
        <span aria-hidden="true">▲</span> process ended in a case
      </li>
    </ul>
  );
}

const clamped = ({ fromMs, spanMs }: Window, endMs: number): Window => ({
  fromMs: Math.min(Math.max(0, fromMs), Math.max(0, endMs - spanMs)),
  spanMs,
});

/** Redraws when data, size or colours change. */
function useDrawing(
  canvas: { current: HTMLCanvasElement | null },
  paint: () => unknown,
  inputs: readonly unknown[],
): void {
  const latest = useRef(paint);
  latest.current = paint;
  useEffect(() => void paint(), [...inputs]);
  useEffect(() => {
    const again = (): void => void latest.current();
    const observer = new ResizeObserver(again);
    observer.observe(canvas.current!);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    window.addEventListener('themechange', again);
    dark.addEventListener('change', again);
    return () => {
      observer.disconnect();
      window.removeEventListener('themechange', again);
      dark.removeEventListener('change', again);
    };
  }, []);
}

function draw(canvas: HTMLCanvasElement, lines: Lines, { fromMs, spanMs }: Window): void {
  const context = canvas.getContext('2d');
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!context || width === 0) return;
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const color = (name: string): string => resolvedColor(canvas, style.getPropertyValue(name));
  const colors = Object.fromEntries(STATUS_ORDER.map((status) => [status, color(`--${status}`)]));
  const [line, ground, text] = [color('--border'), color('--sunken'), color('--muted')];
  const x = (ms: number): number => LABEL + ((ms - fromMs) / spanMs) * (width - LABEL);
  context.font = `11px ${style.fontFamily}`;
  context.clearRect(0, 0, width, height);

  context.fillStyle = text;
  context.textBaseline = 'middle';
  const step = tick(spanMs, Math.max(2, width / 110));
  for (let at = Math.ceil(fromMs / step) * step; at <= fromMs + spanMs; at += step) {
    context.strokeStyle = line;
    context.beginPath();
    context.moveTo(x(at), 0);
    context.lineTo(x(at), height - AXIS);
    context.stroke();
    context.textAlign = x(at) > width - 30 ? 'right' : 'center';
    context.fillText(at === 0 ? '0' : shortTime(at, step), x(at), height - AXIS / 2);
  }
  for (const worker of lines.workers) {
    if (worker.toMs < fromMs || worker.fromMs > fromMs + spanMs) continue;
    const y = worker.lane * LANE;
    context.fillStyle = ground;
    context.fillRect(x(worker.fromMs), y + 4, Math.max(1, x(worker.toMs) - x(worker.fromMs)), LANE - 8);
    drawCases(context, worker, y, x, width, colors);
  }
  context.clearRect(0, 0, LABEL - 1, height - AXIS);
  context.fillStyle = text;
  context.textAlign = 'left';
  for (let lane = 0; lane < lines.lanes; lane++) context.fillText(`#${lane + 1}`, 2, lane * LANE + LANE / 2);
}

/** Cases that share a pixel are one mark, with the most severe status among them. */
function drawCases(
  context: CanvasRenderingContext2D,
  worker: Worker,
  y: number,
  x: (ms: number) => number,
  width: number,
  colors: Readonly<Record<string, string>>,
): void {
  let [from, to, worst] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, STATUS_ORDER.length];
  const flush = (): void => {
    if (to < LABEL || from > width) return;
    context.fillStyle = colors[STATUS_ORDER[worst]!]!;
    context.fillRect(from, y + 4, Math.max(1, to - from - (to - from > 4 ? 1 : 0)), LANE - 8);
  };
  const marks: number[] = [];
  for (const row of worker.rows) {
    const [left, right] = [x(row.startMs!), x(row.endMs ?? row.startMs!)];
    const rank = STATUS_ORDER.indexOf(row.status);
    if (row.status === 'crash' || row.status === 'timeout') marks.push(right);
    if (left < to && right - from < 1.5) {
      to = Math.max(to, right);
      worst = Math.min(worst, rank);
      continue;
    }
    if (worst < STATUS_ORDER.length) flush();
    [from, to, worst] = [left, Math.max(right, left + 1), rank];
  }
  if (worst < STATUS_ORDER.length) flush();
  context.fillStyle = colors.crash!;
  for (const at of marks) {
    if (at < LABEL || at > width + 4) continue;
    context.beginPath();
    context.moveTo(at, y + LANE - 12);
    context.lineTo(at + 5, y + LANE - 1);
    context.lineTo(at - 5, y + LANE - 1);
    context.fill();
  }
}

function rowAt(lines: Lines, { fromMs, spanMs }: Window, width: number, x: number, y: number): Row | undefined {
  const lane = Math.floor(y / LANE);
  const perPixel = spanMs / (width - LABEL);
  const at = fromMs + (x - LABEL) * perPixel;
  const near = 2 * perPixel;
  let best: Row | undefined;
  for (const worker of lines.workers) {
    if (worker.lane !== lane || at < worker.fromMs - near || at > worker.toMs + near) continue;
    for (const row of worker.rows) {
      if (row.startMs! - near > at || (row.endMs ?? row.startMs!) + near < at) continue;
      if (!best || STATUS_ORDER.indexOf(row.status) < STATUS_ORDER.indexOf(best.status)) best = row;
    }
  }
  return best;
}

/** A colour for a canvas: only an element resolves `light-dark()` and variables. */
function resolvedColor(inside: HTMLElement, value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  inside.parentElement!.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}

const shortTime = (ms: number, step: number): string =>
  step >= 1000 ? `${Math.round(ms / 1000)} s` : step >= 1 ? `${Math.round(ms)} ms` : `${ms.toFixed(2)} ms`;

/** Number of processes named before the rest is only counted; those that died come first. */
const PROCESSES = 100;

function Processes({ workers }: { workers: readonly Worker[] }) {
  const died = (worker: Worker): boolean => worker.exit?.signal !== undefined || (worker.exit?.exitCode ?? 0) !== 0;
  const sorted = [...workers].sort((a, b) => Number(died(b)) - Number(died(a)) || a.number - b.number);
  return (
    <TableFrame label="Worker processes">
      <table>
        <thead>
          <tr>
            <th>Worker</th>
            <th class="n">Cases</th>
            <th class="n">Lived</th>
            <th>End</th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, PROCESSES).map((worker) => (
            <tr key={worker.number}>
              <td class="process">
                {worker.number}
                {worker.pid !== undefined && <span class="dim"> pid {worker.pid}</span>}
              </td>
              <td class="n">{number(worker.rows.length)}</td>
              <td class="n">{time(worker.toMs - worker.fromMs)}</td>
              <td>
                <End worker={worker} died={died(worker)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > PROCESSES && <p class="dim">and {number(sorted.length - PROCESSES)} more</p>}
    </TableFrame>
  );
}

function End({ worker, died }: { worker: Worker; died: boolean }) {
  const { exit, rows } = worker;
  const last = rows.findLast(({ status }) => status === 'crash' || status === 'timeout');
  const words = exit ? (exit.signal ?? (died ? `exit code ${exit.exitCode}` : 'exited')) : 'no end in the log';
  return (
    <>
      {last ? <b class="s-crash">▲ {words}</b> : words}
      {exit?.note !== undefined && <span class="dim"> {exit.note}</span>}
      {last && (
        <>
          {' '}
          in{' '}
          <Link to={route('cases', { id: last.id })} class="mono">
            {last.id}
          </Link>
        </>
      )}
    </>
  );
}
