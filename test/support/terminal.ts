import { spawn } from './processes.ts';

export interface Terminal {
  /** Everything on the screen so far, with plain line breaks. */
  text(): string;
  type(text: string): void;
  /** Resolves when the screen shows the text. */
  until(pattern: RegExp, milliseconds?: number): Promise<RegExpExecArray>;
  done: Promise<{ code: number | null; text: string }>;
  /** Closes the terminal, which ends the program in it. */
  close(): void;
}

export const ctrlC = '\x03';
export const ctrlD = '\x04';

/** How readline draws a prompt: it clears the line, and puts the cursor behind the prompt. */
const drawnPrompt = /\x1b\[1G\x1b\[0J([^\x1b]*)\x1b\[\d+G/g;

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Runs a program in a pseudo-terminal, with the `script` command that every Debian has (bsdutils is essential there).
 * `stdout` may go to a file instead, to tell it from the other text on the screen, and `stdin` may come from one.
 */
export const inTerminal = (
  command: readonly string[],
  env: Record<string, string>,
  { columns = 100, stdin, stdout }: { columns?: number; stdin?: string; stdout?: string } = {},
): Terminal => {
  const redirect = (sign: string, file?: string) => (file === undefined ? '' : ` ${sign} ${quoted(file)}`);
  const line = `stty cols ${columns} rows 40; exec ${command.map(quoted).join(' ')}${redirect('<', stdin)}${redirect('>', stdout)}`;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    env: { SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let written = '';
  // Read only when somebody looks: a long screen arrives in thousands of parts.
  const screen = () => written.replaceAll(/\r+\n/g, '\n').replaceAll(drawnPrompt, '$1');
  let changed: () => void = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    changed();
  });
  child.stdin.on('error', () => {});
  let isOver = false;
  const done = new Promise<{ code: number | null; text: string }>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => {
      isOver = true;
      changed();
      resolve({ code, text: screen() });
    });
  });
  return {
    text: screen,
    type: (text) => child.stdin.write(text),
    until: (pattern, milliseconds = 10_000) =>
      new Promise((resolve, reject) => {
        const fail = (why: string) => reject(new Error(`${why}: ${pattern} is not on the screen:\n${screen()}`));
        const timer = setTimeout(() => fail(`after ${milliseconds} ms`), milliseconds);
        changed = () => {
          const found = pattern.exec(screen());
          if (found === null && !isOver) return;
          clearTimeout(timer);
          changed = () => {};
          if (found === null) fail('at its end');
          else resolve(found);
        };
        changed();
      }),
    done,
    close: () => {
      child.kill('SIGKILL');
    },
  };
};
