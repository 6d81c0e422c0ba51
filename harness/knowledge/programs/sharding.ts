/** How the arrays of a program are cut over its partitions, in the notations of Shardy (sdy.sharding) and GSPMD (mhlo.sharding). */
import type { Placement } from '../numerics/pieces.ts';
import { ProgramError, type Shardings } from './program.ts';

/** Where each partition has its tile, in units of tiles; no tiles: every partition has the whole array. */
interface Tiling {
  tiles?: number[];
  /** By partition. */
  tileOf: number[][];
  /** The compiler may cut the array further. */
  open?: boolean;
}

interface Mesh {
  axes: { name: string; size: number }[];
  /** At each place of the mesh, the last axis running fastest. */
  devices: number[];
}

/**
 * The partitions that a program asks for: those of its module, or as many as its meshes and shardings have devices.
 * @throws ProgramError if they do not agree
 */
export function partitionsOf({ inputs, outputs, meshes }: Shardings, declared: number | undefined): number {
  if (declared !== undefined) return declared;
  const tilings = [...inputs, ...outputs].map((text) => tilingOf(text, meshes).tileOf.length);
  const counts = [...tilings, ...[...meshes.values()].map((text) => meshOf(text).devices.length)];
  const several = [...new Set(counts.filter((count) => count > 1))];
  if (several.length < 2) return several[0] ?? 1;
  throw new ProgramError(
    `meshes and shardings over ${several.join(' and ')} devices; the attribute mhlo.num_partitions of the module says how many the program has`,
  );
}

/**
 * Where the pieces of an array are.
 * @param shape of the whole array
 * @throws ProgramError if it is not cut evenly over just these partitions
 */
export function placementOf(
  sharding: string | undefined,
  meshes: Shardings['meshes'],
  shape: readonly number[],
  partitions: number,
): Placement & { open: boolean } {
  const { tiles, tileOf, open = false } = tilingOf(sharding, meshes);
  if (!tiles) {
    const starts = Array.from({ length: partitions }, () => shape.map(() => 0));
    return { shape: [...shape], starts, open };
  }
  const fail = (message: string): never => {
    throw new ProgramError(`the sharding ${sharding} ${message}`);
  };
  if (tileOf.length !== partitions)
    fail(`is over ${tileOf.length} devices, and the program has ${partitions} partitions`);
  if (tiles.length !== shape.length) fail(`has ${tiles.length} dimensions, and the array [${shape}] ${shape.length}`);
  const uneven = shape.findIndex((size, d) => size % tiles[d]! !== 0);
  if (uneven >= 0) fail(`cuts [${shape}] unevenly: ${shape[uneven]} elements into ${tiles[uneven]} pieces`);
  const piece = shape.map((size, d) => size / tiles[d]!);
  return { shape: piece, starts: tileOf.map((tile) => tile.map((at, d) => at * piece[d]!)), open };
}

/**
 * Where the pieces of an array are on all devices.
 * @param own each replica has an array of its own, by the first dimension; otherwise all have the same
 */
export function inReplicas({ shape, starts }: Placement, replicas: number, own: boolean): Placement {
  const all = Array.from({ length: replicas }, (_, replica) =>
    starts.map((start) => (own ? [replica, ...start] : start)),
  );
  return { shape, starts: all.flat() };
}

function tilingOf(sharding: string | undefined, meshes: Shardings['meshes']): Tiling {
  if (sharding === undefined) return { tileOf: [], open: true };
  return sharding.startsWith('{') ? tilingOfGspmd(sharding) : tilingOfShardy(sharding, meshes);
}

const GSPMD =
  /^\{devices=\[([\d,]+)\](?:<=\[([\d,]+)\](?:T\(([\d,]+)\))?|([\d,]+)),?\s*(last_tile_dim_replicate|last_tile_dims=\{(?:replicated(?:,\s*)?)+\})?\}$/;

/** `{devices=[2,1,2]<=[4] last_tile_dim_replicate}`: a grid of tiles, and the devices in it. */
function tilingOfGspmd(text: string): Tiling {
  if (text === '{replicated}') return { tileOf: [] };
  const [, grid, iota, turned, listed, last] = GSPMD.exec(text) ?? [];
  if (grid === undefined) {
    throw new ProgramError(
      `the sharding ${text} is none that arrays can be cut by; expected {replicated} or {devices=[…]…}`,
    );
  }
  const sizes = numbers(grid);
  const order =
    listed === undefined
      ? transposed(numbers(iota!), turned === undefined ? undefined : numbers(turned))
      : numbers(listed);
  const copies = last === undefined ? 0 : (last.match(/replicate/g) ?? []).length;
  const count = product(sizes);
  if (copies > sizes.length || !isPermutation(order, count)) {
    throw new ProgramError(`the sharding ${text} does not name each of ${count} devices once`);
  }
  const tiles = sizes.slice(0, sizes.length - copies);
  return { tiles, tileOf: byDevice(order, (place) => unravel(place, sizes).slice(0, tiles.length)) };
}

