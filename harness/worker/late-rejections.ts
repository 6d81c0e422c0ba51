/**
 * Promises that were rejected while nobody was waiting for them: a callback that meets a missing function fails before its
 * case asks for the result. Node would end the process, which would look like the plugin's doing.
 */
const open = new Map<Promise<unknown>, unknown>();

process.on('unhandledRejection', (reason, promise) => open.set(promise, reason));
process.on('rejectionHandled', (promise) => open.delete(promise));

/** The errors that nobody has waited for until now; the next call returns later ones only. */
export async function lateRejections(): Promise<unknown[]> {
  // Node reports a rejection after the current turn of its event loop.
  await new Promise((resolve) => setImmediate(resolve));
  const errors = [...open.values()];
  open.clear();
  return errors;
}
