import { StatusError } from '@quartermaster/kernel';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { databaseFailure, isConnectionLost, isRetryable, toStatusError } from './database-failure.ts';

function failure(code: string, message = 'canary-7f3a', rest: Partial<pg.DatabaseError> = {}): pg.DatabaseError {
  const error = new pg.DatabaseError(message, message.length, 'error');
  return Object.assign(error, { code, detail: 'Key (name)=(canary-7f3a) already exists.', where: 'canary-7f3a', ...rest });
}

describe('failures of the database', () => {
  it.each([
    ['23505', 'already_exists'],
    ['23503', 'failed_precondition'],
    ['23514', 'invalid_argument'],
    ['22P02', 'invalid_argument'],
    ['22021', 'invalid_argument'],
    ['2201B', 'invalid_argument'],
    ['40001', 'unavailable'],
    ['40P01', 'unavailable'],
    ['55P03', 'unavailable'],
    ['57014', 'unavailable'],
    ['57P01', 'unavailable'],
    ['53300', 'unavailable'],
    ['28P01', 'unavailable'],
    ['25006', 'unavailable'],
    ['23502', 'internal'],
    ['42601', 'internal'],
  ])('SQLSTATE %s is %s', (state, code) => {
    expect(toStatusError(failure(state)).code).toBe(code);
  });

  it.each(['23505', '22P02', '57014', 'XX000', '23502', '40001'])('shows no value of the statement with SQLSTATE %s', (state) => {
    const error = toStatusError(failure(state));
    expect(JSON.stringify([error.message, error.stack, error.details, error.cause])).not.toContain('canary');
  });

  it('names the constraint, so that the caller can name the field', () => {
    const error = toStatusError(failure('23505', 'taken', { constraint: 'clusters_alias', table: 'clusters' }));
    expect(databaseFailure(error)).toEqual({ source: 'database', sqlState: '23505', constraint: 'clusters_alias', table: 'clusters' });
  });

  it('keeps the sentence about a statement that is wrong in itself', () => {
    expect(toStatusError(failure('42703', 'column "x" does not exist')).message).toContain('column "x" does not exist');
  });

  it('takes errors of the network for a database that is away, and says which', () => {
    const error = toStatusError(Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }));
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('ECONNREFUSED') });
  });

  it('takes a value that cannot be converted for a bug, and the connection for sound', () => {
    const thrown = new RangeError('canary-7f3a');
    expect(toStatusError(thrown)).toMatchObject({ code: 'internal', message: expect.not.stringContaining('canary') });
    expect(isConnectionLost(thrown)).toBe(false);
  });

  it('leaves other errors of ours as they are', () => {
    const error = new StatusError('not_found', 'no such host');
    expect(toStatusError(error)).toBe(error);
    expect(databaseFailure(error)).toBeUndefined();
    expect(isConnectionLost(error)).toBe(false);
  });

  it.each([
    ['57P01', true],
    ['25P03', true],
    ['08006', true],
    ['57014', false],
    ['23505', false],
    ['40001', false],
  ])('SQLSTATE %s ends the connection: %s', (state, isLost) => {
    expect(isConnectionLost(failure(state))).toBe(isLost);
  });

  it('recognises what may succeed when it is repeated, before and after it was translated', () => {
    expect(isRetryable(failure('40P01'))).toBe(true);
    expect(isRetryable(toStatusError(failure('40001')))).toBe(true);
    expect(isRetryable(toStatusError(failure('23505')))).toBe(false);
  });
});
