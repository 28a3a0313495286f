import { HostSchema as PublicHostSchema } from '@quartermaster/api/fulfillment';
import { HostSchema } from '@quartermaster/api/private';
import { describe, expect, it } from 'vitest';
import { KnownFilters } from './known-filters.ts';

const nothing = () => false;

describe('known filters', () => {
  it('are compiled once', () => {
    const filters = new KnownFilters();
    const filter = filters.compile('this.id == "a"', HostSchema, nothing);
    expect(filters.compile('this.id == "a"', HostSchema, nothing)).toBe(filter);
    expect(filters.compile('this.id == "b"', HostSchema, nothing)).not.toBe(filter);
  });

  it('are those of one type: what one form of an object hides stays hidden after somebody else asked for it', () => {
    const filters = new KnownFilters();
    filters.compile('this.spec.rack == "r1"', HostSchema, nothing);
    expect(() => filters.compile('this.spec.rack == "r1"', PublicHostSchema, nothing)).toThrow(/rack/);
  });

  it('are refused each time when they are wrong', () => {
    const filters = new KnownFilters();
    for (let time = 0; time < 2; time += 1) expect(() => filters.compile('this.nothing == 1', HostSchema, nothing)).toThrow(/nothing/);
  });

  it('are forgotten when many others were used since', () => {
    const filters = new KnownFilters();
    const [old, used] = ['this.id == "old"', 'this.id == "used"'].map((text) => filters.compile(text, HostSchema, nothing));
    for (let index = 0; index < 250; index += 1) {
      filters.compile(`this.id == "${index}"`, HostSchema, nothing);
      filters.compile('this.id == "used"', HostSchema, nothing);
    }
    expect(filters.compile('this.id == "used"', HostSchema, nothing)).toBe(used);
    expect(filters.compile('this.id == "old"', HostSchema, nothing)).not.toBe(old);
  });
});
