import { type AddressInfo, createServer, type Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/base/system.ts';
import type { DelivererOptions } from '../../../src/sandbox/webhooks/deliverer.ts';
import { closeLater } from '../../support/temporary.ts';
import { type Deliveries, openDeliveries } from './deliveries.ts';
import { openReceiver } from './receiver.ts';

let world: Deliveries;
beforeEach(async () => {
  world = await openDeliveries();
});

describe('a hostile receiver', () => {
  /** A server that writes raw bytes. */
  const rawReceiver = async (talk: (socket: Socket) => void): Promise<string> => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      talk(socket);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    closeLater(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };

  const attemptTo = async (url: string, options: Partial<DelivererOptions> = {}) => {
    await world.subscribe({ url });
    await world.bookAt('08:00');
    await world.delivererOf(options).idle();
    return (await world.deliveries())[0]!.attempts[0];
  };

  /** The ten seconds are over once the receiver has been reached. */
  const impatient = () => {
    let isOver = () => {};
    const reached = new Promise<void>((resolve) => {
      isOver = resolve;
    });
    const sleep: Clock['sleep'] = () => reached;
    return { isOver, system: { now: world.clock.now, sleep } };
  };

  it('that sends no headers is given up after 10 seconds', async () => {
    const { isOver, system } = impatient();
    const url = await rawReceiver(
      (socket) => void socket.once('data', () => void socket.write('HTTP/1.1 200', isOver)),
    );
    expect(await attemptTo(url, { system })).toMatchObject({ status: null, error: 'no reply within 10 seconds' });
  });

  it('that drips an endless body is accepted, because its status came in time', async () => {
    const { isOver, system } = impatient();
    const url = await rawReceiver((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n');
        setImmediate(() => setImmediate(isOver));
      });
    });
    expect(await attemptTo(url, { system })).toMatchObject({ status: 200, error: null });
  });

  it('that floods its body is cut off', async () => {
    let written = 0;
    const url = await rawReceiver((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const flood = () => {
          if (socket.destroyed) return;
          written += 65_536;
          if (socket.write('x'.repeat(65_536))) setImmediate(flood);
          else socket.once('drain', flood);
        };
        flood();
      });
    });
    expect(await attemptTo(url)).toMatchObject({ status: 200 });
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it.each([
    ['garbage', 'what?\r\n\r\n', 'the reply is not valid HTTP'],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}`, 'the reply is not valid HTTP'],
    ['nothing', '', 'the connection was closed without a reply'],
    ['half a status line', 'HTTP/1.1 2', 'the connection was closed without a reply'],
  ])('that replies with %s is a failure', async (_, text, error) => {
    const url = await rawReceiver((socket) => void socket.once('data', () => void socket.end(text)));
    expect(await attemptTo(url)).toMatchObject({ status: null, error });
  });

  it('that redirects is a failure, and the redirect is not followed', async () => {
    const other = await openReceiver();
    const { url } = await openReceiver((_, response) => void response.writeHead(307, { location: other.url }).end());
    expect(await attemptTo(url)).toMatchObject({ status: 307 });
    expect(other.received).toEqual([]);
  });

  it('that switches protocols is a failure', async () => {
    const reply = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';
    const url = await rawReceiver((socket) => void socket.once('data', () => void socket.write(reply)));
    expect(await attemptTo(url)).toMatchObject({ status: null });
  });

  it.each(['https://example.com/hooks', 'https://10.0.0.1/'])('elsewhere gets nothing: %s', async (url) => {
    expect(await attemptTo(url)).toEqual({
      at: '2026-03-11T12:00:00.000Z',
      status: null,
      error: 'not sent: the sandbox delivers only to loopback addresses of this machine',
      milliseconds: 0,
    });
  });
});
