import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { accessReviewer } from './access-review.ts';
import type { KubeWriter } from './api.ts';
import { tokenReviewer } from './token-review.ts';

const { signal } = new AbortController();

function server(status: object | Error) {
  const asked: unknown[] = [];
  const create = async (_type: unknown, object: unknown): Promise<unknown> => {
    asked.push(object);
    if (status instanceof Error) throw status;
    return { status };
  };
  return { asked, client: { create } as Pick<KubeWriter, 'create'> };
}

it('asks for the rights of exactly the user that the API server named', async () => {
  const user = { username: 'a', groups: ['g'], uid: 'u-1', extra: { 'scopes.example.com': ['view'] } };
  const owner = await tokenReviewer(server({ authenticated: true, user }).client, new FakeClock())('t', signal);
  const { client, asked } = server({ allowed: true });
  if (owner === undefined) throw new Error('the token has an owner');
  expect(await accessReviewer(client)(owner, { verb: 'delete', group: 'g', plural: 'things' }, signal)).toBe(true);
  const { username, ...others } = user;
  const resourceAttributes = { verb: 'delete', group: 'g', resource: 'things' };
  expect(asked).toEqual([{ spec: { user: username, ...others, resourceAttributes } }]);
});

describe('token review', () => {
  it('says whose a token is, and asks again after a minute', async () => {
    const clock = new FakeClock();
    const { client, asked } = server({ authenticated: true, user: { username: 'system:serviceaccount:a:b', groups: ['g'] } });
    const review = tokenReviewer(client, clock);
    const owner = { name: 'system:serviceaccount:a:b', groups: ['g'] };
    expect(await review('t', signal)).toEqual(owner);
    expect(await review('t', signal)).toEqual(owner);
    expect(asked).toEqual([{ spec: { token: 't' } }]);
    await clock.advance(60_001);
    expect(await review('t', signal)).toEqual(owner);
    expect(asked).toHaveLength(2);
  });

  it('knows no owner of a token that is not valid', async () => {
    const { client } = server({ authenticated: false, user: { username: 'x' } });
    expect(await tokenReviewer(client, new FakeClock())('t', signal)).toBeUndefined();
  });

  it.each([
    [['quartermaster'], true],
    [['another'], false],
    [undefined, false],
  ])('a token for the audiences %s is one for ours: %s', async (audiences, isOurs) => {
    const { client, asked } = server({ authenticated: true, audiences, user: { username: 'x' } });
    const owner = await tokenReviewer(client, new FakeClock(), { audiences: ['quartermaster'] })('t', signal);
    expect(owner !== undefined).toBe(isOurs);
    expect(asked).toEqual([{ spec: { token: 't', audiences: ['quartermaster'] } }]);
  });

  it('is unavailable, without the token in its text, while the API server is away', async () => {
    const { client } = server(new Error('connect ECONNREFUSED'));
    const asked = tokenReviewer(client, new FakeClock())('very-secret', signal);
    await expect(asked).rejects.toMatchObject({ code: 'unavailable', message: expect.not.stringContaining('very-secret') });
  });
});
