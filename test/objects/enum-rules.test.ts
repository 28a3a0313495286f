import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { HostConditionType, type HostPowerState, HostSchema, HubSchema } from '@quartermaster/api/private';
import { enumViolations } from '@quartermaster/objects';
import { describe, expect, it } from 'vitest';

const host = (init: MessageInitShape<typeof HostSchema>) => create(HostSchema, init);
const later = 77 as HostPowerState;

describe('values of enums', () => {
  it('are those of the contract', () => {
    const known = host({ spec: { powerState: 1 }, status: { conditions: [{ type: HostConditionType.READY, status: 2 }] } });
    expect(enumViolations(HostSchema, known, undefined)).toEqual([]);
    expect(enumViolations(HubSchema, create(HubSchema, { namespace: 'n' }), undefined)).toEqual([]);
  });

  it('are refused by field with what there is, however deep they lie', () => {
    const object = host({ spec: { powerState: later }, status: { conditions: [{ type: 1 }, { type: 99 as HostConditionType }] } });
    expect(enumViolations(HostSchema, object, undefined)).toEqual([
      {
        field: 'spec.power_state',
        description: 'must be one of HOST_POWER_STATE_UNSPECIFIED, HOST_POWER_STATE_ON, HOST_POWER_STATE_OFF, and is 77',
      },
      expect.objectContaining({ field: 'status.conditions.1.type' }),
    ]);
  });

  it('that a newer release stored may stay where they are, and go nowhere else', () => {
    const stored = host({ spec: { powerState: later, rack: 'r1' } });
    expect(enumViolations(HostSchema, host({ spec: { powerState: later, rack: 'r2' } }), stored)).toEqual([]);
    const moved = host({ spec: { powerState: later }, status: { powerState: later } });
    expect(enumViolations(HostSchema, moved, stored).map(({ field }) => field)).toEqual(['status.power_state']);
  });
});
