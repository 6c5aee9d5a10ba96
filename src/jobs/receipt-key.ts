import { createHmac } from 'node:crypto';

/** Under which names stand in a receipt. 32 bytes; as text, 64 hexadecimal digits. */
export interface ReceiptKey {
  /** Tells one key from another and says nothing of it. */
  readonly id: string;
  mac(text: string): string;
}

export const keyBytes = 32;

/** What a key file holds, so that `openssl dgst -macopt hexkey:…` can read it. */
export const keyText = (bytes: Uint8Array): string => `${Buffer.from(bytes).toString('hex')}\n`;

/** A key from its text, or nothing where it is none. */
export const readKey = (text: string): ReceiptKey | undefined => {
  const hex = text.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hex)) return undefined;
  const secret = Buffer.from(hex, 'hex');
  const mac = (message: string) => createHmac('sha256', secret).update(message).digest('hex');
  return { id: mac('sched receipt key').slice(0, 16), mac };
};
