/** Called by a command with its exit code, unless that is 0. */
export type Done = (exitCode: number) => void;
