import { setTimeout as sleep } from 'node:timers/promises';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { checks, oneOf, optional, type Run } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { DEADLINES, Job, type Ways } from './job.ts';
import type { NodeFacts } from './node-tasks.ts';
import { expectResults, resultsOf } from './replies.ts';

const CREATE = 'PJRT_Client_Create';
const AFTERMATH_MS = 250;
const CONTRACT = { type: 'pjrt.CallbackContract' };

/** Runs something with a job whose nodes have their clients. */
export const withClients = (context: CaseContext, ways: Ways, run: (job: Job) => Promise<void>): Promise<void> =>
  Job.with(context, ways, async (job) => {
    expectResults(await job.start());
    await createAll(job);
    await run(job);
  });

/** Creates the clients of all nodes. When one has failed, the store no longer lets the others wait for it. */
async function createAll(job: Job): Promise<void> {
  expectResults(
    await job.ask(
      'create',
      (node) => ({ options: job.options(node) }),
      DEADLINES.create,
      () => job.service.leave(),
    ),
  );
}

/** Destroys the clients of nodes, one after the other. */
export async function destroyInOrder(job: Job, order: readonly number[]): Promise<void> {
  for (const one of order) expectResults(await job.ask('destroy', (node) => (node === one ? {} : undefined)));
}

export const nodesOf = (job: Job): number[] => Array.from({ length: job.count }, (_, i) => i);

export const factsOf = async (job: Job): Promise<NodeFacts[]> => resultsOf(await job.ask('facts', () => ({})));

const OPTIONS = { order: optional(oneOf('first-first', 'last-first'), 'first-first') };
type Check = Run<typeof OPTIONS>;

/** Every client knows which process of the job it is in. */
const jobProcessIndex: Check = (context) =>
  withClients(context, {}, async (job) => {
    const indices = (await factsOf(job)).map(({ processIndex }) => processIndex);
    if (indices.some((index, node) => index !== node))
      violated(
        `the nodes ${nodesOf(job).join(', ')} have the process indices ${indices.join(', ')}`,
        'PJRT_Client_ProcessIndex',
        'JOB-IDX-001',
      );
  });

/** All clients list the same devices, with the same processes, and no id twice. */
const jobDevices: Check = (context) =>
  withClients(context, {}, async (job) => {
    const facts = await factsOf(job);
    const lists = facts.map(({ devices }) => placesOf(devices));
    for (const [node, { devices }] of facts.entries()) {
      const ids = devices.map(({ id }) => id);
      const twice = ids.find((id, i) => ids.indexOf(id) !== i);
      if (twice !== undefined)
        violated(`node ${node} lists the device id ${twice} twice`, 'PJRT_DeviceDescription_Id', 'DSC-ID-001');
      if (lists[node] !== lists[0])
        violated(`the nodes 0 and ${node} do not list the same devices`, 'PJRT_Client_Devices', 'CLI-DEV-005', {
          detail: `node 0:  ${lists[0]}\nnode ${node}:  ${lists[node]}`,
        });
    }
    const own = facts.reduce((sum, { addressable }) => sum + addressable.length, 0);
    if (facts[0]!.devices.length !== own)
      violated(
        `the nodes address ${own} devices, but each lists ${facts[0]!.devices.length}`,
        'PJRT_Client_Devices',
        'CLI-DEV-005',
      );
  });

/** Every device is addressable from the one node to whose process it belongs. */
const jobAddressable: Check = (context) =>
  withClients(context, {}, async (job) => {
    const facts = await factsOf(job);
    const home = new Map<number, number>();
    for (const [node, { addressable, devices, processIndex }] of facts.entries()) {
      if (addressable.length === 0)
        violated(`node ${node} addresses no device`, 'PJRT_Client_AddressableDevices', 'CLI-DEV-005');
      for (const id of addressable) {
        const other = home.get(id);
        if (other !== undefined)
          violated(
            `device ${id} is addressable from the nodes ${other} and ${node}`,
            'PJRT_Client_AddressableDevices',
            'CLI-DEV-005',
          );
        home.set(id, node);
      }
      for (const { id, process, addressable: says } of devices) {
        const own = addressable.includes(id);
        if (says !== own)
          violated(
            `node ${node}: device ${id} says that it is ${says ? '' : 'not '}addressable, the client's list says otherwise`,
            'PJRT_Device_IsAddressable',
            'DEV-ADR-001',
          );
        if (own !== (process === processIndex))
          violated(
            `node ${node} (process ${processIndex}): device ${id} is ${own ? '' : 'not '}addressable, and belongs to process ${process}`,
            'PJRT_DeviceDescription_ProcessIndex',
            own ? 'DSC-PRC-001' : 'DSC-PRC-002',
          );
      }
    }
    const homeless = facts[0]!.devices.find(({ id }) => !home.has(id));
    if (homeless) violated(`no node addresses device ${homeless.id}`, 'PJRT_Client_AddressableDevices', 'CLI-DEV-005');
  });

