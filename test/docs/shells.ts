import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { needs, pathOf } from '../support/tools.ts';

export const scriptOf = (name: string): string => join(import.meta.dirname, '../../completions', name);

/** A folder with one JSON file and one folder in it. A line that runs something would create a file there. */
export const playground = (): string => {
  const folder = temporaryDirectory('completion');
  writeFileSync(join(folder, 'booking.json'), '{}');
  mkdirSync(join(folder, 'bookings'));
  return folder;
};

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Creates a folder for PATH with a fake `sched` that prints these profiles and logs its arguments. */
export const programIn = (folder: string, profiles: readonly string[]): string => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const answer = `printf '%s\\n' ${profiles.map(quote).join(' ')}`;
  const script = `#!/bin/sh\necho "$*" >>${quote(join(folder, 'calls'))}\necho note >&2\n${answer}\n`;
  writeFileSync(join(bin, 'sched'), script, { mode: 0o755 });
  return bin;
};

/** The logged arguments of the program in this folder. */
export const callsIn = (folder: string): string[] =>
  existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];

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

/** The shell's candidates at the end of each line. Programs are found only through PATH. */
export type Complete = (lines: readonly string[], folder: string, path?: string) => string[][];

const separator = '@@@@@';

/** The last part of a value: shells differ in whether `--output=` and `uri,` are part of a candidate. */
const partOf = (candidate: string): string =>
  candidate
    .trimEnd()
    .replace(/^--[\w-]+=/, '')
    .replace(/^.*,/, '');

const blocksOf = (stdout: string): string[][] =>
  stdout
    .split(`${separator}\n`)
    .slice(0, -1)
    .map((block) => block.split('\n').slice(0, -1));

const answers = (stdout: string): string[][] => blocksOf(stdout).map((block) => block.map(partOf).sort());

/** Words as bash passes them to a completion: also split at = and :, with an empty last word after a space. */
const bashWords = (line: string): string[] =>
  line.split(' ').flatMap((word) => (word === '' ? [''] : (word.match(/[=:]+|[^=:]+/g) ?? [])));

const absolute = (shell: string): string => {
  needs(shell);
  return pathOf(shell)!;
};

const completeAfter =
  (prologue: string): Complete =>
  (lines, folder, path) => {
    const calls = lines.map((line) => {
      const words = bashWords(line);
      const quoted = words.map(quote).join(' ');
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
export const completeInBash = completeAfter('');
export const completeInBashWithPackage: Complete = (...given) => {
  needs(bashCompletion);
  return completeAfter(`source ${bashCompletion}`)(...given);
};

const askFish = (flags: string, lines: readonly string[], folder: string, path?: string): string[][] => {
  const script = `source '${scriptOf('sched.fish')}'
for line in $argv
    complete ${flags} -C $line | string replace -r '\\t.*' ''
    echo ${separator}
end`;
  return answers(run(absolute('fish'), ['--no-config', '-c', script, ...lines], folder, path));
};

export const completeInFish: Complete = (lines, folder, path) => askFish('', lines, folder, path);

/** Types each line and TAB into an interactive zsh in a pseudo-terminal, and waits for its reply. */
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

/** The inner zsh: its \`compadd\` logs all matches, and each TAB ends with a separator and an empty line. */
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
  print -r -- "$BUFFER" >> lines
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

/** Each line after the shell has inserted its only candidate. */
export type Write = (lines: readonly string[], folder: string, path?: string) => string[];

const withCandidate = (lines: readonly string[], candidates: string[][]): string[] =>
  lines.map((line, index) => `${line.slice(0, line.lastIndexOf(' ') + 1)}${candidates[index]!.join(' or ')}`);

export const writeInBash: Write = (lines, ...where) => withCandidate(lines, completeInBash(lines, ...where));

export const writeInFish: Write = (lines, folder, path) =>
  withCandidate(lines, askFish('--escape', lines, folder, path));

export const writeInZsh: Write = (lines, folder, path) => {
  completeInZsh(lines, folder, path);
  return readFileSync(join(folder, 'lines'), 'utf8').trimEnd().split('\n');
};

/** The arguments that a program called `sched` gets when the shell runs these lines. */
export const wordsOfLines = (shell: string, lines: readonly string[], folder: string): string[][] => {
  const [flags, told] =
    shell === 'fish'
      ? [['--no-config'], "function sched; printf '%s\\n' $argv; end"]
      : [shell === 'zsh' ? ['-f'] : ['--norc', '--noprofile'], 'sched() { printf \'%s\\n\' "$@"; }'];
  const script = [told, ...lines.map((line) => `${line}\necho ${separator}`)].join('\n');
  return blocksOf(run(absolute(shell), [...flags, '-c', script], folder, process.env.PATH));
};

/** The output of a zsh that runs these lines. */
export const linesOfZsh = (lines: readonly string[], folder: string, path: string): string[] =>
  run(absolute('zsh'), ['-f', '-c', lines.join('\n')], folder, path)
    .trimEnd()
    .split('\n');
