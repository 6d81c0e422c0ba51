import type { CaseContext } from '../../steps/context.ts';
import { number, oneOf, optional, probe, type Values } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { runAlone } from './collectives.ts';
import { DEADLINES, Job, type Replies } from './job.ts';
import { expectEnds, expectResults } from './replies.ts';
import { destroyInOrder, expectValuesBack, factsOf, nodesOf, withClients } from './start.ts';
import { STORE_MESSAGE, type Trouble } from './trouble.ts';

const CREATE = 'PJRT_Client_Create';
/** How long a get waits for what will never come. */
const PATIENCE_MS = 1500;
const LATE_MS = 1500;

/** How long a node has for its error. */
const DEADLINE = { seconds: optional(number, 30) };

/** The same in milliseconds. */
const deadlineOf = ({ seconds }: Values<typeof DEADLINE>): number => 1000 * seconds;

/** A creation that cannot succeed has ended with an error. */
function expectErrors(replies: Replies<'create'>, nodes: readonly number[], why: string): void {
  expectEnds(replies);
  const created = nodes.find((node) => 'value' in replies[node]!);
  if (created !== undefined)
    violated(`node ${created} has a client although ${why}`, CREATE, 'JOB-ERR-001', { type: 'pjrt.MissingError' });
}

/** A store that is slow, or does not have a key at first, delays the start of a job and does nothing else. */
export const jobSlowStore = probe('job-slow-store', { store: oneOf('slow', 'late') }, (context, { store }) => {
  const trouble: Trouble = store === 'slow' ? { slow: 200 } : { late: true };
  return withClients(context, { trouble }, async (job) => {
    await factsOf(job);
    await destroyInOrder(job, nodesOf(job));
    await expectValuesBack(job);
  });
});

/** What a store can do that no job can start with. */
const STORES: Readonly<Record<string, { trouble: Trouble; why: string; says?: true }>> = {
  'failing-get': { trouble: { failing: ['get', 'try'] }, why: 'the store fails to read', says: true },
  'failing-put': { trouble: { failing: ['put'] }, why: 'the store fails to write', says: true },
  forgets: { trouble: { forgets: true, patience: PATIENCE_MS }, why: 'the store has forgotten what was put' },
  'goes-away': { trouble: { answers: 1 }, why: 'the store went away', says: true },
};

/** A job does not start without its store: every creation ends with an error, which holds what the store said. */
export const jobWithoutStore = probe(
  'job-without-store',
  { store: oneOf(...Object.keys(STORES)), ...DEADLINE },
  (context, options) => {
    const { trouble, why, says } = STORES[options.store]!;
    return Job.with(context, { trouble }, async (job) => {
      expectResults(await job.start());
      const replies = await job.ask('create', (node) => ({ options: job.options(node) }), deadlineOf(options));
      expectErrors(replies, nodesOf(job), why);
      if (says) expectMessage(context, replies);
      await expectValuesBack(job);
    });
  },
);

/** The error of a creation should hold the message of the store. */
function expectMessage(context: CaseContext, replies: Replies<'create'>): void {
  for (const [node, reply] of replies.entries()) {
    if (!('refused' in reply) || reply.refused.text.includes(STORE_MESSAGE)) continue;
    context.report({
      type: 'pjrt.WrongError',
      level: 'should',
      message: `the error of node ${node} does not hold the message of the store`,
      detail: `message: ${reply.refused.text}`,
      call: CREATE,
      code: reply.refused.codeName,
      requirements: ['KV-007'],
    });
  }
}

/** Values of the store are not those that were put: no crash, no hang, and no client that believes them. */
export const jobGarbledStore = probe(
  'job-garbled-store',
  { values: oneOf('truncated', 'inverted', 'empty'), ...DEADLINE },
  (context, options) => {
    const values = options.values;
    return Job.with(context, { trouble: { values, patience: PATIENCE_MS } }, async (job) => {
      expectResults(await job.start());
      const replies = await job.ask('create', (node) => ({ options: job.options(node) }), deadlineOf(options));
      expectEnds(replies);
      await expectValuesBack(job);
      const created = replies.findIndex((reply) => 'value' in reply);
      if (created >= 0)
        violated(
          `node ${created} has a client although the values of the store were ${values}`,
          CREATE,
          'JOB-VAL-001',
          {
            type: 'pjrt.MissingError',
          },
        );
    });
  },
);

