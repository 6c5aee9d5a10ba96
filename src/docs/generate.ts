import { buildTree } from '../cli/parse/tree.ts';
import { assumptionsPage } from './assumptions.ts';
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

/**
 * Every generated file by its path in the repository. `readme` is the text of README.md now, `sources` are the files of
 * src/ by path.
 */
export const generate = async (
  readme: string,
  sources: Readonly<Record<string, string>>,
): Promise<Record<string, string>> => {
  const root = await buildTree();
  const words = wordsOf(root);
  return {
    'completions/sched.bash': bashScript(words),
    'completions/_sched': zshScript(words),
    'completions/sched.fish': fishScript(words),
    'completions/sched.ps1': powershellScript(words),
    'docs/assumptions.md': assumptionsPage(sources),
    'README.md': withReference(readme, referenceOf(root)),
  };
};