/** The topologies of all clients have the same devices, those of the job. */
const jobTopology: Check = (context) =>
  withClients(context, {}, async (job) => {
    const facts = await factsOf(job);
    if (facts.some(({ topology }) => !topology)) throw new NotSupported('the clients have no topology');
    const topologies = facts.map(({ topology }) => placesOf(topology!));
    const other = topologies.findIndex((one) => one !== topologies[0]);
    if (other >= 0)
      violated(
        `the topologies of the nodes 0 and ${other} have different devices`,
        'PJRT_Client_TopologyDescription',
        'JOB-TOP-001',
        { detail: `node 0:  ${topologies[0]}\nnode ${other}:  ${topologies[other]}` },
      );
    const devices = placesOf(facts[0]!.devices);
    if (topologies[0] !== devices)
      violated(
        "the topology of a client of several processes does not describe the client's devices",
        'PJRT_TopologyDescription_GetDeviceDescriptions',
        'TOP-DSC-002',
        { detail: `client:    ${devices}\ntopology:  ${topologies[0]}` },
      );
  });

const placesOf = (devices: readonly { id: number; process: number }[]): string =>
  [...devices]
    .sort((a, b) => a.id - b.id || a.process - b.process)
    .map(({ id, process }) => `${id} in process ${process}`)
    .join(', ');

/** Nodes use the store as the C API says while their client lives, and not after it. */
const jobStore: Check = (context) =>
  // Where the first try finds nothing, every node waits for keys, however fast the others are.
  withClients(context, { trouble: { late: true } }, async (job) => {
    const { calls } = job.service;
    await destroyInOrder(job, nodesOf(job));
    const before = calls.length;
    await expectValuesBack(job);
    // Threads that outlive their client.
    await sleep(AFTERMATH_MS);
    expectResults(await job.ask('leave', () => ({}), DEADLINES.leave));
    const [misuse] = calls.filter((call) => call.misuse !== undefined);
    if (misuse)
      violated(
        `node ${misuse.node} called the store (${misuse.question}) with ${misuse.misuse}`,
        CREATE,
        'KV-003',
        CONTRACT,
      );
    const silent = nodesOf(job).find((node) => job.isLocal(node) && !calls.some((call) => call.node === node));
    if (silent !== undefined)
      violated(`node ${silent} was created without asking the store for anything`, CREATE, 'KV-003', CONTRACT);
    const [after] = calls.slice(before);
    if (after)
      violated(
        `node ${after.node} called the store (${after.question}) after its client had been destroyed`,
        'PJRT_Client_Destroy',
        'JOB-STO-001',
        CONTRACT,
      );
  });

/** Every value that a node got was given back, once. */
export async function expectValuesBack(job: Job): Promise<void> {
  const replies = await job.ask('values', () => ({}));
  for (const [node, reply] of replies.entries()) {
    if (!('value' in reply)) continue;
    const { given, deleted, misdeleted } = reply.value;
    if (misdeleted > 0)
      violated(
        `node ${node} called the deleter ${misdeleted} times with what is no value, or no longer one`,
        CREATE,
        'KV-004',
        CONTRACT,
      );
    if (given !== deleted)
      violated(`node ${node} got ${given} values and deleted ${deleted}`, CREATE, 'KV-004', CONTRACT);
  }
}

/** Every client accepts the state of all processes of the job. */
const jobProcesses: Check = (context) =>
  withClients(context, {}, async (job) => {
    const infos = nodesOf(job).map((task) => ({ task, incarnation: BigInt(1000 + task), state: 'kConnected' }));
    expectResults(await job.ask('processes', () => ({ infos })));
    const again = infos.map((info) => ({ ...info, incarnation: info.incarnation + 1000n }));
    expectResults(await job.ask('processes', () => ({ infos: again })));
  });

/** The clients of a job are destroyed one after the other, the first node first or last. */
const jobEnd: Check = (context, { order: which }) =>
  withClients(context, {}, async (job) => {
    const order = which === 'last-first' ? nodesOf(job).reverse() : nodesOf(job);
    await destroyInOrder(job, order);
    for (const one of order)
      expectResults(await job.ask('leave', (node) => (node === one ? {} : undefined), DEADLINES.leave));
  });

/** The same nodes start a second job, in new processes and with a new part of the store. */
const jobAgain: Check = async (context) => {
  let devices: string | undefined;
  for (const round of [1, 2]) {
    await withClients(context, {}, async (job) => {
      const [first] = await factsOf(job);
      const now = placesOf(first!.devices);
      if (round === 2 && now !== devices)
        violated(
          'the devices of a job are other ones when all its processes have started again',
          'PJRT_Client_Devices',
          'CLI-DEV-005',
          { detail: `first:   ${devices}\nsecond:  ${now}` },
        );
      devices = now;
      await destroyInOrder(job, nodesOf(job));
    });
  }
};

/** A job of several processes starts, and what its clients then say of it. */
export const jobStart = checks('job-start', OPTIONS, {
  'process-index': jobProcessIndex,
  devices: jobDevices,
  addressable: jobAddressable,
  topology: jobTopology,
  store: jobStore,
  processes: jobProcesses,
  end: jobEnd,
  again: jobAgain,
});
