import { describe, expect, test } from 'vitest';
import { brief, OutputSplitter } from './output-splitter.ts';
import { markerLine } from './wire/protocol.ts';

const MARKER = 'a1b2c3';
const mark = (number: number, edge: 'begin' | 'end') => markerLine(MARKER, number, edge);
const text = (splitter: OutputSplitter, number: number): string | undefined => {
  const captured = splitter.take(number);
  return captured && captured.head + captured.tail;
};

describe('OutputSplitter', () => {
  const stream = `before${mark(1, 'begin')}one\n${mark(1, 'end')}${mark(2, 'begin')}${mark(2, 'end')}${mark(3, 'begin')}three`;

  test('assigns output to cases wherever the pipe splits the stream', async () => {
    const bytes = Buffer.from(stream);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const splitter = new OutputSplitter(MARKER);
      splitter.add(bytes.subarray(0, cut));
      splitter.add(bytes.subarray(cut));
      await splitter.whenComplete(1);
      await splitter.whenComplete(2);
      splitter.close();
      await splitter.whenComplete(3);
      expect([text(splitter, 1), text(splitter, 2), text(splitter, 3)]).toEqual(['one\n', undefined, 'three']);
      expect(splitter.takeBetween()?.head).toBe('before');
    }
  });

  test('also byte by byte', () => {
    const splitter = new OutputSplitter(MARKER);
    for (const byte of Buffer.from(stream)) splitter.add(Buffer.from([byte]));
    expect(text(splitter, 1)).toBe('one\n');
    expect(text(splitter, 3)).toBe('three');
  });

  test('half of a marker is no output, neither of the case that it ends nor after it', () => {
    const end = mark(1, 'end');
    for (let cut = 1; cut < end.length; cut++) {
      const splitter = new OutputSplitter(MARKER);
      splitter.add(Buffer.from(`${mark(1, 'begin')}one${end.slice(0, cut)}`));
      expect(text(splitter, 1)).toBe('one');
      splitter.add(Buffer.from(end.slice(cut)));
      expect([text(splitter, 1), splitter.takeBetween()]).toEqual([undefined, undefined]);
    }
  });

  test('a marker of another run is ordinary output', () => {
    const splitter = new OutputSplitter(MARKER);
    splitter.add(Buffer.from(`${mark(1, 'begin')}x${markerLine('other', 1, 'end')}y${mark(1, 'end')}`));
    expect(text(splitter, 1)).toBe(`x${markerLine('other', 1, 'end')}y`);
  });

  test('a shortened text keeps both ends and counts the middle in bytes', () => {
    const text = { head: 'ä'.repeat(3000), tail: 'z', omittedBytes: 5 };
    const short = brief(text);
    expect(short.tail.endsWith('z')).toBe(true);
    expect(Buffer.byteLength(short.head + short.tail) + short.omittedBytes).toBe(6001 + 5);
    expect(brief({ head: 'x', tail: '', omittedBytes: 0 })).toEqual({ head: 'x', tail: '', omittedBytes: 0 });
  });

  test('keeps the head and the tail of a flood, and counts the rest', () => {
    const splitter = new OutputSplitter(MARKER);
    splitter.add(Buffer.from(`${mark(1, 'begin')}first`));
    const chunk = Buffer.alloc(64 * 1024, '.');
    const chunks = 1000;
    for (let i = 0; i < chunks; i++) splitter.add(chunk);
    splitter.add(Buffer.from(`last${mark(1, 'end')}`));
    const captured = splitter.take(1)!;
    expect(captured.head.startsWith('first')).toBe(true);
    expect(captured.tail.endsWith('last')).toBe(true);
    expect(captured.head.length + captured.tail.length + captured.omittedBytes).toBe(9 + chunks * chunk.length);
    expect(captured.head.length + captured.tail.length).toBeLessThan(128 * 1024);
  });
});
