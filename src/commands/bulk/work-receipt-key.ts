import { createHmac } from 'node:crypto';

/** The key that hashes addresses for a receipt: 32 bytes, written as 64 hexadecimal digits. */
export interface ReceiptKey {
  /** Identifies the key without revealing it. */
  readonly id: string;
  mac(text: string): string;
}

/** Reads a key from its text; undefined if the text isn't a key. */
export const readKey = (text: string): ReceiptKey | undefined => {
  const hex = text.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hex)) return undefined;
  const secret = Buffer.from(hex, 'hex');
  const mac = (message: string) => createHmac('sha256', secret).update(message).digest('hex');
  return { id: mac('sched receipt key').slice(0, 16), mac };
};