/** A node starts later than the others, which wait for it. */
export const jobLateNode = probe('job-late-node', DEADLINE, (context, options) =>
  Job.with(context, {}, async (job) => {
    const last = job.count - 1;
    expectResults(await job.start());
    const replies = await job.ask(
      'create',
      (node) => ({ options: job.options(node), ...(node === last ? { afterMs: LATE_MS } : {}) }),
      Math.max(deadlineOf(options), DEADLINES.create),
      () => job.service.leave(),
    );
    expectResults(replies);
    await destroyInOrder(job, nodesOf(job));
  }),
);

/** A node of the job never comes: the others end with an error. */
export const jobMissingNode = probe('job-missing-node', DEADLINE, (context, options) =>
  Job.with(context, { trouble: { patience: PATIENCE_MS } }, async (job) => {
    const last = job.count - 1;
    expectResults(await job.start((node) => node !== last));
    const replies = await job.ask(
      'create',
      (node) => (node === last ? undefined : { options: job.options(node) }),
      deadlineOf(options),
    );
    expectErrors(replies, nodesOf(job).slice(0, -1), `node ${last} never came`);
  }),
);

/** A node dies while the job meets, after it has said something: the others end, with or without an error. */
export const jobLostWhileMeeting = probe('job-lost-while-meeting', DEADLINE, (context, options) =>
  Job.with(context, { trouble: { patience: PATIENCE_MS } }, async (job) => {
    const last = job.count - 1;
    expectResults(await job.start());
    job.service.onAnswer = (node) => {
      if (node === last) void job.kill(last);
    };
    const replies = await job.ask('create', (node) => ({ options: job.options(node) }), deadlineOf(options));
    expectEnds(replies.filter((_, node) => node !== last));
  }),
);

/** A node dies after the start: the others work on their own devices, and end. */
export const jobLostNode = probe('job-lost-node', {}, (context) =>
  withClients(context, {}, async (job) => {
    const last = job.count - 1;
    const facts = await factsOf(job);
    const others = nodesOf(job).slice(0, -1);
    await job.kill(last);
    if (context.api.has('PJRT_Client_UpdateGlobalProcessInfo'))
      expectResults(await job.ask('processes', (node) => (node === last ? undefined : { infos: lostOne(job, last) })));
    for (const node of others) await runAlone(job, node, facts[node]!);
    await destroyInOrder(job, others);
  }),
);

/** The processes of a job of which one is lost. */
const lostOne = (job: Job, lost: number) =>
  nodesOf(job).map((task) => ({
    task,
    incarnation: BigInt(1000 + task),
    state: task === lost ? 'kError' : 'kConnected',
    ...(task === lost ? { error: { code: 'UNAVAILABLE', message: 'the process was killed' } } : {}),
  }));

/** Two processes say that they are the same node, in a store that takes each key once. */
export const jobTwins = probe('job-twins', DEADLINE, (context, options) =>
  Job.with(context, { trouble: { once: true, patience: PATIENCE_MS }, extra: 1 }, async (job) => {
    expectResults(await job.start());
    const replies = await job.ask(
      'create',
      (process) => ({ options: job.options(process, { node: process % job.count }) }),
      deadlineOf(options),
    );
    expectEnds(replies);
    if ([0, job.count].every((process) => 'value' in replies[process]!))
      violated('two processes have clients as the same node of one job', CREATE, 'JOB-ERR-001', {
        type: 'pjrt.MissingError',
      });
  }),
);

/** One node has another idea of the job than the others. */
export const jobOtherIdea = probe(
  'job-other-idea',
  { about: oneOf('more-nodes', 'index'), ...DEADLINE },
  (context, options) => {
    const about = options.about;
    return Job.with(context, { trouble: { patience: PATIENCE_MS } }, async (job) => {
      const last = job.count - 1;
      const idea = about === 'index' ? { node: job.count } : { count: job.count + 1 };
      expectResults(await job.start());
      const replies = await job.ask(
        'create',
        (node) => ({ options: job.options(node, node === last ? idea : {}) }),
        deadlineOf(options),
      );
      expectEnds(replies);
      // XLA's GPU clients: only the first node counts the others, who take its list.
      if (about === 'more-nodes' && 'value' in replies[last]!)
        context.report({
          type: 'pjrt.MissingError',
          level: 'should',
          message: `node ${last} has a client although it expects ${job.count + 1} nodes, and the others ${job.count}`,
          call: CREATE,
          requirements: ['JOB-ERR-001'],
        });
      else if (replies.every((reply) => 'value' in reply))
        violated('all nodes have a client although one has an index that does not exist', CREATE, 'JOB-ERR-001', {
          type: 'pjrt.MissingError',
        });
    });
  },
);
