import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from '../support/processes.ts';

export const scriptOf = (name: string): string => join(import.meta.dirname, '../../completions', name);

export const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** A folder with one JSON file and one folder in it, where a line that runs something would leave a trace. */
export const playground = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sched-completion-'));
  writeFileSync(join(folder, 'booking.json'), '{}');
  mkdirSync(join(folder, 'bookings'));
  return folder;
};

const run = (shell: string, args: string[], folder: string, path = '/nonexistent'): string => {
  const { status, stdout, stderr, error } = spawnSync(shell, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: path, HOME: folder, TERM: 'dumb', LC_ALL: 'C.UTF-8' },
    timeout: 60_000,
  });
  if (error !== undefined || status !== 0 || stderr !== '')
    throw new Error(`${shell}: exit ${status} ${error?.message ?? ''}\n${stderr}`);
  return stdout;
};

/**
 * Candidates for the end of each line, as that shell finds them. Without a path no program but the shell's own can be
 * found: completing starts none.
 */
export type Complete = (lines: readonly string[], folder: string, path?: string) => string[][];

const separator = '@@@@@';

/** The last part of a value: shells differ in whether `--output=` and `uri,` are part of a candidate. */
const partOf = (candidate: string): string =>
  candidate
    .trimEnd()
    .replace(/^--[\w-]+=/, '')
    .replace(/^.*,/, '');

const answers = (stdout: string): string[][] =>
  stdout
    .split(`${separator}\n`)
    .slice(0, -1)
    .map((block) => block.split('\n').slice(0, -1).map(partOf).sort());

/** Words as bash hands them to a completion: broken at = and : as well, the last one empty behind a space. */
const bashWords = (line: string): string[] =>
  line.split(' ').flatMap((word) => (word === '' ? [''] : (word.match(/[=:]+|[^=:]+/g) ?? [])));

const absolute = (shell: string): string =>
  spawnSync('/bin/sh', ['-c', `command -v ${shell}`], { encoding: 'utf8' }).stdout.trim();

const completeAfter =
  (prologue: string): Complete =>
  (lines, folder, path) => {
    const calls = lines.map((line) => {
      const words = bashWords(line);
      const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
      return `COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1} COMP_LINE='' COMP_POINT=0
_sched
for reply in \${COMPREPLY[@]+"\${COMPREPLY[@]}"}; do printf '%s\\n' "$reply"; done
echo ${separator}`;
    });
    const setUp = `${prologue}\nset -u\nsource '${scriptOf('sched.bash')}'\ncomplete -p sched >/dev/null || exit 1`;
    const args = ['--norc', '--noprofile', '-c', `${setUp}\n${calls.join('\n')}`];
    return answers(run(absolute('bash'), args, folder, path));
  };

const bashCompletion = '/usr/share/bash-completion/bash_completion';
export const hasBashCompletion = (): boolean => existsSync(bashCompletion);

export const completeInBash = completeAfter('');
export const completeInBashWithPackage = completeAfter(`source ${bashCompletion}`);

export const completeInFish: Complete = (lines, folder, path) => {
  const script = `source '${scriptOf('sched.fish')}'
for line in $argv
    complete -C $line | string replace -r '\\t.*' ''
    echo ${separator}
end`;
  return answers(run(absolute('fish'), ['--no-config', '-c', script, ...lines], folder, path));
};

/** Types each line and TAB into an interactive zsh behind a pseudo-terminal, and waits until it has answered. */
const zshDriver = `
zmodload zsh/zpty zsh/zselect zsh/mapfile
zpty -b inner "$1" -f -i
zpty -w inner 'source ./inner.zsh'
typeset -i answered=0 tries
typeset -a separators
answer() {
  for ((tries = 0; tries < 1000; tries++)); do
    while zpty -rt inner noise; do :; done
    separators=("\${(@M)\${(@f)mapfile[found]}:#${separator}}")
    (( $#separators > answered )) && { answered+=1; return }
    zselect -t 1
  done
  print -u2 "zsh gave no answer to line $answered"
  exit 1
}
answer
for line in "\${@[2,-1]}"; do
  zpty -wn inner "$line"$'\t'
  answer
done
print -rn -- "$mapfile[found]"
zpty -d inner
`;

/** The inner zsh: its \`compadd\` writes down all that matches, and each TAB ends with a separator and an empty line. */
const zshInner = `
PS1= RPS1=
autoload -Uz compinit && compinit -u -D
source '${scriptOf('_sched')}'
compadd() {
  if [[ "\${(j: :)@}" != *-[OAD]" "* ]]; then
    local -a matches
    builtin compadd -A matches "$@"
    (( $#matches )) && print -rl -- $matches >> found
  fi
  builtin compadd "$@"
}
zle -C sched-complete complete-word _main_complete
answer() {
  zle sched-complete
  print -r -- ${separator} >> found
  BUFFER=
}
zle -N answer
bindkey '^I' answer
print -r -- ${separator} >> found
`;

export const completeInZsh: Complete = (lines, folder, path) => {
  writeFileSync(join(folder, 'inner.zsh'), zshInner);
  writeFileSync(join(folder, 'found'), '');
  const zsh = absolute('zsh');
  return answers(run(zsh, ['-f', '-c', zshDriver, 'zsh', zsh, ...lines], folder, path)).slice(1);
};
