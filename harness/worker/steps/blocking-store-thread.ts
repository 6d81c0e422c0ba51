/**
 * Runs in a thread of its own, as text, because a blocking `get` must not stop the event loop on which `put` arrives.
 * It only knows koffi, offsets, and the shared log of what was put. CommonJS, so that it needs no loader.
 */
export const BLOCKING_STORE = `
const { workerData: w, parentPort } = require('node:worker_threads');
const koffi = require(w.koffi);
const state = new Int32Array(w.state);
const log = new DataView(w.log);
const logBytes = new Uint8Array(w.log);
const { VERSION, END, GETS, TRIES, MISSES, VALUES, MISUSES, ERRORS, ABANDONED, READERS } = w.slots;
const malloc = koffi.decode(w.malloc, koffi.proto('void* StoreAllocate(size_t n)'));
const makeError = koffi.proto('void* StoreMakeError(int code, const char* message, size_t size)');
const missed = new Set();

const bytesAt = (address, length) => new Uint8Array(koffi.view(address, length)).slice();
function find(key) {
  const end = Atomics.load(state, END);
  for (let at = 0; at < end; ) {
    const keySize = log.getUint32(at, true);
    const valueSize = log.getUint32(at + 4, true);
    const name = Buffer.from(logBytes.slice(at + 8, at + 8 + keySize)).toString('latin1');
    if (name === key) return logBytes.slice(at + 8 + keySize, at + 8 + keySize + valueSize);
    at += 8 + keySize + valueSize;
  }
  return undefined;
}
function fail(view, layout, code, message) {
  Atomics.add(state, ERRORS, 1);
  const slot = view.getBigUint64(layout.callback_error, true);
  const make = koffi.decode(new DataView(koffi.view(slot, 8)).getBigUint64(0, true), makeError);
  return make(code, message, Buffer.byteLength(message));
}
function give(view, layout, value) {
  const memory = malloc(Math.max(1, value.length));
  new Uint8Array(koffi.view(memory, Math.max(1, value.length))).set(value);
  view.setBigUint64(layout.value, memory, true);
  view.setBigUint64(layout.value_size, BigInt(value.length), true);
  view.setBigUint64(layout.value_deleter_callback, w.deleter, true);
  Atomics.add(state, VALUES, 1);
  return null;
}
function read(args, layout, token) {
  Atomics.store(state, READERS + w.node, 1);
  const view = new DataView(koffi.view(args, layout.size));
  const key = view.getBigUint64(layout.key, true);
  const size = Number(view.getBigUint64(layout.key_size, true));
  const valid = key !== 0n && size > 0 && view.getBigUint64(layout.callback_error, true) !== 0n;
  if (!valid || view.getBigUint64(layout.user_arg, true) !== token) Atomics.add(state, MISUSES, 1);
  return { view, key: Buffer.from(bytesAt(key, size)).toString('latin1') };
}
const get = koffi.register((args) => {
  Atomics.add(state, GETS, 1);
  const { view, key } = read(args, w.get, w.tokens.get);
  if (w.failing) return fail(view, w.get, w.codes.failing, w.message);
  const timeout = view.getInt32(w.get.timeout_in_ms, true);
  if (timeout <= 0) Atomics.add(state, MISUSES, 1);
  for (;;) {
    const version = Atomics.load(state, VERSION);
    const value = find(key);
    if (value) return give(view, w.get, value);
    if (Atomics.load(state, ABANDONED)) return fail(view, w.get, w.codes.failing, 'another node has failed');
    if (Atomics.wait(state, VERSION, version, timeout) === 'timed-out') return fail(view, w.get, w.codes.deadline, 'the key did not come');
  }
}, koffi.pointer(koffi.proto('void* StoreGet(void* args)')));
const tryGet = koffi.register((args) => {
  Atomics.add(state, TRIES, 1);
  const { view, key } = read(args, w.tryGet, w.tokens.tryGet);
  if (w.failing) return fail(view, w.tryGet, w.codes.failing, w.message);
  const value = w.late && !missed.has(key) ? undefined : find(key);
  missed.add(key);
  if (value) return give(view, w.tryGet, value);
  if (Atomics.load(state, ABANDONED)) return fail(view, w.tryGet, w.codes.failing, 'another node has failed');
  Atomics.add(state, MISSES, 1);
  return fail(view, w.tryGet, w.codes.notFound, 'no such key');
}, koffi.pointer(koffi.proto('void* StoreTryGet(void* args)')));
parentPort.on('message', () => process.exit(0));
parentPort.postMessage({ get, tryGet });
`;
