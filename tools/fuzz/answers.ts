import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../harness/base/usage-error.ts';
import { AnswerReader, answerFrame, TOKEN_BYTES } from '../../harness/host/wire/frame.ts';
import { messageFault } from '../../harness/host/wire/message-check.ts';
import type { FromWorker } from '../../harness/host/wire/protocol.ts';
import type { Event } from '../../harness/model/events.ts';
import { REPORT_FORMATS } from '../../harness/report/index.ts';
import { attempt, command } from '../command-line/command.ts';
import { logBytes, richEvents } from './logs.ts';
import { mutant } from './mutate.ts';
import type { Random } from './random.ts';
import type { Surface } from './surface.ts';
import { wordsOf } from './words.ts';

const INPUT = 'in/answers.bin';
/** Of a plugin that knows it: without it, nothing but the first check would be tried. */
const TOKEN = Buffer.alloc(TOKEN_BYTES, 0x5a);

/** What the workers of a run said, in which every kind of result is. */
function messages(): FromWorker[] {
  return richEvents().flatMap((event): FromWorker[] => {
    if (event.type === 'case') return [{ type: 'result', result: event.result }];
    if (event.type !== 'plugin') return [];
    const { apiVersion, functions, extensions, attributes, devices, memories, failure } = event.plugin;
    const facts = { apiVersion, functions, extensions, attributes, devices, memories, failure };
    return [{ type: 'facts', plugin: 0, facts: JSON.parse(JSON.stringify(facts)) }];
  });
}

const bodies = (): Buffer[] => messages().map((message) => Buffer.from(JSON.stringify(message)));

/** A frame with any body. */
function framed(body: Buffer, number: number): Buffer {
  const head = answerFrame(TOKEN, number, 1, 0).subarray(0, -1);
  head.writeUInt32LE(body.length, head.length - 4);
  return Buffer.concat([head, body]);
}

/**
 * What a worker sends to its parent, by a plugin that writes into its channel. What is taken for an answer becomes an event, of
 * which every report is made.
 */
export const answersSurface: Surface = {
  name: 'answers',
  file: 'answers.bin',
  syntax: 'json',
  maker: () => {
    const [valid, words] = [bodies(), wordsOf('events.schema.json')];
    return (random) => streamOf(random, valid, (body) => mutant(random, [body], 'json', words));
  },
  args: ['report', INPUT],
  read: async (cwd, env) => {
    let heard: FromWorker[] = [];
    const refusal = await attempt(async () => {
      const path = join(cwd, INPUT);
      if (!lstatSync(path, { throwIfNoEntry: false })?.isFile())
        throw new UsageError(`${INPUT}: it is not a regular file`);
      heard = answersIn(readFileSync(path));
    });
    if (refusal.exitCode !== 0) return refusal;
    const log = join(cwd, 'out', 'events.jsonl');
    mkdirSync(join(cwd, 'out'), { recursive: true });
    writeFileSync(log, logBytes(eventsOf(heard)));
    return command(
      ['report', log, '--output', 'out', '--no-github', ...REPORT_FORMATS.flatMap((f) => ['--report', f.name])],
      cwd,
      env,
    );
  },
};

/** A few answers, of which some are changed, or the bytes of all. */
function streamOf(random: Random, valid: readonly Buffer[], changed: (body: Buffer) => Buffer): Buffer {
  const count = 1 + random.below(4);
  const frames = Array.from({ length: count }, (_, number) => {
    const body = random.pick(valid);
    return framed(random.chance(0.6) ? changed(body) : body, number);
  });
  const bytes = Buffer.concat(frames);
  if (random.chance(0.8)) return bytes;
  return random.chance(0.5) ? bytes.subarray(0, random.below(bytes.length)) : mutant(random, [bytes], 'text');
}

/** As the parent of a worker takes them. @throws UsageError that says which is none */
function answersIn(bytes: Buffer): FromWorker[] {
  const reader = new AnswerReader(TOKEN);
  const heard: FromWorker[] = [];
  const refuse = (what: string): never => {
    throw new UsageError(`${INPUT}:${heard.length + 1}: ${what}`);
  };
  try {
    for (let at = 0; at < bytes.length; at += 1000) {
      for (const { message } of reader.add(bytes.subarray(at, at + 1000))) {
        const fault = messageFault(message);
        if (fault !== undefined) refuse(fault);
        heard.push(message as FromWorker);
      }
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    refuse((error as Error).message);
  }
  return heard;
}

/** A run whose first results, and facts, are those. */
function eventsOf(heard: readonly FromWorker[]): Event[] {
  const results = heard.flatMap((message) => (message.type === 'result' ? [message.result] : []));
  const facts = heard.flatMap((message) => (message.type === 'facts' ? [message.facts] : []));
  return richEvents().map((event) => {
    const result = event.type === 'case' ? results.shift() : undefined;
    if (event.type === 'case' && result) return { ...event, result };
    return event.type === 'plugin' ? { ...event, plugin: Object.assign({}, event.plugin, ...facts) } : event;
  });
}
