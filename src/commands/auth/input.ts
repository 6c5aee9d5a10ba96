import type { Input } from '../../cli/input/input.ts';
import type { Account } from './login-addresses.ts';
import { type LoginFlags, loginFlags } from './login-flags.ts';

export type LoginInput = LoginFlags & { account: Account };

/** Environment and profile complete the flags, so what is missing is known only with them. */
export const loginInput: Input<LoginInput> = {
  ...loginFlags,
  draft: async (invocation, how) => {
    const finish = await loginFlags.draft(invocation, how);
    const { readAccount } = await import('./login-addresses.ts');
    const flags = await finish(invocation.context);
    const account = await readAccount(flags, invocation, how);
    return async () => ({ ...flags, account });
  },
};
