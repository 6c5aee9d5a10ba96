import { hash } from 'node:crypto';
import { asciiJson, jsonIn } from '../base/json.ts';
import type { RandomBytes } from '../base/system.ts';
import type { Entries } from './vault.ts';

/** Windows allows 2,560 bytes of UTF-16 in one entry. */
export const longestPart = 1_200;

/** Stored under the name of a text that is split into parts. */
interface Manifest {
  parts: number;
  length: number;
  sha256: string;
  /** In the names of the parts, so that parts of two writes never mix. */
  generation: string;
}

/** The parts don't add up to the text that was written. */
export class DamagedParts extends Error {}

const marker = 'sched-parts:';

const manifestIn = (text: string | undefined): Manifest | undefined => {
  if (!text?.startsWith(marker)) return undefined;
  const manifest = jsonIn(text.slice(marker.length)) as Manifest | undefined;
  const { parts = 0, generation = '' } = manifest ?? {};
  if (Number.isInteger(parts) && parts > 0 && parts < 100 && /^[0-9a-f]+$/.test(generation)) return manifest;
  throw new DamagedParts('its list of parts is damaged');
};

const partName = (name: string, { generation }: Manifest, index: number): string => `${name}.${generation}.${index}`;

/** Splits JSON texts that are too long for one entry. A read returns the complete text or fails. */
export const splitEntries = (entries: Entries, randomBytes: RandomBytes): Entries => {
  const removeParts = async (name: string, manifest: Manifest | undefined): Promise<void> => {
    for (let index = 0; index < (manifest?.parts ?? 0); index += 1)
      await entries.delete(partName(name, manifest!, index));
  };

  const oldManifest = async (name: string): Promise<Manifest | undefined> => {
    const text = await entries.get(name);
    try {
      return manifestIn(text);
    } catch {
      return undefined;
    }
  };

  const gather = async (name: string, manifest: Manifest): Promise<string | undefined> => {
    const parts: string[] = [];
    for (let index = 0; index < manifest.parts; index += 1)
      parts.push((await entries.get(partName(name, manifest, index))) ?? '');
    const text = parts.join('');
    return text.length === manifest.length && hash('sha256', text) === manifest.sha256 ? text : undefined;
  };

  return {
    get: async (name) => {
      let lastText: string | undefined;
      for (;;) {
        const text = await entries.get(name);
        const manifest = manifestIn(text);
        if (manifest === undefined) return text;
        const whole = await gather(name, manifest);
        if (whole !== undefined) return whole;
        // Another process may have replaced the text in the meantime. Then there is a new manifest with new parts.
        if (manifest.generation === lastText) throw new DamagedParts("its parts don't match");
        lastText = manifest.generation;
      }
    },
    set: async (name, json) => {
      const text = asciiJson(json);
      const old = await oldManifest(name);
      if (text.length <= longestPart) await entries.set(name, text);
      else {
        const generation = Buffer.from(randomBytes(8)).toString('hex');
        const parts = Math.ceil(text.length / longestPart);
        const manifest: Manifest = { parts, length: text.length, sha256: hash('sha256', text), generation };
        for (let index = 0; index < parts; index += 1) {
          const part = text.slice(index * longestPart, (index + 1) * longestPart);
          await entries.set(partName(name, manifest, index), part);
        }
        // Readers get the old text until this entry is replaced.
        await entries.set(name, marker + JSON.stringify(manifest));
      }
      await removeParts(name, old);
    },
    delete: async (name) => {
      const old = await oldManifest(name);
      const isDeleted = await entries.delete(name);
      await removeParts(name, old);
      return isDeleted;
    },
  };
};
