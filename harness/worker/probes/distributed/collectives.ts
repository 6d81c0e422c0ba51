import { PjrtError } from '../../pjrt/errors.ts';
import { NotSupported, refusal } from '../../steps/outcome.ts';
import { oneOf, probe, program } from '../probe.ts';
import { violated } from '../support/checks.ts';
import type { Job, Replies } from './job.ts';
import type { Launch, NodeFacts, NodeOutput } from './node-tasks.ts';
import { resultsOf } from './replies.ts';
import { factsOf, withClients } from './start.ts';

const EXECUTE = 'PJRT_LoadedExecutable_Execute';

/** What a collective is: its text for `n` replicas, the shape of each argument, and what each replica gets. */
interface Collective {
  text(n: number): string;
  shape(n: number): number[];
  expected(inputs: readonly (readonly number[])[], replica: number): number[];
}

const all = (n: number): string => `[[${Array.from({ length: n }, (_, i) => i).join(', ')}]]`;

const module = (n: number, name: string, from: string, to: string, body: string): string =>
  `module @${name} attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = ${n} : i32} {
  func.func public @main(%arg0: tensor<${from}xf32>) -> tensor<${to}xf32> {
${body}
    return %0 : tensor<${to}xf32>
  }
}
`;

const SUM = `({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    })`;

const LENGTH = 4;

const groups = (n: number): string => `replica_groups = dense<${all(n)}> : tensor<1x${n}xi64>`;

const sums = (inputs: readonly (readonly number[])[]): number[] =>
  inputs[0]!.map((_, i) => inputs.reduce((sum, input) => sum + input[i]!, 0));

const COLLECTIVES: Readonly<Record<'all-reduce' | 'all-gather' | 'permute' | 'reduce-scatter', Collective>> = {
  'all-reduce': {
    text: (n) =>
      module(
        n,
        'all_reduce',
        `${LENGTH}`,
        `${LENGTH}`,
        `    %0 = "stablehlo.all_reduce"(%arg0) <{${groups(n)}}> ${SUM} : (tensor<${LENGTH}xf32>) -> tensor<${LENGTH}xf32>`,
      ),
    shape: () => [LENGTH],
    expected: sums,
  },
  'all-gather': {
    text: (n) =>
      module(
        n,
        'all_gather',
        `${LENGTH}`,
        `${LENGTH * n}`,
        `    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, ${groups(n)}}> : (tensor<${LENGTH}xf32>) -> tensor<${LENGTH * n}xf32>`,
      ),
    shape: () => [LENGTH],
    expected: (inputs) => inputs.flat(),
  },
  permute: {
    text: (n) =>
      module(
        n,
        'permute',
        `${LENGTH}`,
        `${LENGTH}`,
        `    %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[${Array.from({ length: n }, (_, i) => `[${i}, ${(i + 1) % n}]`).join(', ')}]> : tensor<${n}x2xi64>}> : (tensor<${LENGTH}xf32>) -> tensor<${LENGTH}xf32>`,
      ),
    shape: () => [LENGTH],
    expected: (inputs, replica) => [...inputs[(replica + inputs.length - 1) % inputs.length]!],
  },
  'reduce-scatter': {
    text: (n) =>
      module(
        n,
        'reduce_scatter',
        `${n}`,
        '1',
        `    %0 = "stablehlo.reduce_scatter"(%arg0) <{${groups(n)}, scatter_dimension = 0 : i64}> ${SUM} : (tensor<${n}xf32>) -> tensor<1xf32>`,
      ),
    shape: (n) => [n],
    expected: (inputs, replica) => [sums(inputs)[replica]!],
  },
};

/** Small integers, so that sums are exact in any order; no two are the same. */
const inputsFor = (replicas: number, count: number): number[][] =>
  Array.from({ length: replicas }, (_, r) => Array.from({ length: count }, (_, i) => r * count + i + 1));

/** Launches a program on its nodes and compares what every replica gets. */
async function launchAndCompare(
  job: Job,
  facts: readonly NodeFacts[],
  launch: Launch,
  expected: (replica: number) => number[],
): Promise<void> {
  const takesPart = (node: number) => facts[node]!.addressable.some((id) => launch.assignment.includes(id));
  const replies = await job.ask('run', (node) => (takesPart(node) ? launch : undefined));
  const outputs = outputsOf(replies, launch, facts).flat();
  for (const [replica, device] of launch.assignment.entries()) {
    const output = outputs.find((one) => one.device === device);
    const [is, should] = [output?.values.join(', '), expected(replica).join(', ')];
    if (is === should) continue;
    const owner = facts.findIndex(({ addressable }) => addressable.includes(device));
    violated(
      `replica ${replica} (device ${device} of node ${owner}) of a program on several processes has another result`,
      EXECUTE,
      'JOB-COL-001',
      { type: 'pjrt.NumericMismatch', detail: `expected  ${should}\nactual    ${is ?? 'no output'}` },
    );
  }
}

