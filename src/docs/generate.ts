import { buildTree } from '../cli/parse/tree.ts';
import { bashScript } from './completions/bash.ts';
import { fishScript } from './completions/fish.ts';
import { powershellScript } from './completions/powershell.ts';
import { zshScript } from './completions/zsh.ts';
import { referenceOf } from './reference.ts';
import { wordsOf } from './words.ts';

const [start, end] = ['<!-- reference -->', '<!-- /reference -->'];

const withReference = (readme: string, reference: string): string => {
  const [from, to] = [readme.indexOf(start), readme.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md lacks ${start} or ${end}`);
  return `${readme.slice(0, from)}${start}\n\n${reference}\n\n${readme.slice(to)}`;
};

/** Everything that is made from the command tree, by path in the repository. `readme` is the file as it stands. */
export const generate = async (readme: string): Promise<Record<string, string>> => {
  const root = await buildTree();
  const words = wordsOf(root);
  return {
    'completions/sched.bash': bashScript(words),
    'completions/_sched': zshScript(words),
    'completions/sched.fish': fishScript(words),
    'completions/sched.ps1': powershellScript(words),
    'README.md': withReference(readme, referenceOf(root)),
  };
};
