import { SchedError } from '../../base/errors.ts';

/** The error for an address at which nothing can be received, and another port to try. */
export const cannotListen = (error: NodeJS.ErrnoException, where: string): SchedError =>
  new SchedError('environment', `Can't listen on ${where}`, {
    reason:
      error.code === 'EADDRINUSE'
        ? 'the port is in use'
        : error.code === 'EADDRNOTAVAIL'
          ? 'this machine does not have that address'
          : error.code === 'EACCES'
            ? 'the system does not allow it'
            : error.message,
    hint: { flags: { port: '0' } },
  });
