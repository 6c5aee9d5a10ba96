import { resolve } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { the, words } from '../../base/words.ts';
import type { Answer, FileAnswer } from '../../cli/answer/answer.ts';
import type { Call } from '../../cli/input/input.ts';
import type { Context } from '../../cli/session/context.ts';
import { forgetMarked, withMirror } from '../../cli/session/open-mirror.ts';
import { existsSync, readFileSync, rmSync } from '../../node/files.ts';
import { yamlDocument } from '../../output/yaml.ts';
import { requireAllInvitees, unread } from '../../sandbox/mirror/answer.ts';
import { findReal, findRealInFile, type RealTexts, textsIn } from '../../sandbox/mirror/invented.ts';
import { isComplete } from '../../sandbox/mirror/open.ts';
import { leftOutOfWorld, pseudonymousWorld, realTextsIn } from '../../sandbox/mirror/pseudonyms.ts';
import { openSandbox } from '../../sandbox/open.ts';
import type { WorldFile } from '../../sandbox/seed/name.ts';
import { sideFiles } from '../../sandbox/store/database.ts';
import { readPlainTime } from '../../sandbox/world/draft.ts';
import { readWorld } from '../../sandbox/world/file.ts';
import { attempt, diskTrouble } from '../../state/disk.ts';
import { writeWholeFile } from '../../state/whole-file.ts';
import { mostBytes } from '../../yaml-file.ts';
import type { ExportInput } from './input.ts';
import { ownMirror } from './own-mirror.ts';

/** Nothing that has something real in it is written. No message says what it is. */
const refuseReal = (found: string | undefined): void => {
  if (found === undefined) return;
  throw new SchedError('internal', 'The mirror was not exported', {
    reason: `${found} of the account is still in the export`,
    outcome: 'not-applied',
  });
};

/** SQLite's words say more than its codes. */
const inWords = (error: NodeJS.ErrnoException): never => {
  throw error.syscall === undefined ? new Error(error.message) : error;
};

/** Writes a new sandbox file: first under another name, which nobody uses, until it was searched. */
const writeSandbox = async ({ runtime }: Context, path: string, world: WorldFile, real: RealTexts): Promise<void> => {
  const { clock, randomBytes } = runtime;
  if (existsSync(path)) throw diskTrouble('write', path, Object.assign(new Error(), { code: 'EEXIST' }));
  const draft = `${path}.${Buffer.from(randomBytes(8)).toString('hex')}`;
  await attempt('write', path, async () => {
    let content: Buffer;
    try {
      const sandbox = await openSandbox({ file: draft, clock, randomBytes, world }).catch(inWords);
      const texts = textsIn(sandbox.store);
      sandbox.close();
      content = readFileSync(draft);
      refuseReal(findRealInFile(content.toString(), texts, real));
    } finally {
      for (const suffix of ['', ...sideFiles]) rmSync(`${draft}${suffix}`, { force: true });
    }
    // Last: if the draft can't be removed, nothing was written.
    await writeWholeFile(path, { content, draft: `${draft}.whole` });
  });
};

/** The same as a world file. */
const worldFile = (context: Context, world: ReturnType<typeof pseudonymousWorld>, real: RealTexts): FileAnswer => {
  const text = yamlDocument(world);
  if (Buffer.byteLength(text) >= mostBytes)
    throw new SchedError('usage', 'The world is larger than 1 MiB, and --seed could not read the file', {
      advice: words`write a sandbox file: add ${the('data')} FILE`,
    });
  refuseReal(findReal(text, real));
  const read = readWorld(text, 'world', context.now());
  if (!read.ok) throw new SchedError('internal', "The mirror can't be exported", { reason: read.problems[0]!.message });
  return { kind: 'file', value: world, text: text.trimEnd(), isYaml: true };
};

export const runExport = async ({ data }: ExportInput, { context }: Call): Promise<Answer> => {
  const { runtime } = context;
  const { world, real } = await withMirror(runtime, await ownMirror(context), async (mirror) => {
    await forgetMarked(context, mirror);
    const { store, facts } = mirror;
    if (!isComplete(facts)) throw unread('not all lists were read yet');
    requireAllInvitees(store);
    const texts = realTextsIn(store, facts);
    return { world: pseudonymousWorld(store, facts, texts), real: texts };
  });
  const hints = [`Left out: ${leftOutOfWorld}`];
  if (data === undefined) return { ...worldFile(context, world, real), hints };
  refuseReal(findReal(JSON.stringify(world), real));
  await writeSandbox(context, resolve(data), { name: 'mirror', digest: '', world, read: readPlainTime }, real);
  return { kind: 'nothing', done: { log: `sandbox file written: ${data}` }, hints };
};
