import { users } from '../../src/api/users.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { withContent } from '../../src/client/read-reply.ts';
import { callBeforeSend, type Send } from '../../src/http/message.ts';
import { serviceClock } from '../../src/http/service-time.ts';
import type { WorldSource } from '../../src/jobs/config-world.ts';
import { createWorld } from '../support/run.ts';

/** A sandbox whose configuration is read and changed. */
export const createConfigs = async () => {
  const world = await createWorld();
  const { clock } = world;
  const time = serviceClock();
  const authorized: Send = (request) =>
    world.service({ ...request, headers: { ...request.headers, authorization: `Bearer ${world.token}` } });
  const clientOver = (send: Send): Client => {
    const whole = withContent(callBeforeSend(time.layer(send)));
    return createClient({ baseUrl: 'http://127.0.0.1:4010', send: whole, sendPlain: whole });
  };
  const client = clientOver(authorized);
  const me = await client.call(users.me, {});
  const sourceOver = (send: Send): WorldSource => ({
    client: clientOver(send),
    origin: 'http://127.0.0.1:4010',
    identity: {
      user: async () => String(me.uri),
      organization: async () => String(me.current_organization),
      mayBeOther: async (uri) => uri !== me.uri,
    },
    clock,
    serviceTime: time.now,
  });
  return { world, clock, client, me, service: authorized, sourceOver };
};
