import type { Breadcrumb } from '../ffi/breadcrumb.ts';
import type { Finding } from '../report/events.ts';

/** What every native call of a worker is counted, timed and traced with. One per process. */
export class Instrument {
  readonly breadcrumb: Breadcrumb | undefined;
  /** Native calls, and milliseconds spent inside them, since the worker began. */
  calls = 0;
  nativeMs = 0;
  /** Called with every breach of the calling contract that is noticed on the way. */
  onFinding: (finding: Finding) => void = () => {};
  /** Called with the name of a function that answered; for coverage of functions by cases. */
  guard = true;

  constructor(breadcrumb?: Breadcrumb) {
    this.breadcrumb = breadcrumb;
  }

  /** Runs a native call that does not go through an argument block (dlopen, GetPjrtApi, deleters, function tables). */
  native<T>(name: string, run: () => T): T {
    const crumb = this.breadcrumb;
    crumb?.enter(crumb.id(name));
    const start = performance.now();
    try {
      return run();
    } finally {
      this.nativeMs += performance.now() - start;
      this.calls++;
      crumb?.leave();
    }
  }
}
