import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { explainedFailure } from './explained-failure.ts';
import { servers } from './servers.ts';

const server = { address: '127.0.0.1:1', token: () => 'old' };

describe('a token that the server refuses', () => {
  it('is to be replaced, and the details of the refusal stay', () => {
    const details = { reason: 'ACCESS_CHANGED' };
    expect(explainedFailure(new StatusError('unauthenticated', 'it has expired', { details }), server, servers.fulfillment)).toMatchObject({
      message: 'it has expired; log in again with `quartermaster login ADDRESS`',
      details,
    });
  });

  it('is not spoken of twice', () => {
    const failure = new StatusError('unauthenticated', 'the login has ended: log in again with `quartermaster login ADDRESS`');
    expect(explainedFailure(failure, server, servers.fulfillment)).toMatchObject({
      message: 'the login has ended: log in again with `quartermaster login ADDRESS`',
    });
  });

  it('is nothing to speak of where nobody can renew it', () => {
    expect(explainedFailure(new StatusError('unauthenticated', 'it has expired'), server, servers.inventory)).toMatchObject({
      message: 'it has expired',
    });
  });
});

describe('a failed call', () => {
  const asked = { address: '127.0.0.1:1' };
  const explained = (message: string, code: StatusError['code'] = 'unavailable') =>
    explainedFailure(new StatusError(code, message, { cause: new Error('again') }), asked, servers.inventory);

  it('is one line that names the address, the cause and the way out', () => {
    expect(explained('No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:1. Resolution note: ')).toEqual(
      new StatusError(
        'unavailable',
        'no inventory answers at 127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1): start it, or name another with --server ADDRESS or QUARTERMASTER_SERVER',
      ),
    );
    expect(explained('No connection established. Last error: Error: self-signed certificate. Resolution note: ')).toMatchObject({
      message: expect.stringContaining('--ca-file'),
    });
    expect(explained('Name resolution failed for target dns:x:1')).toMatchObject({ message: expect.stringContaining('--server') });
    expect(explained('who are you', 'unauthenticated')).toMatchObject({ message: 'who are you; a token is given with --token-file' });
  });

  it('shows no stack for a failure inside of the server', () => {
    expect(explained('it broke', 'internal')).toMatchObject({ code: 'unavailable', message: '127.0.0.1:1: it broke' });
  });

  it('leaves a bug a bug', () => {
    const bug = new TypeError('x');
    expect(explainedFailure(bug, asked, servers.inventory)).toBe(bug);
  });
});
