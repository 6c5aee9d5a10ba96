import { buildTree } from '../cli/parse/tree.ts';
import { assumptionsPage } from './assumptions.ts';
import { bashScript } from './completions/bash.ts';
import { fishScript } from './completions/fish.ts';
import { powershellScript } from './completions/powershell.ts';
import { zshScript } from './completions/zsh.ts';
import { referencePage } from './reference.ts';
import { wordsOf } from './words.ts';

/** All generated files by path. `sources` are the files of src/ by path. */
export const generate = async (sources: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
  const root = await buildTree();
  const words = wordsOf(root);
  return {
    'completions/sched.bash': bashScript(words),
    'completions/_sched': zshScript(words),
    'completions/sched.fish': fishScript(words),
    'completions/sched.ps1': powershellScript(words),
    'docs/assumptions.md': assumptionsPage(sources),
    'docs/reference.md': referencePage(root),
  };
};
