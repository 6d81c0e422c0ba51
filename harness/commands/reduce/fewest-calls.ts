/** Searches the fewest calls of a session that fail as all do. */
import { firstFailing, shortest } from '../../base/delta-debugging.ts';
import { Abi, isExtensionFunction, kindsOf, NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import { closed, type SessionCall } from '../../knowledge/trace/session-graph.ts';

/** Which parts of the session, as the orders of their calls, fail as the whole does. */
export type Fails = (parts: readonly (readonly number[])[]) => Promise<boolean[]>;

/**
 * Orders of calls that fail as all do, and none of which can be left out alone, but for those that follow others (`SessionCall`).
 * @param calls of a session that fails, in their order
 */
export async function fewestCalls(calls: readonly SessionCall[], fails: Fails): Promise<readonly number[]> {
  const orders = calls.map(({ order }) => order);
  const beginning = orders.slice(0, await shortestBeginning(orders, fails));
  const last = beginning.at(-1)!;
  // Those that follow others come back with them.
  const following = new Set(calls.flatMap(({ order, follows }) => (follows && order !== last ? [order] : [])));
  const whole = (part: readonly number[]): number[] => closed(calls, part, last);
  const possible = (part: readonly number[]): number[] => whole(part).filter((order) => !following.has(order));
  const how = {
    key: (order: number) => order,
    possible,
    fails: (parts: readonly (readonly number[])[]) => fails(parts.map(whole)),
  };
  const all = beginning.filter((order) => !following.has(order));
  // What the last call needs is often enough; else answers of other queries rarely matter.
  const acting = calls.flatMap(({ order, function: name }) =>
    order < last && !isQuery(name) && !following.has(order) ? [order] : [],
  );
  const first = await firstFailing([possible([last]), possible([...acting, last])], all.length, how);
  return whole(await shortest(first ?? all, how));
}

/** How many calls from the first one on fail as all do: without the last of them they do not. */
async function shortestBeginning(orders: readonly number[], fails: Fails): Promise<number> {
  let [right, wrong] = [0, orders.length];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    const [failed] = await fails([orders.slice(0, middle)]);
    if (failed) wrong = middle;
    else right = middle;
  }
  return wrong;
}

function isQuery(name: string): boolean {
  const abi = Abi.at(NEWEST_MINOR);
  return !isExtensionFunction(name) && abi.hasStruct(`${name}_Args`) && kindsOf(abi.argsOf(name)).has('query');
}
