/** Probes of this area and what each checks. Pure data: suites are checked against it without loading a plugin. */
export const NAMES: Readonly<Record<string, string>> = {
  'async-pieces': 'Pieces of an array arrive where they belong; the buffer is ready after the last one.',
  'async-refused': 'A piece that does not fit is refused; the manager can be destroyed afterwards.',
  bitcast: 'A bitcast keeps the bytes on the device; a type of another size there is an error.',
  'dlpack-exchange':
    'Export and import of a buffer by reference, address and view, with the exporter deleted meanwhile.',
  'dma-map': 'Host memory can be mapped, sent from, and unmapped.',
  'event-callback-calls': 'A callback may call back into the plugin.',
  'event-destroyed-early':
    'An event destroyed before it is ready, or by its own callback, still calls each callback once.',
  'event-odd-code': 'An unknown error code is refused, or the event ends in some error.',
  'event-on-ready':
    "Callbacks on one event fire exactly once each, with their own user argument and the event's status.",
  'event-waiting':
    'Threads that wait for one event all get its status; the event stays ready and says the same every time.',
  'execute-before-data': 'A program started on a buffer whose data come later gives the right result.',
  'raw-copy': 'A range of the device memory is copied, or refused when it lies outside.',
  'raw-future': 'A raw copy waits for its destination, or ends in the error given instead.',
  'shared-reads': 'Several threads read one buffer at once.',
  'shared-ready-events': 'Several threads ask for the ready event of one buffer at once.',
  'view-aliasing': 'A view is the memory itself: writes through the pointer are seen.',
  'view-callback': 'A view calls its delete callback exactly once, with its own arguments.',
};
