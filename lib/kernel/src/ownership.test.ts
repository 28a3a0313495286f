import { expect, it } from 'vitest';
import { ownershipProblem } from './ownership.ts';

it.each([
  [1000, 0o40700, 0o022, undefined],
  [1000, 0o40755, 0o022, undefined],
  [1000, 0o40775, 0o022, 'has mode 775, but must not be writable by other users'],
  [1000, 0o40702, 0o022, 'has mode 702, but must not be writable by other users'],
  [1000, 0o100600, 0o077, undefined],
  [1000, 0o100640, 0o077, 'has mode 640, but must not be accessible by other users'],
  [0, 0o40700, 0o022, 'is owned by user 0, but must be owned by the user who runs this (1000)'],
])('owner %i and mode bits %i, of which %i are forbidden: %s', (uid, mode, forbidden, problem) => {
  expect(ownershipProblem({ uid, mode }, { me: 1000, forbidden })).toBe(problem);
});

it('asks nothing of the owner where a system has none', () => {
  expect(ownershipProblem({ uid: 7, mode: 0o600 }, { me: undefined, forbidden: 0o077 })).toBeUndefined();
});
