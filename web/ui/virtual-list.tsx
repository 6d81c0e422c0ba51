import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { number } from './format.ts';

/** Number of entries in a printed list before the rest is only counted. */
const PRINTED = 2000;

interface Props<T> {
  items: readonly T[];
  /** Height of an entry in pixels: entries have one or two lines, and do not grow. */
  heightOf: (item: T) => number;
  keyOf: (item: T) => string;
  render: (item: T, index: number) => ComponentChildren;
  label: string;
  /** Entry to scroll into view when it changes. */
  shown?: number;
}

/** A list of any length, of which the page contains only the visible part. When printed, an ordinary list. */
export function VirtualList<T>({ items, heightOf, keyOf, render, label, shown }: Props<T>) {
  const frame = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer(frame, items, heightOf);
  const printing = usePrinting();
  useEffect(() => {
    if (shown !== undefined && shown >= 0) virtualizer.scrollToIndex(shown, { align: 'auto' });
  }, [shown, items]);
  if (printing) return <PrintedList items={items} keyOf={keyOf} render={render} />;
  return (
    <div class="scroll" ref={frame}>
      <ul class="virtual" aria-label={label} style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ index, start, size }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <li
              key={keyOf(item)}
              data-index={index}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)`, height: `${size}px` }}
            >
              {render(item, index)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function useVirtualizer<T>(
  frame: { current: HTMLDivElement | null },
  items: readonly T[],
  heightOf: (item: T) => number,
) {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const held = useRef<Virtualizer<HTMLDivElement, Element> | undefined>(undefined);
  const options = {
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: (index: number) => heightOf(items[index]!),
    overscan: 8,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(0),
  };
  held.current ??= new Virtualizer(options);
  const virtualizer = held.current;
  virtualizer.setOptions(options);
  const before = useRef(items);
  if (before.current !== items) {
    before.current = items;
    virtualizer.measure();
  }
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}

function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const query = matchMedia('print');
    const listen = (): void => setPrinting(query.matches);
    query.addEventListener('change', listen);
    return () => query.removeEventListener('change', listen);
  }, []);
  return printing;
}

function PrintedList<T>({ items, keyOf, render }: Pick<Props<T>, 'items' | 'keyOf' | 'render'>) {
  return (
    <>
      <ul class="printed">
        {items.slice(0, PRINTED).map((item, index) => (
          <li key={keyOf(item)}>{render(item, index)}</li>
        ))}
      </ul>
      {items.length > PRINTED && <p>and {number(items.length - PRINTED)} more, which are not printed</p>}
    </>
  );
}
