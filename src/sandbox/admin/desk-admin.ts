import * as z from 'zod/mini';
import { integer, record, text } from '../../api/field.ts';
import { type AdminCall, callsWith } from './admin.ts';

export interface DeskContext {
  desk: {
    /** The address of the desk with a new key, which works once, for so many seconds or until the sandbox ends. */
    addressAt(origin: string, seconds?: number): string;
  };
}

/** Admin requests about the desk. */
export const deskCalls: readonly AdminCall<DeskContext>[] = [
  callsWith<DeskContext>()(
    'POST /__sandbox/desk/keys',
    'Make an address that opens the desk in a browser, once',
    {
      body: record({ seconds: z.optional(integer('how long it works; by default until the sandbox ends')) }),
      reply: record({ url: text('the address, with a key') }),
    },
    ({ body: { seconds }, url }, { desk }) => ({ url: desk.addressAt(url.origin, seconds) }),
  ),
];
