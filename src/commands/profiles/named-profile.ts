import { usageError } from '../../base/errors.ts';
import { addProfile, chosenProfile } from '../../cli/session/config-file.ts';
import type { Context } from '../../cli/session/context.ts';
import type { Profile } from '../../cli/session/profile-schema.ts';

export interface NamedProfile {
  name: string;
  profile: Profile;
}

/** The profile that a command applies to: its argument, or else the one in use. */
export const profileNamed = async (
  { runtime, settings }: Context,
  name = settings.here.profile,
): Promise<NamedProfile> => {
  const match = await chosenProfile(name, runtime);
  if (match !== undefined) return match;
  throw usageError(['No profiles yet'], { hint: addProfile });
};
