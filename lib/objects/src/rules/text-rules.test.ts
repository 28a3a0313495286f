import { describe, expect, it } from 'vitest';
import { conditionViolations } from './text-rules.ts';

describe('conditions', () => {
  it.each([undefined, '', 'X', 'DiskFailed', 'AsExpected', 'Reason_2'])('take the reason %j', (reason) => {
    expect(conditionViolations('status.conditions', [{ type: 1, reason }])).toEqual([]);
  });

  it.each(['login root:calvin refused', '2Disks', 'disk failed', 'Ends-', 'x'.repeat(257), 'über'])(
    'refuse the text %j as a reason',
    (reason) => {
      const [violation, ...others] = conditionViolations('status.conditions', [{ type: 1 }, { type: 2, reason }]);
      expect(violation?.field).toBe('status.conditions.1.reason');
      expect(others).toEqual([]);
    },
  );

  it('have one of each type', () => {
    const fields = conditionViolations('c', [{ type: 1 }, { type: 2 }, { type: 1 }]).map(({ field }) => field);
    expect(fields).toEqual(['c.2.type']);
  });

  it('let a reason stay that is stored for the type, and no other', () => {
    const stored = [{ type: 1, reason: 'a text' }];
    expect(conditionViolations('c', [{ type: 2 }, { type: 1, reason: 'a text' }], stored)).toEqual([]);
    const changed = [
      { type: 1, reason: 'another text' },
      { type: 2, reason: 'a text' },
    ];
    expect(conditionViolations('c', changed, stored).map(({ field }) => field)).toEqual(['c.0.reason', 'c.1.reason']);
  });
});
