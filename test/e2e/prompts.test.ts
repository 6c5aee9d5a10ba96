import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { ctrlC, ctrlD, type Terminal } from '../support/terminal.ts';
import { few, sample } from '../support/tier.ts';
import { farMonday, isStandalone, sched, schedInTerminal, temporaryHome, usedHome } from './program.ts';

const esc = '\x1b';
const arrowLeft = '\x1b[D';

let terminal: Terminal | undefined;
afterEach(() => terminal?.close());

const open = (words: string[], home = temporaryHome()): Terminal => {
  terminal = schedInTerminal(words, home);
  return terminal;
};

const logIn = async (): Promise<Terminal> => {
  const screen = open(['auth', 'login']);
  await screen.until(/--base-url\): $/);
  return screen;
};

describe('a prompt', () => {
  few(1, {
    'stops at Ctrl-D, asks nothing else, and reports all missing flags on a new line': async () => {
      const screen = await logIn();
      screen.type(ctrlD);
      const { code, text } = await screen.done;
      expect(code).toBe(2);
      expect(text).toMatch(/--base-url\): \nerror: Missing required flags --base-url, --auth-url, --client-id/);
      expect(text).not.toContain('(--auth-url)');
    },
    'takes Ctrl-D and Esc for no, and puts the error on a new line': async () => {
      const home = await usedHome();
      for (const key of sample([ctrlD, esc], 1)) {
        const screen = open(['--sandbox', 'api', 'DELETE', '/scheduled_events/X'], home);
        await screen.until(/\[y\/N\] $/);
        screen.type(key);
        const { code, text } = await screen.done;
        expect(code).toBe(12);
        expect(text).toMatch(/\[y\/N\] \nNothing /);
      }
    },
    'lets the arrow keys move in the answer': async () => {
      const screen = await logIn();
      const most = 'ttps://api.example.com';
      // One by one: readline takes keys that arrive together for pasted text.
      screen.type(`${most}${arrowLeft.repeat(most.length)}`);
      await screen.until(new RegExp(String.raw`(\x1b\[1D){${most.length}}$`));
      screen.type('h');
      await screen.until(/https:..api\.example\.com$/);
      screen.type('\n');
      await screen.until(/--auth-url\): $/);
      screen.type(ctrlD);
      const { text } = await screen.done;
      expect(text).not.toContain('^[');
      expect(text).not.toContain('Missing required flag --base-url');
    },
    'checks each answer at once, and asks again': async () => {
      const screen = await logIn();
      screen.type('nonsense\n');
      await screen.until(/nonsense\n--base-url: not a URL\nbase URL[^\n]*\): $/);
      screen.type('https://api.example.com\n');
      await screen.until(/--auth-url\): $/);
      screen.type('\n');
      const { code, text } = await screen.done;
      expect(code).toBe(2);
      expect(text).toMatch(/error: Missing required flags --auth-url, --client-id\n/);
    },
    'uses lines that were pasted together as answers to the next prompts': async () => {
      const screen = await logIn();
      screen.type('https://api.example.com\nhttps://auth.example.com\n');
      await screen.until(/--client-id\): $/);
      screen.type(ctrlD);
      expect((await screen.done).text).toMatch(/error: Missing required flag --client-id\n/);
    },
    'ends on Ctrl-C': async () => {
      const screen = await logIn();
      screen.type(ctrlC);
      const { code, text } = await screen.done;
      expect(code).toBe(130);
      expect(text).toMatch(/--base-url\): \nerror: Interrupted\n$/);
    },
    'shows a move with the time of both sides, and how to undo it': async () => {
      const home = await usedHome();
      const who = ['--email', 'ada@example.com', '--name', 'Ada Byron', '--timezone', 'Asia/Tokyo'];
      const booking = ['--event-type', 'Intro call', '--start', farMonday(), ...who, '--jq', '.event'];
      const { stdout } = await sched(['--sandbox', 'invitees', 'create', ...booking], home);
      const screen = open(['--sandbox', 'events', 'move', stdout.trim(), '--to', farMonday(1), '--tz', 'UTC'], home);
      await screen.until(/ {2}to +Mon .* UTC · free\n {2}who +Ada Byron \(.* in Tokyo\)\n[\s\S]*\[y\/N\] $/);
      screen.type('y\n');
      const { code, text } = await screen.done;
      expect(text).toMatch(/✔ Moved: [\s\S]*\n {2}Undo\s+sched --sandbox events move \w+ --to [\dT:+-]+Z? --tz UTC\n/);
      expect(code).toBe(0);
    },
  });

  // The standalone file asks only if stdin is a terminal.
  describe.skipIf(isStandalone)('while stdin is a file', () => {
    const cancelFromFile = async (): Promise<Terminal> => {
      const home = await usedHome();
      const items = join(home, 'items.txt');
      writeFileSync(items, 'JW6SHQTS78SH7TS8\nXEFT95ZZDW9SPL93\n');
      terminal = schedInTerminal(['--sandbox', 'events', 'cancel', '--from', '-'], home, {}, { stdin: items });
      await terminal.until(/\[y\/N\] $/);
      return terminal;
    };

    const ends: [keys: string, exit: number, words: RegExp][] = [
      ['n\n', 12, /\nNothing \w+\.\n/],
      [ctrlD, 12, /\[y\/N\] \nNothing /],
      [ctrlC, 130, /error: Interrupted\n/],
    ];

    few(1, {
      'reads the answer from the terminal': async () => {
        const screen = await cancelFromFile();
        screen.type('y\n');
        const { code, text } = await screen.done;
        expect(text).toMatch(/✔ 2 of 2 canceled\n/);
        expect(code).toBe(0);
      },
      'reads single keys from the terminal too': async () => {
        const home = await usedHome();
        terminal = schedInTerminal(['--sandbox', 'invitees', 'create'], home, {}, { stdin: '/dev/null' });
        await terminal.until(/Event type/i);
        terminal.type('intro');
        await terminal.until(/intro[\s\S]*Intro/);
        terminal.type(ctrlD);
        expect((await terminal.done).code).toBe(12);
      },
      'ends at no, Ctrl-D and Ctrl-C': async () => {
        for (const [keys, exit, words] of sample(ends, 1)) {
          const screen = await cancelFromFile();
          screen.type(keys);
          const { code, text } = await screen.done;
          expect(text).toMatch(words);
          expect(code).toBe(exit);
        }
      },
    });
  });
});
