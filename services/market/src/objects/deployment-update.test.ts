import { create } from '@bufbuild/protobuf';
import { type Deployment, DeploymentSchema, DeploymentState } from '@quartermaster/api/market';
import { expect, it } from 'vitest';
import { type Comparison, updatedDeployment } from './deployment-update.ts';

const deployment = (manifestHash: string, confirmed: readonly string[] = []): Deployment =>
  create(DeploymentSchema, { id: '1', status: { state: DeploymentState.ACTIVE, manifestHash, confirmed: [...confirmed] } });

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}/v`);

/** `lost` undefined: what is stored cannot be read. */
const losing = (lost: readonly string[] | undefined): Comparison => ({
  ...{ sent: { groups: [], manifestHash: 'b', manifest: '' }, storedHash: 'a', after: [] },
  ...(lost && { before: [], changes: { changes: [], restarted: [], lostVolumes: lost } }),
});

const update = (lost: readonly string[] | undefined, confirm: readonly string[], confirmed: readonly string[] = []) =>
  updatedDeployment(deployment('a', confirmed), deployment('a', confirmed), losing(lost), confirm);

it.each([
  ['is known', names(101)],
  ['cannot be read', undefined],
])('refuses to confirm more than a hundred losses in one update, where what is stored %s', (_where, lost) => {
  expect(() => update(lost, names(101))).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      message:
        'field "confirm": has 101 entries; it must have at most 100: name each volume once, and take out more than that in several updates',
    }),
  );
  expect(update(lost?.slice(0, 100), names(100)).status?.confirmed).toEqual(names(100));
});

it('forgets the oldest of the losses that were confirmed before, and none of those that are confirmed now', () => {
  const earlier = ['x/v', 'y/v', ...names(98)];
  expect(update(['x/v', 'z/v'], ['x/v', 'z/v'], earlier).status?.confirmed).toEqual([...names(98), 'x/v', 'z/v']);
});