/** The numbers of a grid, read in another order of its dimensions. */
function transposed(sizes: readonly number[], order: readonly number[] = sizes.map((_, d) => d)): number[] {
  const turned = order.map((d) => sizes[d]!);
  return Array.from({ length: Math.min(product(sizes), MOST) }, (_, place) => {
    const at = unravel(place, turned);
    return sizes.reduce((sum, size, d) => sum * size + (at[order.indexOf(d)] ?? 0), 0);
  });
}

const SHARDY = /^(?:#sdy\.sharding)?<(?:@"?([^",>]+)"?|mesh(<.*?>)),\s*\[(.*?)\]((?:,\s*\w+=\{[^}]*\})*)>$/s;
const AXIS = /^"([^"]+)"(?::\((\d+)\)(\d+))?$/;

/** `#sdy.sharding<@mesh, [{"x", "y":(1)2}, {?}p1], replicated={"z"}>`: the axes of a mesh along which each dimension is cut. */
function tilingOfShardy(text: string, meshes: Shardings['meshes']): Tiling {
  const fail = (message: string): never => {
    throw new ProgramError(`the sharding ${text} ${message}`);
  };
  const [, name, inline, dimensions, more] =
    SHARDY.exec(text) ?? fail('cannot be read; expected <@mesh, [{"axis"}, {}]>');
  const written = inline ?? meshes.get(name!) ?? fail(`has no mesh: the module has no sdy.mesh @${name}`);
  if (/unreduced|reduction/.test(more!)) fail('is unreduced: sums that devices have parts of are no arrays');
  const { axes, devices } = meshOf(written);
  const cuts = [...dimensions!.matchAll(/\{([^}]*)\}/g)].map(([, list]) =>
    list!
      .split(',')
      .map((axis) => axis.trim())
      .filter((axis) => axis !== '' && axis !== '?')
      .map((axis) => {
        const [, of, before = '1', size] =
          AXIS.exec(axis) ?? fail(`has the axis ${axis}; expected "name" or "name":(m)n`);
        const at = axes.findIndex((own) => own.name === of);
        const all = axes[at]?.size ?? fail(`is along "${of}", which is no axis of its mesh ${written}`);
        const part = { at, before: Number(before), size: Number(size ?? all) };
        if (all % (part.before * part.size) !== 0) fail(`has a part ${axis} of an axis of ${all}`);
        return { ...part, after: all / (part.before * part.size) };
      }),
  );
  const sizes = axes.map(({ size }) => size);
  return {
    tiles: cuts.map((parts) => product(parts.map(({ size }) => size))),
    tileOf: byDevice(devices, (place) => {
      const along = unravel(place, sizes);
      return cuts.map((parts) =>
        parts.reduce((tile, { at, size, after }) => tile * size + (Math.floor(along[at]! / after) % size), 0),
      );
    }),
    open: dimensions!.includes('?'),
  };
}

const MESH = /^(?:#sdy\.mesh)?<\[([^\]]*)\](?:,\s*device_ids=\[([\d,\s]*)\])?>$/;

/** `<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>`. */
function meshOf(text: string): Mesh {
  const [, list, ids] = MESH.exec(text) ?? [];
  const axes = [...(list ?? '').matchAll(/"([^"]+)"=(\d+)/g)].map(([, name, size]) => ({
    name: name!,
    size: Number(size),
  }));
  const count = product(axes.map(({ size }) => size));
  const devices = ids === undefined ? Array.from({ length: Math.min(count, MOST) }, (_, place) => place) : numbers(ids);
  if (list === undefined || !isPermutation(devices, count)) {
    throw new ProgramError(
      `the mesh ${text} is none that arrays can be cut by; expected <["axis"=size, …]>, each device once`,
    );
  }
  return { axes, devices };
}

/** No mesh has more devices. */
const MOST = 2 ** 16;

const numbers = (text: string): number[] => (text.trim() === '' ? [] : text.split(',').map(Number));
const product = (sizes: readonly number[]): number => sizes.reduce((count, size) => count * size, 1);
const isPermutation = (order: readonly number[], count: number): boolean =>
  count <= MOST &&
  order.length === count &&
  new Set(order).size === count &&
  order.every((at) => at >= 0 && at < count);

function unravel(place: number, sizes: readonly number[]): number[] {
  const at = new Array<number>(sizes.length);
  for (let [d, rest] = [sizes.length - 1, place]; d >= 0; d -= 1) {
    at[d] = rest % sizes[d]!;
    rest = Math.floor(rest / sizes[d]!);
  }
  return at;
}

/** What holds of each place, by the device there. */
function byDevice(devices: readonly number[], of: (place: number) => number[]): number[][] {
  const found = new Array<number[]>(devices.length);
  devices.forEach((device, place) => {
    found[device] = of(place);
  });
  return found;
}
