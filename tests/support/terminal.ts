import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';

/** The command in a terminal of its own, that of `script` of util-linux. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly #closed: Promise<number | null>;
  #text = '';
  /** How much of the text has been waited for. */
  #read = 0;
  #heard: () => void = () => {};

  constructor(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
    const words = [process.execPath, packagePath('dist', 'cli', 'main.js'), ...args];
    const command = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    this.#child = spawn('script', ['-qfec', `exec ${command}`, '/dev/null'], {
      cwd,
      env: { ...process.env, ...env, TERM: 'xterm' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.#text += text;
      this.#heard();
    });
    this.#closed = new Promise((resolve) => this.#child.once('close', resolve));
  }

  /** Waits for a text after those that were waited for before. @returns all that was written between them, and the text */
  async until(text: string): Promise<string> {
    let ended = false;
    void this.#closed.then(() => {
      ended = true;
      this.#heard();
    });
    for (;;) {
      const plain = stripVTControlCharacters(this.#text);
      const at = plain.indexOf(text, this.#read);
      if (at >= 0) {
        const between = plain.slice(this.#read, at + text.length);
        this.#read = at + text.length;
        return between;
      }
      if (ended) throw new Error(`it ended without ${JSON.stringify(text)}:\n${plain.slice(this.#read)}`);
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  press(keys: string): void {
    this.#child.stdin!.write(keys);
  }

  /** Waits for its end. @returns the exit code */
  ended(): Promise<number | null> {
    return this.#closed;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
