import { nounHelp, topHelp } from './help.ts';
import { nouns } from './nouns.ts';
import { pageOf } from './program.ts';
import { topics } from './topics.ts';
import type { WrittenHelp, WrittenNoun } from './written-help.ts';

/** Writes the first page down, for the build. */
export const writeTopHelp = (): string => topHelp();

/** Writes every other help text down. */
export const writeHelp = async (): Promise<WrittenHelp> => {
  const written: Record<string, WrittenNoun> = {};
  for (const [noun, { singular, leaf, commands }] of Object.entries(nouns)) {
    const own = await commands();
    written[noun] = leaf
      ? { singular, verbs: {}, page: pageOf(noun, own[0]!) }
      : {
          singular,
          text: nounHelp(noun, own),
          verbs: Object.fromEntries(own.map((command) => [command.name, pageOf(`${noun} ${command.name}`, command)])),
        };
  }
  return {
    topics: Object.fromEntries(Object.entries(topics).map(([name, topic]) => [name, topic.text()])),
    nouns: written,
  };
};
