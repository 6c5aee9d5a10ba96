import type { LoginBasics, LoginMethod } from '../../auth/login.ts';
import { counted } from '../../base/numbers.ts';
import { the, words } from '../../base/words.ts';
import { suggestedLine } from '../../cli/messages/suggested-line.ts';
import { askLine } from '../../cli/session/prompt.ts';
import { isSecretOnStdin } from './client-secret.ts';
import type { LoginInput } from './input.ts';
import type { LoginCall } from './login-flags.ts';

/** The same command with another way to log in. A device login takes no flags for the browser. */
const sameWith = ({ problems }: LoginCall, way: 'paste' | 'device'): string => {
  const own = problems.own!.copy();
  for (const flag of way === 'paste' ? [] : ['no-browser', 'port']) own.setFlag(flag, false);
  own.setFlag(way, true);
  return own.line!;
};

const howToPaste =
  "If the browser runs on another machine, it can't open the last page (http://127.0.0.1…) and shows an error. Copy that page's full URL from the address bar and paste it here.";

/** Says what to do if the browser may be on another machine, and offers to paste the final address at once. */
const offerPaste =
  (input: LoginInput, call: LoginCall, { client }: LoginBasics) =>
  (opened: boolean) => {
    const { context } = call;
    const { runtime, settings, notes } = context;
    if (!opened && !input.noBrowser) notes.warn("Can't open a browser. Open the URL yourself");
    if (opened && !runtime.env.SSH_CONNECTION) return undefined;
    if (client.server.device !== undefined)
      notes.always(`To log in with a code on another machine, press Ctrl-C and run: ${sameWith(call, 'device')}`);
    if (isSecretOnStdin(input)) {
      notes.always(
        words`If the browser runs on another machine, press Ctrl-C, save the secret in a file, and log in with ${the('clientSecretFile')} FILE ${the('paste')}`,
      );
      return undefined;
    }
    if (!settings.canAsk) {
      notes.always(`If the browser runs on another machine, press Ctrl-C and run: ${sameWith(call, 'paste')}`);
      return undefined;
    }
    notes.always(howToPaste);
    return (noLongerNeeded: AbortSignal) => askLine(context, 'Final URL, or wait for the browser: ', noLongerNeeded);
  };

const wayOf = (input: LoginInput, call: LoginCall, basics: LoginBasics): LoginMethod => {
  const { context } = call;
  if (input.paste)
    return {
      kind: 'paste',
      line: (noLongerNeeded) => askLine(context, "Then paste the URL from the browser's address bar: ", noLongerNeeded),
    };
  const open = input.noBrowser ? async () => false : context.runtime.openBrowser;
  return { kind: 'browser', open, onOpened: offerPaste(input, call, basics) };
};

export const throughBrowser = async (input: LoginInput, call: LoginCall, basics: LoginBasics): Promise<void> => {
  const { paste, noBrowser, port, account } = input;
  const { runtime, notes } = call.context;
  const { login } = await import('../../auth/login.ts');
  await login({
    ...basics,
    way: wayOf(input, call, basics),
    port,
    again: suggestedLine({ sandbox: false, profile: account.name }, { command: ['auth', 'login'] }),
    randomBytes: runtime.randomBytes,
    onUrl: async (url) => {
      notes.always(paste || noBrowser ? 'Open this URL in a browser:' : 'Opening this URL in your browser:');
      notes.always(url);
      notes.always(
        paste ? howToPaste : 'Waiting up to 5 minutes for you to finish in the browser. Press Ctrl-C to stop',
      );
      await notes.flush();
    },
    onMistake: (why) => notes.warn(`Can't use that URL: ${why}`),
  });
};

export const throughDevice = async ({ context: { notes } }: LoginCall, basics: LoginBasics): Promise<void> => {
  const { loginWithDevice } = await import('../../auth/device-login.ts');
  await loginWithDevice({
    ...basics,
    onCode: async ({ url, code, completeUrl, seconds }) => {
      notes.always('Open this URL in any browser, on any machine:');
      notes.always(url);
      notes.always(`Enter this code there: ${code}`);
      if (completeUrl !== undefined) notes.always(`Or open a URL that contains the code: ${completeUrl}`);
      const limit = seconds < 120 ? counted(seconds, 'second') : counted(Math.floor(seconds / 60), 'minute');
      notes.always(`Waiting up to ${limit} for you to finish in the browser. Press Ctrl-C to stop`);
      await notes.flush();
    },
  });
};
