/** Files that a trace has, as patterns of their paths in it: nothing else is packed or unpacked. */
const FILES = [/^manifest\.json$/, /^README\.md$/, /^pid-\d{1,10}(?:\.\d{1,4})?\/events-\d{4,9}\.bin$/];
const BLOB = /^blobs\/([0-9a-f]{2})\/\1[0-9a-f]{30}$/;

/** Whether a path is that of a file of a trace. */
export const isTraceFile = (path: string): boolean => BLOB.test(path) || FILES.some((pattern) => pattern.test(path));

/** How the name of a packed trace ends. */
export const PACKED = '.tar.br';
