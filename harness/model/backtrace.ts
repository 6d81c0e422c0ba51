import type { Count, Line } from './values.ts';

/** One function of a stack, as far as it is known. */
export interface StackFrame {
  function?: string;
  /** Of the source, and the line in it. */
  file?: string;
  line?: Line;
  /** Path of the library or program, and the distance from its beginning. */
  module?: string;
  /** @pattern ^0x[0-9a-f]+$ */
  offset?: string;
}

/** The stack of one thread. */
export interface ThreadStack {
  /** Innermost first, to the last one that is not of the harness. */
  frames: StackFrame[];
  /** There may be further frames before that one, which are left out. */
  more?: true;
  /** How many more threads have the same. */
  others?: Count;
}

/** What a debugger saw of a process before it ended. */
export interface Backtrace {
  /**
   * died: the thread that a signal ended · stood: the threads that were in the plugin when a deadline had passed, or a signal came
   * whose thread is not known.
   */
  kind: 'died' | 'stood';
  threads: ThreadStack[];
  /** How many further threads were in the plugin, which are left out. */
  more?: Count;
}
