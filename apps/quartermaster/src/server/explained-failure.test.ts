import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { explainedFailure } from './explained-failure.ts';

const words = { what: 'service', elsewhere: 'start it', tokenHint: 'log in', renewHint: 'log in again' };
const server = { address: '127.0.0.1:1', token: () => 'old' };

describe('a token that the server refuses', () => {
  it('is to be replaced, and the details of the refusal stay', () => {
    const details = { reason: 'ACCESS_CHANGED' };
    expect(explainedFailure(new StatusError('unauthenticated', 'it has expired', { details }), server, words)).toMatchObject({
      message: 'it has expired; log in again',
      details,
    });
  });

  it('is not spoken of twice', () => {
    const failure = new StatusError('unauthenticated', 'the login has ended: log in again');
    expect(explainedFailure(failure, server, words)).toMatchObject({ message: 'the login has ended: log in again' });
  });

  it('is nothing to speak of where nobody can renew it', () => {
    const { renewHint: _none, ...others } = words;
    expect(explainedFailure(new StatusError('unauthenticated', 'it has expired'), server, others)).toMatchObject({
      message: 'it has expired',
    });
  });
});