/** What the nodes computed. @throws NotSupported where a program for several devices of a process is refused */
function outputsOf(replies: Replies<'run'>, { assignment }: Launch, facts: readonly NodeFacts[]): NodeOutput[][] {
  try {
    return resultsOf(replies);
  } catch (error) {
    const isOnSeveral = facts.some(({ addressable }) => assignment.filter((id) => addressable.includes(id)).length > 1);
    const isOfCompiler = error instanceof PjrtError && error.call === 'PJRT_Client_Compile';
    throw isOnSeveral && isOfCompiler
      ? refusal(error, 'the plugin refuses programs for several devices of a process')
      : error;
  }
}

/** All devices of a job communicate, or one of each node, and get exact results, twice. */
export const jobCollective = probe(
  'job-collective',
  {
    collective: oneOf(...(Object.keys(COLLECTIVES) as (keyof typeof COLLECTIVES)[])),
    devices: oneOf('all', 'one-of-each-node'),
  },
  (context, { collective, devices }) =>
    withClients(context, { apart: true }, async (job) => {
      const { text, shape, expected } = COLLECTIVES[collective];
      const facts = await factsOf(job);
      const assignment =
        devices === 'all'
          ? facts.flatMap(({ addressable }) => addressable)
          : facts.map(({ addressable }) => addressable[0]!);
      const n = assignment.length;
      const inputs = inputsFor(n, shape(n)[0]!);
      const launch: Launch = { program: { text: text(n) }, replicas: n, assignment, inputs, shape: shape(n) };
      for (let round = 0; round < 2; round++)
        await launchAndCompare(job, facts, launch, (replica) => expected(inputs, replica));
    }),
);

/** What committed programs for two replicas make of [1, 2, 3, 4] and [10, 20, 30, 40]. */
const PAIRS: Readonly<Record<string, readonly [number[], number[]]>> = {
  'multi/replicas_all_reduce': [
    [11, 22, 33, 44],
    [11, 22, 33, 44],
  ],
  'multi/replicas_all_gather': [
    [1, 2, 3, 4, 10, 20, 30, 40],
    [1, 2, 3, 4, 10, 20, 30, 40],
  ],
  'multi/replicas_collective_permute': [
    [10, 20, 30, 40],
    [1, 2, 3, 4],
  ],
  'multi/replicas_reduce_scatter': [
    [11, 22],
    [33, 44],
  ],
  'multi/replicas_negate': [
    [-1, -2, -3, -4],
    [-10, -20, -30, -40],
  ],
};

/** A committed program runs on a device of the first and one of the last node. */
export const jobPair = probe('job-pair', { program }, (context, { program }) =>
  withClients(context, { apart: true }, async (job) => {
    const expected = PAIRS[program]!;
    const facts = await factsOf(job);
    const assignment = [facts[0]!.addressable[0]!, facts.at(-1)!.addressable[0]!];
    const inputs = [
      [1, 2, 3, 4],
      [10, 20, 30, 40],
    ];
    await launchAndCompare(job, facts, { program, replicas: 2, assignment, inputs, shape: [4] }, (r) => expected[r]!);
  }),
);

/** Each node runs a program on a device of its own, without the others. */
export const jobAlone = probe('job-alone', {}, (context) =>
  withClients(context, {}, async (job) => {
    const facts = await factsOf(job);
    for (const [node, one] of facts.entries()) await runAlone(job, node, one);
  }),
);

/** A node runs a program on its first device. */
export async function runAlone(job: Job, node: number, { addressable }: NodeFacts): Promise<void> {
  const [device] = addressable;
  if (device === undefined) throw new NotSupported(`node ${node} addresses no device`);
  const launch: Launch = {
    program: 'misc/add_one',
    replicas: 1,
    assignment: [device],
    inputs: [[1, 2, 3, 4]],
    shape: [4],
  };
  const outputs = resultsOf(await job.ask('run', (one) => (one === node ? launch : undefined))).flat();
  if (outputs[0]?.values.join() !== '2,3,4,5')
    violated(`node ${node} computes something else on its own device`, EXECUTE, 'RUN-DEV-003', {
      type: 'pjrt.NumericMismatch',
      detail: `expected  2, 3, 4, 5\nactual    ${outputs[0]?.values.join(', ') ?? 'no output'}`,
    });
}
