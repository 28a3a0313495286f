import { describe, expect, it } from 'vitest';
import { codeOf, isTerminal, messageOf, retryAfterMsOf, StatusError, statusCodes } from './status-error.ts';

describe('StatusError', () => {
  it('is an Error with a code, a message, a cause and details', () => {
    const cause = new Error('socket closed');
    const error = new StatusError('unavailable', 'list pods', { cause, details: { retryAfterMs: 5 } });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'StatusError', code: 'unavailable', message: 'list pods', cause, details: { retryAfterMs: 5 } });
  });

  it('has no cause property when it has no cause', () => {
    expect('cause' in new StatusError('internal', 'bug')).toBe(false);
  });

  it('has ten codes, each once', () => {
    expect(statusCodes).toHaveLength(10);
    expect(new Set(statusCodes).size).toBe(10);
  });
});

describe('StatusError.from', () => {
  it('returns a StatusError as it is', () => {
    const error = new StatusError('not_found', 'lease 7');
    expect(StatusError.from(error)).toBe(error);
  });

  it.each([
    [new TypeError('x is undefined'), 'x is undefined'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{ type: 'error', message: 'Unexpected server response: 403' }, 'Unexpected server response: 403'],
    [{ password: 'canary' }, 'something of the type Object was thrown'],
    [Object.create(null), 'something of the type Object was thrown'],
  ])('makes %s internal, with the original as cause', (thrown, message) => {
    const error = StatusError.from(thrown);
    expect(error).toMatchObject({ code: 'internal', message });
    expect(error.cause).toBe(thrown);
  });
});

describe('codeOf and isTerminal', () => {
  it.each(statusCodes)('tell %s apart', (code) => {
    const error = new StatusError(code, '');
    expect(codeOf(error)).toBe(code);
    expect(isTerminal(error)).toBe(code === 'invalid_argument');
  });

  it('take anything else for a bug that may be retried', () => {
    expect(codeOf(new Error('bug'))).toBe('internal');
    expect(isTerminal(new Error('bug'))).toBe(false);
    expect(isTerminal({ code: 'invalid_argument' })).toBe(false);
  });
});

describe('messageOf', () => {
  it('joins the chain of causes, the outermost first', () => {
    const error = new StatusError('unavailable', 'apply ingress', { cause: new Error('connect', { cause: new Error('ECONNREFUSED') }) });
    expect(messageOf(error)).toBe('apply ingress: connect: ECONNREFUSED');
  });

  it('leaves out what was said already and what is empty', () => {
    expect(messageOf(new Error('list pods: timeout', { cause: new Error('', { cause: new Error('timeout') }) }))).toBe(
      'list pods: timeout',
    );
  });

  it('ends on a chain that goes round', () => {
    const error = new Error('a');
    error.cause = error;
    expect(messageOf(error)).toBe('a');
  });

  it('takes anything thrown', () => {
    expect(messageOf('text')).toBe('text');
    expect(messageOf(7)).toBe('7');
  });
});

describe('retryAfterMsOf', () => {
  const asking = (retryAfterMs: unknown) => new StatusError('unavailable', 'busy', { details: { retryAfterMs } });

  it('reads the wait from the details of the error or of a cause, the outermost first', () => {
    expect(retryAfterMsOf(asking(7000))).toBe(7000);
    expect(retryAfterMsOf(new StatusError('unavailable', 'write host a', { cause: asking(7000) }))).toBe(7000);
    expect(retryAfterMsOf(new StatusError('unavailable', 'a', { cause: asking(1), details: { retryAfterMs: 2 } }))).toBe(2);
  });

  it.each([undefined, null, '7', -1, Number.NaN, Number.POSITIVE_INFINITY])('takes %s for no wait at all', (wait) => {
    expect(retryAfterMsOf(asking(wait))).toBeUndefined();
  });

  it('is undefined for what carries no details', () => {
    expect(retryAfterMsOf(new StatusError('unavailable', 'busy'))).toBeUndefined();
    expect(retryAfterMsOf({ details: { retryAfterMs: 7 } })).toBeUndefined();
  });
});
