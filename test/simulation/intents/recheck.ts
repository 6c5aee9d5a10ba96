import { foldAddress } from '../../../src/api/email-address.ts';
import { firstPrev, type ReceiptLine, sealLine } from '../../../src/commands/bulk/work-receipt.ts';
import { readKey } from '../../../src/commands/bulk/work-receipt-key.ts';
import { inputs, keyText } from '../machine.ts';
import { origin } from '../network.ts';
import { type Scene, someday } from '../scene.ts';
import type { Kind } from './intent.ts';

/*
 * R69: nobody who is shown is called gone, and who is not shown is gone once a recheck has ended.
 */

/** The receipt of a deletion that the service has accepted, and never carried out. */
const receiptOf = (scene: Scene, run: string, addresses: readonly string[]): string => {
  const key = readKey(keyText)!;
  const at = new Date(someday).toISOString();
  const counts = { total: addresses.length, accepted: addresses.length, rejected: 0, unknown: 0, skipped: 0 };
  const { organization, me: owner } = scene;
  const items = addresses.map((address) => key.mac(foldAddress(address)!));
  const lines: ReceiptLine[] = [
    {
      ...{ type: 'run', receipt: 1, run, at, tool: 'sched', operation: 'compliance.delete', owner, organization },
      ...{ endpoint: `${origin}/data_compliance/deletion/invitees`, key: key.id, input: key.mac(items.join()) },
      ...{ total: addresses.length, duplicates: 0, skipped: 0 },
    },
    { type: 'sending', batch: 1, attempt: 1, at, items },
    { type: 'verdict', batch: 1, at, verdict: 'accepted', status: 202 },
    { type: 'end', at, ...counts },
  ];
  let prev = firstPrev;
  return lines
    .map((line) => {
      const { text, hash } = sealLine(line, prev, false);
      prev = hash;
      return text;
    })
    .join('');
};

export const recheck: Kind = {
  commands: ['compliance recheck'],
  weight: 1,
  async make(scene, dice, machine) {
    const number = scene.nextNumber();
    const people = Array.from({ length: 1 + dice.below(5) }, (_, index) => ({
      email: `kept${number}-${index}@sim.example`,
      isShown: dice.chance(0.5),
    }));
    for (const { email, isShown } of people) {
      const invitee = { email, name: 'Kim', timezone: 'UTC' };
      const body = { event_type: scene.group, start_time: scene.nextSlot(), invitee };
      if (isShown) await scene.visit('POST', '/invitees', body);
    }
    const [receipt, from] = [`${inputs}/${number}.jsonl`, `${inputs}/${number}.txt`];
    const addresses = people.map(({ email }) => email);
    machine.volume.place(receipt, receiptOf(scene, `run-${number}`, addresses));
    machine.volume.place(from, addresses.join('\n'));
    const expected = people.map(({ isShown }) => (isShown ? 'present' : 'gone')).join();
    let found: string | undefined;
    return {
      argv: ['compliance', 'recheck', receipt, '--from', from, '--json'],
      onEnd: ({ stdout }) => {
        if (stdout === '') return;
        const { lines } = JSON.parse(stdout) as { lines: { finding: string }[] };
        found = lines.map(({ finding }) => finding).join();
      },
      needsRecord: true,
      missing: () => (found === expected ? undefined : `R69: it finds ${found}, not ${expected}`),
      settles: ({ code }) => code === 11,
      hidesAddresses: true,
    };
  },
};
