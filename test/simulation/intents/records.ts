import type { Dice } from '../dice.ts';
import type { Scene } from '../scene.ts';
import { common, type Intent, type Kind } from './intent.ts';

/*
 * Commands that write one record. A creation is sent once by each command, and a command that says it is done has made it
 * (R26).
 */

interface Creation {
  command: string;
  /** Whether the website can delete it. */
  isDeletable?: boolean;
  /** The flags, with a name that nothing else has. */
  flags(name: string, scene: Scene): string[];
}

const creation = ({ command, flags, isDeletable = false }: Creation): Kind => ({
  commands: [command],
  weight: 1,
  make(scene) {
    const name = `sim-${scene.nextNumber()}-x`;
    const missing = () =>
      scene.model.created(name).length > 0 ? undefined : `R26: nothing was created by ${command} for ${name}`;
    return {
      argv: [...command.split(' '), ...flags(name, scene), ...common],
      missing,
      // It exists already, which must be true.
      settles: ({ code }) => code === 7,
      isSentOnce: true,
      wrongInTheEnd: missing,
      ...(isDeletable && {
        undo: async () => {
          for (const path of scene.model.created(name)) await scene.visit('DELETE', path!);
        },
      }),
    };
  },
});

interface Change {
  command: string;
  /** What it is done to, made by somebody at the website, and how to tell that it is done. */
  prepare(scene: Scene, dice: Dice): Promise<Prepared | undefined>;
}

interface Prepared extends Pick<Intent, 'needsRecord' | 'undo'> {
  words: string[];
  isDone(): boolean | Promise<boolean>;
}

const change = ({ command, prepare }: Change): Kind => ({
  commands: [command],
  weight: 1,
  async make(scene, dice) {
    const prepared = await prepare(scene, dice);
    if (prepared === undefined) return undefined;
    const { words, isDone, ...more } = prepared;
    return {
      needsRecord: true,
      ...more,
      argv: [...command.split(' '), ...words, ...common],
      missing: async () => ((await isDone()) ? undefined : `R26: ${command} ${words.join(' ')} is not done`),
      // It is gone already, which must be true.
      settles: ({ code }) => code === 6,
    };
  },
});

const idOf = (uri: unknown): string => String(uri).split('/').at(-1)!;

/** Deletes the record of this address. Nobody can bring it back. */
const deletionOf = ({ model }: Scene, uri: unknown) => ({
  words: [idOf(uri)],
  isDone: () => model.isDeleted(new URL(String(uri)).pathname),
});

const deleteWebhook = change({
  command: 'webhooks delete',
  prepare: async (scene) => {
    const url = `https://sim-${scene.nextNumber()}.example.com/`;
    const { organization } = scene;
    const body = { url, events: ['invitee.created'], organization, scope: 'organization' };
    const { resource } = await scene.visit('POST', '/webhook_subscriptions', body);
    return deletionOf(scene, resource.uri);
  },
});

const revokeInvitation = change({
  command: 'invitations revoke',
  prepare: async (scene) => {
    const body = { email: `sim-${scene.nextNumber()}@sim.example`, organization: scene.organization };
    const { resource } = await scene.visit('POST', '/organization_invitations', body);
    return deletionOf(scene, resource.uri);
  },
});

const updateEventType = change({
  command: 'event-types update',
  prepare: async (scene) => {
    const name = `sim-${scene.nextNumber()}-x`;
    const { resource } = await scene.visit('POST', '/event_types', { name, owner: scene.me, duration: 30 });
    const path = `/event_types/${idOf(resource.uri)}`;
    return {
      words: [idOf(resource.uri), '--duration', '45'],
      isDone: async () => (await scene.visit('GET', path)).resource.duration === 45,
      undo: async () => void (await scene.visit('PATCH', path, { duration: 30 })),
    };
  },
});

const markNoShow = change({
  command: 'invitees no-show',
  prepare: async (scene) => {
    const invitee = { email: `absent${scene.nextNumber()}@sim.example`, name: 'Ada', timezone: 'UTC' };
    const body = { event_type: scene.solo, start_time: scene.nextSlot(), invitee };
    const { resource } = await scene.visit('POST', '/invitees', body);
    const path = new URL(String(resource.uri)).pathname;
    const noShow = async () => (await scene.visit('GET', path)).resource.no_show as { uri: string } | null;
    return {
      words: [idOf(resource.event), idOf(resource.uri)],
      isDone: async () => (await noShow()) !== null,
      undo: async () => {
        const mark = await noShow();
        if (mark !== null) await scene.visit('DELETE', new URL(mark.uri).pathname);
      },
    };
  },
});

const removeMember = change({
  command: 'members remove',
  prepare: async (scene) => {
    const uri = scene.members.pop();
    if (uri === undefined) return undefined;
    return { ...deletionOf(scene, uri), needsRecord: false };
  },
});

export const recordKinds = {
  createWebhook: creation({
    command: 'webhooks create',
    isDeletable: true,
    flags: (name) => ['--url', `https://${name}.example.com/`, '--events', 'invitee.created'],
  }),
  createShare: creation({
    command: 'shares create',
    flags: (name, scene) => ['--event-type', scene.solo, '--name', name],
  }),
  createOneOff: creation({
    command: 'one-offs create',
    flags: (name) => ['--name', name, '--duration', '45', '--days', '7'],
  }),
  createEventType: creation({ command: 'event-types create', flags: (name) => ['--name', name, '--duration', '45'] }),
  createInvitation: creation({
    command: 'invitations create',
    isDeletable: true,
    flags: (name) => ['--email', `${name}@sim.example`],
  }),
  deleteWebhook,
  revokeInvitation,
  updateEventType,
  markNoShow,
  removeMember,
};
