import { describe, expect, it } from 'vitest';
import type { Claim } from './claim.ts';
import { type Asker, beyondLimit, givenBack, type Moment, nextRecord, nextStep, obstacleBeside } from './claim-rules.ts';

const hostname = 'www.example.com';
const at: Moment = { now: 1_000_000, coolDownMs: 600_000 };
const asker: Asker = { owner: 'alice', lease: 'alice-1-1-1', service: 'web', externalPort: 80, isStatic: false };

const claimOf = (changed: Partial<Claim>): Claim => ({
  ...{ name: 'h-1', uid: 'u', resourceVersion: '1', hostname, state: 'Held', changes: 0 },
  ...asker,
  ...{ since: 400_500 },
  ...changed,
});
const stepOf = (changed: Partial<Claim>, moves = false) => nextStep(hostname, claimOf(changed), asker, at, { moves });
const theirs = { lease: 'alice-2-1-1' };

describe('the next step towards a name', () => {
  it.each([
    ['Held', 'withheld'],
    ['Claiming', 'withheld'],
  ] as const)('leaves what another lease of the owner has %s to it', (state, expected) => {
    expect(stepOf({ ...theirs, state })).toMatchObject({ kind: 'answer', answer: { state: expected, code: 'HostnameWithheld' } });
  });

  it('names the lease that has it as commands do, also where its owner is no part of the name of an object', () => {
    const step = stepOf({ owner: 'Ali', lease: 'ali.5f2c-2-1-1' });
    expect(step).toMatchObject({ answer: { code: 'HostnameTaken' } });
    const others = nextStep(hostname, claimOf({ owner: 'Ali', lease: 'ali.5f2c-2-1-1' }), { ...asker, owner: 'Ali' }, at, { moves: false });
    expect(others).toMatchObject({ answer: { message: expect.stringContaining('in use by lease Ali/2/1/1 of the same account') } });
  });

  it.each([
    ['another service of the lease', { service: 'api' }, false, 400_500],
    ['another port of the lease', { externalPort: 8080 }, false, 400_500],
    ['another lease of the owner', theirs, true, at.now],
  ] as const)('points a held name away from %s in one write, held since it is the lease’s', (_what, changed, moves, since) => {
    expect(stepOf(changed, moves)).toEqual({
      kind: 'write',
      content: { hostname, ...asker, state: 'Held', since, releasedAt: undefined, changes: 0 },
      isNew: false,
    });
  });

  it('has nothing to write where a held name points to what is asked for', () => {
    expect(stepOf({})).toMatchObject({ kind: 'answer', answer: { state: 'held' } });
  });

  it('remembers when a name was given back that its owner claims again, and moves to yet another lease', () => {
    expect(stepOf({ state: 'Released', lease: '' })).toMatchObject({ kind: 'write', content: { state: 'Claiming', releasedAt: 400_500 } });
    const moved = stepOf({ ...theirs, state: 'Claiming', releasedAt: 400_500 }, true);
    expect(moved).toMatchObject({ kind: 'write', content: { state: 'Claiming', lease: asker.lease, releasedAt: 400_500 } });
  });
});

describe('a name that is given back', () => {
  const released = (since: number) => ({ state: 'Released', lease: '', service: '', since });
  const half = (releasedAt?: number) => ({ state: 'Claiming', releasedAt }) as const;
  it.each([
    ['held', {}, released(at.now)],
    ['below the provider’s domain', { isStatic: true }, undefined],
    ['never held', half(), undefined],
    ['never held again, within the cool-down', half(400_001), released(400_001)],
    ['never held again, when the cool-down is over', half(400_000), undefined],
  ] as const)('is kept for its owner as long as the last hold says: %s', (_what, changed, expected) => {
    const content = givenBack(claimOf(changed), at);
    if (expected === undefined) expect(content).toBeUndefined();
    else expect(content).toMatchObject({ ...expected, owner: 'alice' });
  });
});

describe('what is beside a name', () => {
  const beside = (...states: readonly Claim['state'][]) =>
    states.map((state, index) => claimOf({ hostname: `n${index}.example.com`, owner: 'bob', state }));
  it.each([
    ['refused HostnameTaken', ['Claiming', 'Held']],
    ['refused HostnameTaken', ['Held', 'Claiming']],
    ['refused HostnameCoolingDown', ['Claiming', 'Released']],
    ['waiting HostnameContended', ['Claiming']],
  ] as const)('is %s for a wildcard where others are %s: what is refused counts before what may pass', (expected, states) => {
    const found = obstacleBeside('*.example.com', beside(...states), 'alice', at);
    expect(`${found?.state} ${found?.code}`).toBe(expected);
  });

  it('changes the record each time, since the server does not count a write that changes nothing', () => {
    const record = claimOf({ hostname: 'example.com', state: 'Parent', owner: '', changes: 4, since: at.now });
    expect(nextRecord('example.com', record, hostname, 'alice', at.now)).toMatchObject({ owner: '', changes: 5 });
    expect(nextRecord('example.com', undefined, hostname, 'alice', at.now)).toMatchObject({ owner: '', changes: 1 });
  });
});

it.each([
  [1, 'one more than the 1 hostname that'],
  [2, 'one more than the 2 hostnames that'],
])('a name beyond %i that an account may have is refused with the number', (limit, told) => {
  expect(beyondLimit('a.example', limit)).toMatchObject({
    state: 'refused',
    code: 'HostnameLimit',
    message: expect.stringContaining(told),
  });
});
