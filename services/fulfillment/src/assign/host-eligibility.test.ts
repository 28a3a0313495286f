import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { HostSchema } from '@quartermaster/api/private';
import { describe, expect, it } from 'vitest';
import { refusalMessage, refusalOf } from './host-eligibility.ts';

const need = { hostClass: 'gold', hub: 'h1' };
type Init = Pick<MessageInitShape<typeof HostSchema>, 'metadata' | 'spec' | 'status'>;

const fit = { class: 'gold', bmc: { url: 'https://bmc.example.com' }, bootMac: 'b8:3f:d2:00:00:01' };

function refusal({ spec = fit, ...rest }: Init) {
  return refusalOf(create(HostSchema, { spec, ...rest }), need);
}
const disputed = { type: 101, status: 1, reason: 'SourceConflict' } as const;

describe('refusalOf', () => {
  it('takes a host of the class that nobody has', () => {
    expect(refusal({})).toBeUndefined();
    expect(
      refusal({
        status: {
          state: 2,
          hub: 'h1',
          conditions: [
            { type: 4, status: 1, reason: 'SourceConflict' },
            { ...disputed, status: 2 },
          ],
        },
      }),
    ).toBeUndefined();
  });

  it.each([
    ['OTHER_CLASS', { spec: { class: 'silver' }, metadata: { deletionTimestamp: {} } }],
    ['DELETED', { metadata: { deletionTimestamp: {} }, status: { cluster: 'c' } }],
    ['ASSIGNED', { status: { cluster: 'c', state: 3 as const } }],
    ['IN_POOL', { status: { hostPool: 'p' } }],
    ['FAILED', { status: { state: 3 as const } }],
    ['IN_PROGRESS', { status: { state: 1 as const, hub: 'h2' } }],
    ['OTHER_HUB', { status: { hub: 'h2' } }],
    ['NO_BMC', { spec: { ...fit, bmc: { user: 'root' } } }],
    ['NO_BOOT_MAC', { spec: { ...fit, bootMac: '' } }],
    ['CONFLICT', { status: { conditions: [disputed] } }],
  ])('refuses for %s', (reason, init) => {
    expect(refusal(init)).toBe(reason);
  });

  it('says what would help', () => {
    expect(refusalMessage('ASSIGNED', 'gold', 2)).toBe(
      '2 hosts of class "gold" are assigned to a cluster. Run: quartermaster release CLUSTER',
    );
    expect(refusalMessage('DELETED', 'gold', 1)).toBe('1 host of class "gold" is being deleted');
  });
});
