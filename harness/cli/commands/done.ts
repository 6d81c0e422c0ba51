/** Called by a command with its exit code if that is not 0. */
export type Done = (exitCode: number) => void;
