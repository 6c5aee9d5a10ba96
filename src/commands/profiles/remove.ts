import type { NoAnswer } from '../../cli/answer/answer.ts';
import { ownPlan, type Plan } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { changeConfig } from '../../cli/session/config-file.ts';
import type { Profile } from '../../cli/session/profile-schema.ts';
import type { Facts } from '../../cli/session/prompt.ts';
import { type NamedProfile, profileNamed } from './named-profile.ts';

/** The account of a profile, for a prompt. */
const profileFacts = ({ user, organization, base_url: baseUrl, login }: Profile): Facts => [
  ...(user === undefined ? [] : [['user', user] as const]),
  ...(organization === undefined ? [] : [['organization', organization] as const]),
  ['origin', new URL(baseUrl).origin],
  ['login', login === undefined ? 'none' : `in the ${login.store === 'file' ? 'credential file' : 'keychain'}`],
];

const removeProfile = async (
  { name, profile }: NamedProfile,
  profileName: string,
  { context }: Call,
): Promise<NoAnswer> => {
  if (profile.login !== undefined) {
    const { removeLogin } = await import('../../cli/session/stored-login.ts');
    await removeLogin({ name, profile }, context.runtime, context.notes);
  }
  const after = await changeConfig(context.runtime, ({ current, profiles, ...config }) => ({
    ...config,
    ...(current === name || current === undefined ? {} : { current }),
    profiles: Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name)),
  }));
  const { noteMirror } = await import('../../cli/session/open-mirror.ts');
  noteMirror(context, profileName);
  const remaining = Object.keys(after.profiles);
  const isOpen = after.current === undefined && remaining.length > 1;
  const next = isOpen ? `. Choose a new default: ${commandHere(context, 'profiles', 'use', remaining[0]!)}` : '';
  return { kind: 'nothing', hints: [`Removed profile ${name}${next}`] };
};

export const remove = async (profileName: string, call: Call): Promise<Plan> => {
  const named = await profileNamed(call.context, profileName);
  const { name, profile } = named;
  const what = `profile ${name}${profile.login === undefined ? '' : ' and its login'}`;
  return ownPlan({
    guards: profile.protected ? name : undefined,
    question: () => ({
      question: `Remove ${what}?`,
      action: `remove ${what}`,
      facts: profileFacts(profile),
      ...(profile.protected ? { flags: { yes: true, 'profile-is': name } } : {}),
    }),
    send: () => removeProfile(named, profileName, call),
  });
};
