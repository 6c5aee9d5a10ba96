import { nearest } from '../base/nearest.ts';
import { words } from '../base/words.ts';
import type { TextAnswer } from '../cli/answer/answer.ts';
import type { LeafCommand } from '../cli/command.ts';
import { entry } from '../cli/input/entry.ts';
import { input, taking, type Values } from '../cli/input/input.ts';
import { accept, type Kind, refuse } from '../cli/input/kind.ts';

interface Shell {
  /** Bundled, so no other file is read. */
  script(): Promise<{ default: string }>;
  install: string;
}

const shells: Record<string, Shell> = {
  bash: {
    script: () => import('../../completions/sched.bash', { with: { type: 'text' } }),
    install: "sched completion bash > ~/.sched.bash && echo 'source ~/.sched.bash' >> ~/.bashrc",
  },
  zsh: {
    script: () => import('../../completions/_sched', { with: { type: 'text' } }),
    install: "command sched completion zsh > ~/.sched.zsh && echo 'source ~/.sched.zsh' >> ~/.zshrc",
  },
  fish: {
    script: () => import('../../completions/sched.fish', { with: { type: 'text' } }),
    install: 'mkdir -p ~/.config/fish/conf.d && sched completion fish > ~/.config/fish/conf.d/sched.fish',
  },
  powershell: {
    script: () => import('../../completions/sched.ps1', { with: { type: 'text' } }),
    install: 'sched completion powershell >> $PROFILE',
  },
};

const names = Object.keys(shells);

const shellKind: Kind<Shell> = {
  json: 'string',
  choices: names,
  read: (word) => {
    if (Object.hasOwn(shells, word)) return accept(shells[word]!);
    const meant = word === 'pwsh' ? 'powershell' : nearest(word, names);
    return refuse(words`No completion script for "${word}". Choose from ${names.join(', ')}`, meant);
  },
};

const entries = { shell: entry(shellKind, names.join(', '), { place: 'argument', needed: true }) };

const runCompletion = async ({ shell: { script, install } }: Values<typeof entries>): Promise<TextAnswer> => ({
  kind: 'text',
  text: (await script()).default,
  footers: [`To install: ${install}`],
});

export const completion: LeafCommand = {
  summary:
    'Print the completion script for a shell. zsh has a builtin sched: run disable sched first, or type command sched completion zsh',
  ...taking(input(entries), runCompletion),
  examples: names.map((name) => `completion ${name}`),
  notes: [
    `To install it:\n${names.flatMap((name) => [`  # ${name}`, `  ${shells[name]!.install}`]).join('\n')}`,
    'On TAB, the script asks sched for commands, flags and values, and evaluates nothing on the line. Event types, groups, routing forms and people are completed by name: sched asks the service for at most a second, with a token from the environment or a login in a file. It never opens a keychain. On a plan with 10 requests a minute, it asks for nothing.',
    'The builtin of zsh hides this program: disable sched turns it off in one shell, and the script does so in each new one. scheds is the same program under a name that no shell has.',
  ],
  local: true,
};
