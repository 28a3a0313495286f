import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { accessReviewer } from './access-review.ts';
import type { KubeWriter } from './api.ts';
import { recentAccess } from './recent-access.ts';
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

  it('asks once in a while about a token that is not valid', async () => {
    const clock = new FakeClock();
    const { client, asked } = server({ authenticated: false });
    const review = tokenReviewer(client, clock);
    for (let calls = 0; calls < 3; calls += 1) expect(await review('t', signal)).toBeUndefined();
    expect(asked).toHaveLength(1);
    await clock.advance(10_001);
    await review('t', signal);
    expect(asked).toHaveLength(2);
  });

  it('forgets nobody who is valid for made-up tokens, however many there are', async () => {
    const asked: string[] = [];
    const create = async (_type: unknown, { spec }: { spec: { token: string } }): Promise<unknown> => {
      asked.push(spec.token);
      return { status: { authenticated: spec.token === 'good', user: { username: 'x' } } };
    };
    const review = tokenReviewer({ create } as unknown as Pick<KubeWriter, 'create'>, new FakeClock());
    await review('good', signal);
    for (let guess = 0; guess < 5_000; guess += 1) await review(`guess-${guess}`, signal);
    expect(await review('good', signal)).toMatchObject({ name: 'x' });
    expect(asked.filter((token) => token === 'good')).toHaveLength(1);
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

  it.each([
    [{ aud: ['https://kubernetes.default.svc'] }, undefined],
    [{ aud: ['quartermaster-inventory'] }, ['quartermaster-inventory']],
    [{ aud: 'quartermaster-inventory' }, ['quartermaster-inventory']],
    [null, undefined],
  ])('asks for the audience of the service where the token says that it is for that: %j', async (claims, audiences) => {
    const { client, asked } = server({ authenticated: true, audiences, user: { username: 'x' } });
    const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
    const review = tokenReviewer(client, new FakeClock(), { ownAudience: 'quartermaster-inventory' });
    expect(await review(token, signal)).toMatchObject({ name: 'x' });
    expect(await review('no-jwt', signal)).toMatchObject({ name: 'x' });
    expect(asked).toEqual([{ spec: { token, audiences } }, { spec: { token: 'no-jwt' } }]);
  });

  it('takes tokens for the service itself beside those for the audiences of the settings', async () => {
    const { client, asked } = server({ authenticated: true, audiences: ['quartermaster-inventory'], user: { username: 'x' } });
    const review = tokenReviewer(client, new FakeClock(), { audiences: ['quartermaster'], ownAudience: 'quartermaster-inventory' });
    expect(await review('t', signal)).toMatchObject({ name: 'x' });
    expect(asked).toEqual([{ spec: { token: 't', audiences: ['quartermaster', 'quartermaster-inventory'] } }]);
  });

  it('is unavailable, without the token in its text, while the API server is away', async () => {
    const { client } = server(new Error('connect ECONNREFUSED'));
    const asked = tokenReviewer(client, new FakeClock())('very-secret', signal);
    await expect(asked).rejects.toMatchObject({ code: 'unavailable', message: expect.not.stringContaining('very-secret') });
  });
});

describe('recent rights', () => {
  it('are believed for a while, those that are missing for less long, and those of another caller or kind never', async () => {
    const clock = new FakeClock();
    let allowed = true;
    const { client, asked } = server({
      get allowed() {
        return allowed;
      },
    });
    const review = recentAccess(accessReviewer(client), clock);
    const may = (name: string, plural = 'things', uid?: string) =>
      review({ name, groups: [], uid }, { verb: 'get', group: 'g', plural }, signal);
    expect([await may('a'), await may('a'), asked.length]).toEqual([true, true, 1]);
    allowed = false;
    expect([await may('a'), await may('b'), await may('a', 'others'), await may('a', 'things', 'again')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    await clock.advance(10_001);
    allowed = true;
    expect([await may('b'), asked.length]).toEqual([true, 5]);
    allowed = false;
    await clock.advance(20_000);
    expect(await may('a')).toBe(false);
  });
});
