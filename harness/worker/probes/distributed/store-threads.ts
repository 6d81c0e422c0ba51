/**
 * Programs of threads of a node, as text: CommonJS that needs no loader. A callback of the plugin blocks the plugin's
 * thread and the JavaScript thread on which it was registered, so neither may be the one that talks to the store.
 */

/** Passes questions of the other threads to the harness through a socket, and its answers back. */
export const LINK_THREAD = `
const { workerData: w } = require('node:worker_threads');
const { serialize, deserialize } = require('node:v8');
const socket = new (require('node:net').Socket)({ fd: w.fd, readable: true, writable: true });
const waiting = new Map();
let next = 0;
let gone = false;
function answer({ port, flag }, message) {
  port.postMessage(message);
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
}
const GONE = { code: 'UNAVAILABLE', message: 'the harness does not answer' };
for (const { port, flag } of w.ends) {
  port.on('message', (asked) => {
    const end = { port, flag: new Int32Array(flag) };
    if (gone) return answer(end, GONE);
    const id = next++;
    waiting.set(id, end);
    const body = serialize({ ...asked, id });
    const head = Buffer.alloc(4);
    head.writeUInt32LE(body.length);
    socket.write(Buffer.concat([head, body]));
  });
}
let rest = Buffer.alloc(0);
socket.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32LE()) {
    const end = 4 + rest.readUInt32LE();
    const message = deserialize(rest.subarray(4, end));
    rest = rest.subarray(end);
    answer(waiting.get(message.id), message);
    waiting.delete(message.id);
  }
});
function close() {
  gone = true;
  for (const end of waiting.values()) answer(end, GONE);
  waiting.clear();
}
socket.on('error', close);
socket.on('close', close);
`;

/**
 * Callbacks of the plugin. The value of an answer ends at an inaccessible page and is unmapped by its deleter, so that
 * reading past its end, or after that, is a crash in the call that does it.
 */
export const CALLBACK_THREAD = `
const { workerData: w, parentPort, receiveMessageOnPort } = require('node:worker_threads');
const koffi = require(w.koffi);
const flag = new Int32Array(w.flag);
const counts = new Int32Array(w.counts);
const values = new BigInt64Array(w.values);
const { GIVEN, DELETED, MISDELETED } = w.slots;
const mac = process.platform === 'darwin';
const libc = koffi.load(mac ? 'libSystem.B.dylib' : 'libc.so.6');
const mmap = libc.func('void* mmap(void* at, size_t size, int protection, int flags, int fd, int64_t offset)');
const munmap = libc.func('int munmap(void* at, size_t size)');
const mprotect = libc.func('int mprotect(void* at, size_t size, int protection)');
const makeError = koffi.proto('void* NodeMakeError(int code, const char* message, size_t size)');
const PAGE = 16384;
const bytesAt = (address, length) => new Uint8Array(koffi.view(address, length)).slice();

function ask(asked) {
  Atomics.store(flag, 0, 0);
  w.port.postMessage(asked);
  Atomics.wait(flag, 0, 0);
  return receiveMessageOnPort(w.port).message;
}
function questionOf(name, args, layout, token) {
  const view = new DataView(koffi.view(args, layout.size));
  const at = view.getBigUint64(layout.key, true);
  const size = Number(view.getBigUint64(layout.key_size, true));
  const asked = { question: name, key: at === 0n || size === 0 ? '' : Buffer.from(bytesAt(at, size)).toString('latin1') };
  if (asked.key === '') asked.misuse = 'no key';
  if (view.getBigUint64(layout.callback_error, true) === 0n) asked.misuse = 'no callback_error';
  if (view.getBigUint64(layout.user_arg, true) !== token) asked.misuse = "not the callback's user_arg";
  return { view, asked };
}
function fail(view, layout, { code, message }) {
  const slot = view.getBigUint64(layout.callback_error, true);
  if (slot === 0n) return null;
  const make = koffi.decode(new DataView(koffi.view(slot, 8)).getBigUint64(0, true), makeError);
  return make(w.codes[code] ?? w.codes.INTERNAL, message, Buffer.byteLength(message));
}
function give(view, layout, bytes) {
  const room = Math.ceil(bytes.length / PAGE) * PAGE;
  const base = mmap(0n, room + PAGE, 3, mac ? 0x1002 : 0x22, -1, 0);
  mprotect(base + BigInt(room), PAGE, 0);
  const address = base + BigInt(room - bytes.length);
  if (bytes.length > 0) new Uint8Array(koffi.view(address, bytes.length)).set(bytes);
  let slot = 0;
  while (slot + 3 < values.length && Atomics.compareExchange(values, slot, 0n, address) !== 0n) slot += 3;
  values[slot + 1] = base;
  values[slot + 2] = BigInt(room + PAGE);
  view.setBigUint64(layout.value, address, true);
  view.setBigUint64(layout.value_size, BigInt(bytes.length), true);
  view.setBigUint64(layout.value_deleter_callback, w.deleter, true);
  Atomics.add(counts, GIVEN, 1);
  return null;
}
const answered = (view, layout, answer) =>
  answer.code ? fail(view, layout, answer) : give(view, layout, answer.value ?? new Uint8Array());

const RUN = {
  get(args) {
    const { view, asked } = questionOf('get', args, w.layouts.get, w.tokens.get);
    asked.timeoutMs = view.getInt32(w.layouts.get.timeout_in_ms, true);
    if (asked.timeoutMs <= 0) asked.misuse = 'a timeout of ' + asked.timeoutMs + ' ms';
    return answered(view, w.layouts.get, ask(asked));
  },
  try(args) {
    const { view, asked } = questionOf('try', args, w.layouts.try, w.tokens.try);
    return answered(view, w.layouts.try, ask(asked));
  },
  put(args) {
    const { view, asked } = questionOf('put', args, w.layouts.put, w.tokens.put);
    const at = view.getBigUint64(w.layouts.put.value, true);
    const size = Number(view.getBigUint64(w.layouts.put.value_size, true));
    asked.value = at === 0n || size === 0 ? new Uint8Array() : bytesAt(at, size);
    const answer = ask(asked);
    return answer.code ? fail(view, w.layouts.put, answer) : null;
  },
  delete(address) {
    for (let slot = 0; slot < values.length; slot += 3) {
      if (address === 0n || Atomics.load(values, slot) !== address) continue;
      const [base, size] = [values[slot + 1], Number(values[slot + 2])];
      Atomics.store(values, slot, 0n);
      munmap(base, size);
      Atomics.add(counts, DELETED, 1);
      return;
    }
    Atomics.add(counts, MISDELETED, 1);
  },
};
const type = w.callback === 'delete' ? 'void NodeDeleter(void* value)' : 'void* NodeCallback(void* args)';
const address = koffi.register(RUN[w.callback], koffi.pointer(koffi.proto(type)));
parentPort.on('message', () => process.exit(0));
parentPort.postMessage(address);
`;
