import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createWebServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureWebServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createSecureServer } from 'node:tls';
import { execFileSync } from '../support/processes.ts';
import { temporaryHome } from './program.ts';

export interface Certificate {
  key: Buffer;
  cert: Buffer;
}

export interface Authority {
  /** For NODE_EXTRA_CA_CERTS. */
  file: string;
  /** A certificate for these names, in OpenSSL's format: `DNS:api.test.example,IP:127.0.0.1`. */
  certify(names: string): Certificate;
}

/** A certificate authority that only this test trusts. */
export const createAuthority = (): Authority => {
  const folder = temporaryHome();
  const at = (name: string) => join(folder, name);
  const make = (name: string, ...more: string[]) => {
    const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)];
    execFileSync('openssl', ['req', '-x509', ...fresh, '-subj', `/CN=${name}`, ...files, ...more], { stdio: 'pipe' });
  };
  make('authority', '-addext', 'basicConstraints=critical,CA:TRUE');
  let count = 0;
  return {
    file: at('authority.pem'),
    certify: (names) => {
      const name = `server-${++count}`;
      const signer = ['-CA', at('authority.pem'), '-CAkey', at('authority.key')];
      make(name, ...signer, '-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=critical,CA:FALSE');
      return { key: readFileSync(at(`${name}.key`)), cert: readFileSync(at(`${name}.pem`)) };
    },
  };
};

export interface Listening {
  port: number;
  close(): void;
}

const listen = async (server: Server): Promise<Listening> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, close };
};

/** Forwards a connection to a local port. */
const forward = (socket: Socket, port: number): void => {
  const onward = connect(port, '127.0.0.1');
  onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
  socket.pipe(onward).pipe(socket);
};

/** Adds TLS in front of a local service. */
export const withTls = (port: number, certificate: Certificate): Promise<Listening> =>
  listen(createSecureServer(certificate, (socket) => forward(socket, port)));

export interface RunningProxy extends Listening {
  /** The target and headers of each CONNECT. */
  seen: { target: string; headers: IncomingMessage['headers'] }[];
}

export interface ProxyOptions {
  /** The port that every tunnel leads to, whatever its host name: only the proxy knows the names in these tests. */
  to: number;
  /** The required `user:password`. Without it, the proxy replies with 407. */
  login?: string;
  /** Replies to every CONNECT with this status. */
  status?: number;
  /** Closes every connection instead of replying. */
  hangsUp?: true;
  /** The proxy uses TLS itself, with this certificate. */
  certificate?: Certificate;
}

/** A proxy that opens tunnels. */
export const startProxy = async ({ to, login, status, hangsUp, certificate }: ProxyOptions): Promise<RunningProxy> => {
  const seen: RunningProxy['seen'] = [];
  const server = certificate === undefined ? createWebServer() : createSecureWebServer(certificate);
  const expected = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  server.on('connect', ({ url, headers }: IncomingMessage, socket: Socket) => {
    seen.push({ target: url!, headers });
    socket.on('error', () => {});
    if (hangsUp) return socket.destroy();
    const refused = status ?? (headers['proxy-authorization'] === expected ? undefined : 407);
    if (refused !== undefined) return socket.end(`HTTP/1.1 ${refused} No\r\ncontent-length: 4\r\n\r\nbody`);
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    forward(socket, to);
  });
  return { ...(await listen(server)), seen };
};
