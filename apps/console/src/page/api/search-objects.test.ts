import { describe, expect, it } from 'vitest';
import { clusterKind, hostKind } from './object-kind.ts';
import { filtersFor } from './search-objects.ts';

describe('what a search asks the API for', () => {
  it('is a range of names, which an index answers, and ids', () => {
    expect(filtersFor({ isStaff: true }, clusterKind, 'Train')).toEqual([
      'this.metadata.name >= "train" && this.metadata.name < "train\u{10ffff}"',
      'this.id == "Train"',
    ]);
  });

  it('is more of hosts, and never of what a tenant may not see', () => {
    expect(filtersFor({ isStaff: true }, hostKind, 'SN-1').join(' ')).toContain('this.spec.serial == "SN-1"');
    expect(filtersFor({ isStaff: true }, hostKind, '52:54:00:AA:00:01').join(' ')).toContain('this.spec.boot_mac == "52:54:00:aa:00:01"');
    expect(filtersFor({ isStaff: false }, hostKind, '10.0.0.1').join(' ')).not.toMatch(/spec/);
  });

  it('takes nothing of the text for more than text', () => {
    expect(filtersFor({ isStaff: true }, hostKind, '" || true').join(' ')).toContain('this.id == "\\" || true"');
  });
});
